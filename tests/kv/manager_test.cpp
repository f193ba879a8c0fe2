#include "kv/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/check.h"

namespace puna::kv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kBlock = 4;

std::vector<TokenId> count_up(TokenId first, std::size_t n) {
  std::vector<TokenId> tokens(n);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

std::vector<TokenId> join(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Spec full_attention(std::uint32_t n_blocks) {
  return {.block_tokens = kBlock, .groups = {{.name = "full", .window = 0, .n_blocks = n_blocks}}};
}

Spec full_and_window(std::uint32_t n_full, std::uint32_t window, std::uint32_t n_window) {
  return {.block_tokens = kBlock, .groups = {{"full", 0, n_full}, {"window", window, n_window}}};
}

// Starts a sequence with all of `tokens` and computes what is not cached; all but the last token may be reused.
struct Started {
  SequenceId id;
  std::uint32_t n_cached = 0;
  std::vector<Copy> copies;
};
Started run(Manager& manager, const std::vector<TokenId>& tokens, std::uint64_t key = 0) {
  Start start = manager.start(tokens, tokens.size() - 1, key);
  auto more = manager.extend(start.id, std::span(tokens).subspan(start.n_cached));
  EXPECT_TRUE(more.has_value());
  if (more) start.copies.insert(start.copies.end(), more->begin(), more->end());
  manager.commit(start.id);
  return {start.id, start.n_cached, start.copies};
}

std::vector<BlockId> blocks_of(const Manager& manager, SequenceId id, std::size_t group = 0) {
  const auto blocks = manager.blocks(id, group);
  return {blocks.begin(), blocks.end()};
}

TEST(Manager, a_first_sequence_finds_nothing_and_gets_blocks_in_order) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 10));
  EXPECT_EQ(a.n_cached, 0u);
  EXPECT_THAT(a.copies, IsEmpty());
  EXPECT_THAT(blocks_of(manager, a.id), ElementsAre(0, 1, 2));
  EXPECT_EQ(manager.length(a.id), 10u);
  EXPECT_EQ(manager.usage(0).pinned, 3u);
  EXPECT_EQ(manager.usage(0).free, 5u);
}

TEST(Manager, running_sequences_share_whole_blocks_by_reference_and_part_of_one_by_copy) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 12));
  const Started b = run(manager, join(count_up(0, 10), {90, 91}));
  EXPECT_EQ(b.n_cached, 10u);
  EXPECT_THAT(blocks_of(manager, b.id), ElementsAre(0, 1, 3));
  EXPECT_THAT(b.copies, ElementsAre(Copy{.group = 0, .from = 2, .to = 3, .n_tokens = 2}));
  EXPECT_EQ(manager.usage(0).pinned, 4u);
}

TEST(Manager, what_is_not_yet_committed_is_not_matched) {
  Manager manager(full_attention(8));
  const auto tokens = count_up(0, 8);
  const Start a = manager.start(tokens, 7);
  ASSERT_TRUE(manager.extend(a.id, tokens));
  EXPECT_EQ(manager.start(tokens, 7).n_cached, 0u);
  manager.commit(a.id);
  EXPECT_EQ(manager.start(tokens, 7).n_cached, 7u);
}

TEST(Manager, a_running_sequences_partial_last_block_is_not_matched_a_finished_ones_is) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 7));
  EXPECT_EQ(manager.start(count_up(0, 8), 8).n_cached, 4u);
  manager.finish(a.id);
  const Start b = manager.start(count_up(0, 8), 8);
  EXPECT_EQ(b.n_cached, 7u);
  EXPECT_THAT(b.copies, ElementsAre(Copy{.group = 0, .from = 1, .to = 2, .n_tokens = 3}));
}

TEST(Manager, the_longest_match_wins_among_beginnings_that_part_inside_a_block) {
  Manager manager(full_attention(32));
  for (const TokenId last : {1, 3, 5, 7, 9}) manager.finish(run(manager, {10, 11, 12, 13, 20, last, 30, 31}).id);
  manager.finish(run(manager, {10, 11, 12, 13, 20, 5, 29}).id);
  EXPECT_EQ(manager.start(std::vector<TokenId>{10, 11, 12, 13, 20, 5, 30, 99}, 8).n_cached, 7u);
  EXPECT_EQ(manager.start(std::vector<TokenId>{10, 11, 12, 13, 20, 5, 29, 99}, 8).n_cached, 7u);
  EXPECT_EQ(manager.start(std::vector<TokenId>{10, 11, 12, 13, 20, 6, 29, 99}, 8).n_cached, 5u);
  EXPECT_EQ(manager.start(std::vector<TokenId>{10, 11, 12, 13, 21}, 5).n_cached, 4u);
}

