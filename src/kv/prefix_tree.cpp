#include "kv/prefix_tree.h"

#include <algorithm>

#include "base/check.h"

namespace puna::kv {

std::uint32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  const auto [end, _] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::uint32_t>(end - a.begin());
}

bool PrefixTree::InOrder::operator()(std::span<const TokenId> a, std::span<const TokenId> b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

NodeId PrefixTree::make(NodeId parent, std::span<const TokenId> tokens) {
  NodeId id;
  if (unused_.empty()) {
    id = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  Node& node = nodes_[id];
  node.parent = parent;
  node.tokens.assign(tokens.begin(), tokens.end());
  node.blocks.assign(n_groups_, kNoBlock);
  return id;
}

NodeId PrefixTree::root(std::uint64_t key) {
  if (const auto found = roots_.find(key); found != roots_.end()) return found->second;
  const NodeId id = make(kNoNode, {});
  nodes_[id].key = key;
  roots_.emplace(key, id);
  return id;
}

NodeId PrefixTree::child(NodeId parent, std::span<const TokenId> tokens) const {
  const auto found = nodes_[parent].children.find(tokens);
  return found == nodes_[parent].children.end() ? kNoNode : found->second;
}

NodeId PrefixTree::insert(NodeId parent, std::span<const TokenId> tokens) {
  PUNA_CHECK(!tokens.empty() && tokens.size() <= block_tokens_ && (nodes_[parent].parent == kNoNode || !is_partial(parent)));
  if (const NodeId found = child(parent, tokens); found != kNoNode) return found;
  const NodeId id = make(parent, tokens);
  nodes_[parent].children.emplace(nodes_[id].tokens, id);
  return id;
}

NodeId PrefixTree::leaf_covered_by(NodeId parent, std::span<const TokenId> tokens) const {
  for (std::size_t n = tokens.size() - 1; n > 0; --n) {
    if (const NodeId found = child(parent, tokens.first(n)); found != kNoNode) return found;
  }
  return kNoNode;
}

bool PrefixTree::is_full(NodeId node) const {
  const std::vector<BlockId>& blocks = nodes_[node].blocks;
  return std::none_of(blocks.begin(), blocks.end(), [](BlockId block) { return block == kNoBlock; });
}

void PrefixTree::prune(NodeId id) {
  while (id != kNoNode) {
    Node& node = nodes_[id];
    const bool has_blocks = std::any_of(node.blocks.begin(), node.blocks.end(), [](BlockId b) { return b != kNoBlock; });
    if (has_blocks || !node.children.empty() || node.n_users > 0) return;
    const NodeId parent = node.parent;
    if (parent == kNoNode) {
      roots_.erase(node.key);
    } else {
      nodes_[parent].children.erase(node.tokens);
    }
    node = Node{};
    unused_.push_back(id);
    id = parent;
  }
}

}  // namespace puna::kv
