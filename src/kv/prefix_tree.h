// All cached beginnings as a tree: an edge is one block's tokens, a node the blocks that hold them, one per layer group.
// Children are ordered by their tokens, compared token by token and never by a hash, so that the neighbours of a prompt
// in that order are the ones that share the most with it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/token.h"
#include "kv/block_pool.h"

namespace puna::kv {

// How many tokens two texts have in common from their beginning.
std::uint32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b);

class PrefixTree {
 public:
  PrefixTree(std::uint32_t block_tokens, std::size_t n_groups) : block_tokens_(block_tokens), n_groups_(n_groups) {}

  // The root of all beginnings under that key; made where it is missing. It goes with its last child and user.
  NodeId root(std::uint64_t key);

  // The child with exactly these tokens, or kNoNode.
  NodeId child(NodeId parent, std::span<const TokenId> tokens) const;
  // That child, made where it is missing (with no blocks). Fewer tokens than a block make a leaf that stays one.
  NodeId insert(NodeId parent, std::span<const TokenId> tokens);
  // A leaf of `parent` that holds a beginning of `tokens` and nothing else, or kNoNode.
  NodeId leaf_covered_by(NodeId parent, std::span<const TokenId> tokens) const;

  // The child that shares the most tokens (at least one) with `tokens` among those that usable(node, n_shared) accepts;
  // of equal ones the usable one that comes first in order of visit. {kNoNode, 0} where there is none.
  template <class Usable>
  std::pair<NodeId, std::uint32_t> closest_child(NodeId parent, std::span<const TokenId> tokens, const Usable& usable) const;

  // Whether the node has a block in every group.
  bool is_full(NodeId node) const;
  bool is_partial(NodeId node) const { return nodes_[node].tokens.size() < block_tokens_; }
  NodeId parent(NodeId node) const { return nodes_[node].parent; }
  BlockId block(NodeId node, std::size_t group) const { return nodes_[node].blocks[group]; }
  void set_block(NodeId node, std::size_t group, BlockId block) { nodes_[node].blocks[group] = block; }

  // A sequence that stands on a node keeps it from being removed, and thereby all nodes above it.
  void add_user(NodeId node) { ++nodes_[node].n_users; }
  void remove_user(NodeId node) { --nodes_[node].n_users; }
  // Removes the node if it has no blocks, children or users, then its parent by the same rule, and so on.
  void prune(NodeId node);

  std::size_t n_nodes() const { return nodes_.size() - unused_.size(); }

 private:
  struct InOrder {
    bool operator()(std::span<const TokenId> a, std::span<const TokenId> b) const;
  };
  using Children = std::map<std::span<const TokenId>, NodeId, InOrder>;  // the keys are views of the nodes' own tokens

  struct Node {
    std::vector<TokenId> tokens;  // those of this block; a root has none
    NodeId parent = kNoNode;
    std::uint64_t key = 0;  // of a root
    Children children;
    std::vector<BlockId> blocks;  // [group]; kNoBlock where it was evicted
    std::uint32_t n_users = 0;
  };

  NodeId make(NodeId parent, std::span<const TokenId> tokens);

  std::uint32_t block_tokens_;
  std::size_t n_groups_;
  std::deque<Node> nodes_;  // numbers instead of pointers: a chain of 30,000 blocks must not be destroyed by recursion
  std::vector<NodeId> unused_;
  std::unordered_map<std::uint64_t, NodeId> roots_;
};

template <class Usable>
std::pair<NodeId, std::uint32_t> PrefixTree::closest_child(NodeId parent, std::span<const TokenId> tokens,
                                                           const Usable& usable) const {
  // What a child shares with `tokens` shrinks with its distance in order, on either side: walk outwards.
  const Children& children = nodes_[parent].children;
  auto after = children.lower_bound(tokens);
  auto before = after;
  auto shared_after = [&] { return after == children.end() ? 0 : common_prefix(after->first, tokens); };
  auto shared_before = [&] { return before == children.begin() ? 0 : common_prefix(std::prev(before)->first, tokens); };
  std::uint32_t right = shared_after();
  std::uint32_t left = shared_before();
  while (right > 0 || left > 0) {
    if (right >= left) {
      if (usable(after->second, right)) return {after->second, right};
      ++after;
      right = shared_after();
    } else {
      --before;
      if (usable(before->second, left)) return {before->second, left};
      left = shared_before();
    }
  }
  return {kNoNode, 0};
}

}  // namespace puna::kv