TEST(Manager, no_more_than_max_reuse_tokens_are_taken) {
  Manager manager(full_attention(16));
  const Started a = run(manager, count_up(0, 8));
  EXPECT_EQ(manager.start(count_up(0, 8), 8).n_cached, 8u);
  EXPECT_EQ(manager.start(count_up(0, 8), 7).n_cached, 7u);
  EXPECT_EQ(manager.start(count_up(0, 8), 4).n_cached, 4u);
  EXPECT_EQ(manager.start(count_up(0, 8), 0).n_cached, 0u);
  EXPECT_EQ(manager.start(std::vector<TokenId>{}, 5).n_cached, 0u);
  EXPECT_EQ(manager.length(a.id), 8u);
}

TEST(Manager, keys_separate_equal_tokens) {
  Manager manager(full_attention(8));
  run(manager, count_up(0, 8), 1);
  EXPECT_EQ(manager.start(count_up(0, 8), 8, 2).n_cached, 0u);
  EXPECT_EQ(manager.start(count_up(0, 8), 8, 1).n_cached, 8u);
}

TEST(Manager, equal_blocks_computed_at_the_same_time_are_kept_once_after_the_second_commit) {
  Manager manager(full_attention(8));
  const auto tokens = count_up(0, 9);
  const Start a = manager.start(tokens, 8);
  const Start b = manager.start(tokens, 8);
  ASSERT_TRUE(manager.extend(a.id, tokens));
  ASSERT_TRUE(manager.extend(b.id, tokens));
  EXPECT_EQ(manager.usage(0).pinned, 6u);
  manager.commit(a.id);
  manager.commit(b.id);
  EXPECT_EQ(manager.usage(0).pinned, 4u);
  EXPECT_THAT(blocks_of(manager, a.id), ElementsAre(0, 1, 2));
  EXPECT_THAT(blocks_of(manager, b.id), ElementsAre(0, 1, 5));
}

TEST(Manager, a_fork_shares_everything_until_one_of_the_two_writes) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 6));
  const SequenceId b = manager.fork(a.id);
  EXPECT_EQ(blocks_of(manager, a.id), blocks_of(manager, b));
  EXPECT_EQ(manager.usage(0).pinned, 2u);

  const auto copies = manager.extend(b, std::vector<TokenId>{50});
  ASSERT_TRUE(copies);
  EXPECT_THAT(*copies, ElementsAre(Copy{.group = 0, .from = 1, .to = 2, .n_tokens = 2}));
  EXPECT_THAT(blocks_of(manager, a.id), ElementsAre(0, 1));
  EXPECT_THAT(blocks_of(manager, b), ElementsAre(0, 2));

  const auto none = manager.extend(a.id, std::vector<TokenId>{60});  // the only holder by now: in place
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
  EXPECT_THAT(manager.tokens(a.id), ElementsAre(0, 1, 2, 3, 4, 5, 60));
  EXPECT_THAT(manager.tokens(b), ElementsAre(0, 1, 2, 3, 4, 5, 50));
}

TEST(Manager, a_fork_goes_on_in_place_when_the_other_one_is_finished) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 6));
  const SequenceId b = manager.fork(a.id);
  manager.finish(a.id);
  const auto copies = manager.extend(b, std::vector<TokenId>{50});
  ASSERT_TRUE(copies);
  EXPECT_THAT(*copies, IsEmpty());
}

TEST(Manager, truncating_into_a_cached_block_copies_it_at_the_next_extend) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 9));
  EXPECT_EQ(manager.truncate(a.id, 6), 6u);
  EXPECT_THAT(blocks_of(manager, a.id), ElementsAre(0, 1));
  const auto copies = manager.extend(a.id, std::vector<TokenId>{70});
  ASSERT_TRUE(copies);
  EXPECT_THAT(*copies, ElementsAre(Copy{.group = 0, .from = 1, .to = 2, .n_tokens = 2}));
  manager.commit(a.id);
  EXPECT_EQ(manager.start(count_up(0, 8), 8).n_cached, 8u) << "the old block is still there for others";
}

TEST(Manager, truncating_an_own_block_writes_it_in_place) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 7));
  EXPECT_EQ(manager.truncate(a.id, 5), 5u);
  const auto copies = manager.extend(a.id, std::vector<TokenId>{70});
  ASSERT_TRUE(copies);
  EXPECT_THAT(*copies, IsEmpty());
}

