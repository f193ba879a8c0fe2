#include "kv/prefix_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace puna::kv {
namespace {

using Tokens = std::vector<TokenId>;
using testing::ElementsAre;
using testing::Pair;

const auto anyone = [](NodeId, std::uint32_t) { return true; };

TEST(CommonPrefix, counts_equal_tokens_from_the_beginning) {
  EXPECT_EQ(common_prefix(Tokens{}, Tokens{1}), 0u);
  EXPECT_EQ(common_prefix(Tokens{1, 2, 3}, Tokens{1, 2}), 2u);
  EXPECT_EQ(common_prefix(Tokens{1, 2, 3}, Tokens{1, 5, 3}), 1u);
}

TEST(PrefixTree, one_root_per_key_that_goes_with_its_last_use) {
  PrefixTree tree(4, 1);
  const NodeId root = tree.root(5);
  EXPECT_EQ(tree.root(5), root);
  EXPECT_NE(tree.root(6), root);
  EXPECT_EQ(tree.n_nodes(), 2u);
  tree.prune(root);
  EXPECT_EQ(tree.n_nodes(), 1u);
}

TEST(PrefixTree, children_are_found_by_all_their_tokens_and_made_once) {
  PrefixTree tree(4, 1);
  const NodeId root = tree.root(0);
  const NodeId a = tree.insert(root, Tokens{1, 2, 3, 4});
  EXPECT_EQ(tree.insert(root, Tokens{1, 2, 3, 4}), a);
  EXPECT_EQ(tree.child(root, Tokens{1, 2, 3, 4}), a);
  EXPECT_EQ(tree.child(root, Tokens{1, 2, 3, 5}), kNoNode);
  EXPECT_EQ(tree.child(root, Tokens{1, 2, 3}), kNoNode);
  EXPECT_EQ(tree.child(a, Tokens{1, 2, 3, 4}), kNoNode);
  EXPECT_FALSE(tree.is_partial(a));
  EXPECT_TRUE(tree.is_partial(tree.insert(root, Tokens{1, 2})));
}

TEST(PrefixTree, the_closest_child_is_the_nearest_in_order_that_is_usable) {
  PrefixTree tree(4, 1);
  const NodeId root = tree.root(0);
  const NodeId a = tree.insert(root, Tokens{1, 2, 3, 4});
  const NodeId b = tree.insert(root, Tokens{1, 2, 7, 1});
  const NodeId c = tree.insert(root, Tokens{1, 9, 9, 9});
  EXPECT_EQ(tree.closest_child(root, Tokens{1, 2, 7, 5}, anyone), std::pair(b, 3u));
  EXPECT_EQ(tree.closest_child(root, Tokens{1, 2, 3}, anyone), std::pair(a, 3u));
  EXPECT_EQ(tree.closest_child(root, Tokens{1, 8}, anyone).second, 1u);
  EXPECT_EQ(tree.closest_child(root, Tokens{2, 2}, anyone), std::pair(kNoNode, 0u));
  EXPECT_EQ(tree.closest_child(root, Tokens{}, anyone), std::pair(kNoNode, 0u));
  const auto only_c = [&](NodeId node, std::uint32_t) { return node == c; };
  EXPECT_EQ(tree.closest_child(root, Tokens{1, 2, 7, 1}, only_c), std::pair(c, 1u));
}

TEST(PrefixTree, the_closest_child_shares_as_much_as_any_child_does) {
  std::mt19937 random(7);
  const auto some_tokens = [&] {
    Tokens tokens(1 + random() % 6);
    for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 3);
    return tokens;
  };
  PrefixTree tree(6, 1);
  const NodeId root = tree.root(0);
  std::vector<std::pair<NodeId, Tokens>> children;
  for (int i = 0; i < 40; ++i) {
    const Tokens tokens = some_tokens();
    children.emplace_back(tree.insert(root, tokens), tokens);
  }
  for (int i = 0; i < 500; ++i) {
    const Tokens wanted = some_tokens();
    const auto usable = [](NodeId node, std::uint32_t) { return node % 3 != 0; };
    std::uint32_t best = 0;
    for (const auto& [node, tokens] : children) {
      if (usable(node, 0)) best = std::max(best, common_prefix(tokens, wanted));
    }
    EXPECT_EQ(tree.closest_child(root, wanted, usable).second, best);
  }
}

TEST(PrefixTree, a_node_stays_for_its_blocks_its_children_and_its_users) {
  PrefixTree tree(2, 2);
  const NodeId root = tree.root(0);
  const NodeId a = tree.insert(root, Tokens{1, 2});
  const NodeId b = tree.insert(a, Tokens{3, 4});
  tree.set_block(b, 1, 9);
  tree.add_user(b);
  tree.prune(b);
  EXPECT_EQ(tree.n_nodes(), 3u);
  EXPECT_FALSE(tree.is_full(b));
  tree.set_block(b, 1, kNoBlock);
  tree.prune(b);
  EXPECT_EQ(tree.n_nodes(), 3u);
  tree.prune(a);
  EXPECT_EQ(tree.n_nodes(), 3u);
  tree.remove_user(b);
  tree.prune(b);  // and with it everything above, which only led to it
  EXPECT_EQ(tree.n_nodes(), 0u);
}

TEST(PrefixTree, a_leaf_that_holds_only_a_beginning_is_found) {
  PrefixTree tree(4, 1);
  const NodeId root = tree.root(0);
  const NodeId leaf = tree.insert(root, Tokens{1, 2});
  tree.insert(root, Tokens{1, 3});
  EXPECT_EQ(tree.leaf_covered_by(root, Tokens{1, 2, 3, 4}), leaf);
  EXPECT_EQ(tree.leaf_covered_by(root, Tokens{1, 2, 3}), leaf);
  EXPECT_EQ(tree.leaf_covered_by(root, Tokens{1, 2}), kNoNode);
  EXPECT_EQ(tree.leaf_covered_by(root, Tokens{1, 4, 3, 4}), kNoNode);
}

}  // namespace
}  // namespace puna::kv
