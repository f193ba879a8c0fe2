#include "kv/block_pool.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace puna::kv {
namespace {

TEST(BlockPool, gives_the_lowest_blocks_first_and_a_freed_one_before_an_untouched_one) {
  BlockPool pool(4);
  EXPECT_EQ(pool.take(), 0u);
  EXPECT_EQ(pool.take(), 1u);
  pool.release(0);
  EXPECT_EQ(pool.take(), 0u);
  EXPECT_EQ(pool.take(), 2u);
  EXPECT_EQ(pool.n_free(), 1u);
}

TEST(BlockPool, counts_holders_and_frees_a_block_with_its_last_one) {
  BlockPool pool(2);
  const BlockId block = pool.take();
  pool.hold(block);
  EXPECT_EQ(pool.holders(block), 2u);
  pool.release(block);
  EXPECT_EQ(pool.n_held(), 1u);
  pool.release(block);
  EXPECT_EQ(pool.n_held(), 0u);
  EXPECT_EQ(pool.n_free(), 2u);
  EXPECT_EQ(pool.n_cached(), 0u);
}

TEST(BlockPool, a_released_block_of_a_node_is_cached_and_leaves_in_the_order_of_release) {
  BlockPool pool(3);
  for (NodeId node = 0; node < 3; ++node) pool.set_node(pool.take(), node + 7);
  pool.release(1);
  pool.release(2);
  pool.release(0);
  EXPECT_EQ(pool.n_available(), 3u);
  EXPECT_EQ(pool.n_free(), 0u);
  for (const BlockId expected : {1u, 2u, 0u}) {
    EXPECT_EQ(pool.oldest(), expected);
    pool.set_node(pool.oldest(), kNoNode);
  }
  EXPECT_EQ(pool.oldest(), kNoBlock);
  EXPECT_EQ(pool.n_free(), 3u);
}

TEST(BlockPool, holding_a_cached_block_again_makes_it_the_newest_at_its_next_release) {
  BlockPool pool(3);
  for (NodeId node = 0; node < 3; ++node) pool.set_node(pool.take(), node);
  for (const BlockId block : {0u, 1u, 2u}) pool.release(block);
  pool.hold(1);  // out of the middle of the order
  EXPECT_EQ(pool.n_cached(), 2u);
  pool.hold(0);  // its oldest end
  EXPECT_EQ(pool.oldest(), 2u);
  pool.release(0);
  pool.release(1);
  EXPECT_EQ(pool.oldest(), 2u);
  pool.hold(1);  // its newest end
  pool.set_node(2, kNoNode);
  EXPECT_EQ(pool.oldest(), 0u);
}

TEST(BlockPool, misuse_is_a_bug) {
  BlockPool pool(1);
  EXPECT_THROW(pool.hold(0), Bug);     // free
  EXPECT_THROW(pool.release(0), Bug);  // not held
  pool.take();
  EXPECT_THROW(pool.take(), Bug);  // nothing left
}

TEST(BlocksFor, full_attention_needs_the_whole_context) {
  EXPECT_EQ(blocks_for(0, 32, 2048, 512), 64u);
  EXPECT_EQ(blocks_for(0, 32, 2049, 512), 65u);
}

TEST(BlocksFor, a_window_needs_itself_and_one_step_wherever_they_begin_in_a_block) {
  EXPECT_EQ(blocks_for(4, 4, 1000, 1), 2u);       // 4 tokens: at worst the last of one block and 3 of the next
  EXPECT_EQ(blocks_for(4, 4, 1000, 3), 3u);       // 6 tokens: 1 + 4 + 1
  EXPECT_EQ(blocks_for(1, 4, 1000, 1), 1u);       // itself only
  EXPECT_EQ(blocks_for(512, 32, 400, 512), 13u);  // never more than the context
}

TEST(FirstBlockRead, is_the_block_of_the_windows_first_token) {
  EXPECT_EQ(first_block_read(0, 4, 1000), 0u);
  EXPECT_EQ(first_block_read(8, 4, 7), 0u);
  EXPECT_EQ(first_block_read(8, 4, 10), 0u);  // reads 3 … 10
  EXPECT_EQ(first_block_read(8, 4, 11), 1u);  // reads 4 … 11
}

}  // namespace
}  // namespace puna::kv