TEST(Manager, a_full_pool_refuses_all_or_nothing_and_says_the_numbers) {
  Manager manager(full_and_window(8, 8, 3));
  const Started a = run(manager, count_up(0, 8));
  const auto refused = manager.extend(a.id, count_up(8, 8));  // 2 more blocks in either group, the window has 1
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(refused.error().message, HasSubstr("2 of 3 blocks of layer group 'window'"));
  EXPECT_THAT(refused.error().message, HasSubstr("2 more are needed for a sequence of 16 tokens"));
  EXPECT_THAT(refused.error().hint, HasSubstr("-c"));
  EXPECT_EQ(manager.length(a.id), 8u);
  EXPECT_EQ(manager.usage(0).pinned, 2u);
  EXPECT_TRUE(manager.extend(a.id, count_up(8, 4)));
}

TEST(Manager, eviction_takes_what_was_left_the_longest_ago_and_of_one_text_the_end_first) {
  Manager manager(full_attention(6));
  manager.finish(run(manager, count_up(0, 12)).id);      // 3 blocks
  manager.finish(run(manager, count_up(100, 12)).id);    // 3 blocks
  const Start again = manager.start(count_up(0, 5), 4);  // the first text is used again, its first block at least
  manager.finish(again.id);
  manager.finish(run(manager, count_up(200, 8)).id);  // takes the last two blocks of the text that was unused the longest
  EXPECT_EQ(manager.start(count_up(0, 12), 12).n_cached, 4u);
  EXPECT_EQ(manager.start(count_up(100, 12), 12).n_cached, 12u);
}

TEST(Manager, a_finished_text_is_evicted_from_its_end) {
  for (const std::uint32_t n_evicted : {0u, 1u, 2u, 3u}) {
    Manager manager(full_attention(4));
    manager.finish(run(manager, count_up(0, 12)).id);  // 3 of the 4 blocks
    run(manager, count_up(100, 4 * (n_evicted + 1)));
    EXPECT_EQ(manager.start(count_up(0, 12), 12).n_cached, 12 - 4 * n_evicted);
  }
}

TEST(Manager, eviction_never_takes_what_a_running_sequence_holds) {
  Manager manager(full_attention(4));
  const Started a = run(manager, count_up(0, 8));
  manager.finish(run(manager, count_up(100, 8)).id);
  const Started c = run(manager, count_up(200, 8));  // evicts the finished one
  EXPECT_EQ(manager.start(count_up(0, 8), 8).n_cached, 8u);
  EXPECT_FALSE(manager.extend(c.id, count_up(208, 1)));
  EXPECT_THAT(blocks_of(manager, a.id), ElementsAre(0, 1));
}

TEST(Manager, a_single_sequence_can_always_use_the_whole_pool) {
  Manager manager(full_attention(3));
  const Started a = run(manager, count_up(0, 12));
  EXPECT_EQ(manager.truncate(a.id, 10), 10u);
  const auto copies = manager.extend(a.id, std::vector<TokenId>{90, 91});  // no fourth block to copy to
  ASSERT_TRUE(copies);
  EXPECT_THAT(*copies, IsEmpty());
  manager.commit(a.id);
  manager.finish(a.id);
  const Started b = run(manager, join(count_up(0, 10), {95}));  // nor here: the last rows are computed again
  EXPECT_EQ(b.n_cached, 8u);
}

TEST(Manager, blocks_behind_a_window_are_let_go_but_stay_cached) {
  Manager manager(full_and_window(16, 6, 16));
  const Started a = run(manager, count_up(0, 12));  // the next token, 12, reads 7 … 11
  EXPECT_THAT(blocks_of(manager, a.id, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(blocks_of(manager, a.id, 1), ElementsAre(kNoBlock, 1, 2));
  EXPECT_EQ(manager.usage(1).pinned, 2u);
  EXPECT_EQ(manager.usage(1).cached, 1u);
  EXPECT_EQ(manager.start(count_up(0, 5), 5).n_cached, 5u);
}

TEST(Manager, a_window_resumes_with_only_the_blocks_it_reads) {
  Manager manager(full_and_window(64, 6, 4));
  Started a = run(manager, count_up(0, 8));
  for (TokenId t = 8; t < 40; t += 4) {
    ASSERT_TRUE(manager.extend(a.id, count_up(t, 4)));
    manager.commit(a.id);
  }
  manager.finish(a.id);
  EXPECT_EQ(manager.usage(1).cached, 4u);  // tokens 24 … 39
  const Start b = manager.start(count_up(0, 60), 60);
  EXPECT_EQ(b.n_cached, 40u);
  EXPECT_THAT(blocks_of(manager, b.id, 1), testing::Contains(kNoBlock).Times(8));
  manager.finish(b.id);
  EXPECT_EQ(manager.start(join(count_up(0, 35), {99}), 36).n_cached, 35u) << "an edit near the end: 30 … 34 are there";
  EXPECT_EQ(manager.start(join(count_up(0, 26), {99}), 27).n_cached, 0u) << "21 … 25 are not";
}

TEST(Manager, truncating_behind_a_window_takes_its_blocks_back_or_goes_farther_back) {
  Manager manager(full_and_window(64, 6, 16));
  const Started a = run(manager, count_up(0, 32));
  EXPECT_EQ(manager.truncate(a.id, 18), 18u);  // 13 … 17 were let go, and are cached
  EXPECT_THAT(blocks_of(manager, a.id, 1),
              ElementsAre(kNoBlock, kNoBlock, kNoBlock, testing::Ne(kNoBlock), testing::Ne(kNoBlock)));
  manager.clear_cache();
  EXPECT_EQ(manager.truncate(a.id, 17), 17u);
  EXPECT_EQ(manager.truncate(a.id, 10), 0u) << "5 … 9 are gone, and so is everything before";
  EXPECT_EQ(manager.length(a.id), 0u);
  EXPECT_TRUE(manager.extend(a.id, count_up(0, 32)));
}

TEST(Manager, a_step_that_was_not_committed_can_be_taken_back_exactly) {
  Manager manager(full_and_window(64, 6, 16));
  const Started a = run(manager, count_up(0, 30));
  ASSERT_TRUE(manager.extend(a.id, count_up(30, 20)));
  EXPECT_EQ(manager.truncate(a.id, 33), 33u);
  manager.commit(a.id);
  EXPECT_EQ(manager.length(a.id), 33u);
}

TEST(Manager, finishing_leaves_out_what_was_not_computed) {
  Manager manager(full_attention(8));
  const Started a = run(manager, count_up(0, 6));
  ASSERT_TRUE(manager.extend(a.id, count_up(6, 6)));
  manager.finish(a.id);
  EXPECT_EQ(manager.start(count_up(0, 12), 12).n_cached, 6u);
}

TEST(Manager, a_longer_leftover_replaces_the_shorter_one_that_it_begins_with) {
  Manager manager(full_attention(16));
  manager.finish(run(manager, count_up(0, 2)).id);
  EXPECT_EQ(manager.usage(0).cached, 1u);
  manager.finish(run(manager, count_up(0, 3)).id);
  EXPECT_EQ(manager.usage(0).cached, 1u);
  manager.finish(run(manager, count_up(0, 4)).id);
  EXPECT_EQ(manager.usage(0).cached, 1u);
  manager.finish(run(manager, count_up(0, 2)).id);
  EXPECT_EQ(manager.usage(0).cached, 1u);
}

TEST(Manager, clearing_the_cache_keeps_running_sequences) {
  Manager manager(full_attention(8));
  manager.finish(run(manager, count_up(100, 6)).id);
  const Started a = run(manager, count_up(0, 8));
  manager.clear_cache();
  EXPECT_EQ(manager.usage(0).cached, 0u);
  EXPECT_EQ(manager.start(count_up(100, 6), 6).n_cached, 0u);
  EXPECT_EQ(manager.start(count_up(0, 8), 8).n_cached, 8u);
  EXPECT_EQ(manager.length(a.id), 8u);
}

TEST(Manager, the_same_long_request_twice_computes_one_token_and_an_edit_near_the_end_only_its_tail) {
  Manager manager({.block_tokens = 32, .groups = {{"full", 0, 64}, {"window", 128, 64}}});
  auto request = count_up(0, 500);
  manager.finish(run(manager, request).id);
  const Started again = run(manager, request);
  EXPECT_EQ(again.n_cached, 499u);
  manager.finish(again.id);
  const Started longer = run(manager, join(request, count_up(1000, 20)));
  EXPECT_EQ(longer.n_cached, 500u);
  manager.finish(longer.id);
  request[490] = 7777;
  EXPECT_EQ(run(manager, request).n_cached, 490u);
}

TEST(Manager, a_sequence_that_does_not_exist_is_a_bug) {
  Manager manager(full_attention(2));
  const Started a = run(manager, count_up(0, 2));
  manager.finish(a.id);
  EXPECT_THROW(manager.length(a.id), Bug);
  EXPECT_THROW(manager.finish(SequenceId{77}), Bug);
}

}  // namespace
}  // namespace puna::kv
