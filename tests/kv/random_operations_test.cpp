// Long random lives of many sequences against a model that knows nothing of blocks: every sequence must always read its
// own rows, and nobody else's.
#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <random>
#include <set>

#include "kv/fake_memory.h"
#include "kv/manager.h"

namespace puna::kv {
namespace {

class World {
 public:
  World(const Spec& spec, unsigned seed) : manager_(spec), memory_(spec), random_(seed) {}

  void run(int n_operations) {
    for (int i = 0; i < n_operations && !testing::Test::HasFatalFailure(); ++i) {
      switch (pick(10)) {
        case 0:
        case 1:
          start();
          break;
        case 2:
          fork();
          break;
        case 3:
          truncate();
          break;
        case 4:
          finish();
          break;
        case 5:
          if (pick(40) == 0) manager_.clear_cache();
          break;
        default:
          step();
      }
      check();
    }
  }

  void end() {
    while (!alive_.empty()) finish_first();
    for (std::size_t g = 0; g < manager_.spec().groups.size(); ++g) {
      const GroupUsage usage = manager_.usage(g);
      EXPECT_EQ(usage.pinned, 0u);
      EXPECT_EQ(usage.cached + usage.free, manager_.spec().groups[g].n_blocks);
    }
    manager_.clear_cache();
    for (std::size_t g = 0; g < manager_.spec().groups.size(); ++g) {
      EXPECT_EQ(manager_.usage(g).free, manager_.spec().groups[g].n_blocks);
    }
  }

  int n_refused = 0;
  int n_steps = 0;
  std::uint64_t n_reused = 0;

 private:
  struct Alive {
    SequenceId id;
    std::uint64_t key = 0;
    std::vector<TokenId> tokens;  // what the sequence must consist of
    std::uint32_t n_computed = 0;
  };

  std::size_t pick(std::size_t n) { return random_() % n; }

  // Few different tokens, and often the beginning of an earlier text, so that much is shared and much parts ways.
  std::vector<TokenId> some_text() {
    std::vector<TokenId> text;
    if (!texts_.empty() && pick(4) > 0) {
      const auto& earlier = texts_[pick(texts_.size())];
      text.assign(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(pick(earlier.size() + 1)));
    }
    const std::size_t n = 1 + pick(20);
    for (std::size_t i = 0; i < n; ++i) text.push_back(static_cast<TokenId>(pick(3)));
    return text;
  }

  void remember(const std::vector<TokenId>& text) {
    if (texts_.size() < 30) {
      texts_.push_back(text);
    } else {
      texts_[pick(30)] = text;
    }
  }

  void start() {
    if (alive_.size() >= 6) return;
    const std::vector<TokenId> text = some_text();
    Alive alive{.id = {}, .key = pick(2), .tokens = {}, .n_computed = 0};
    const Start start = manager_.start(text, text.size() - 1, alive.key);
    memory_.run(start.copies);
    ASSERT_LT(start.n_cached, text.size());
    n_reused += start.n_cached;
    alive.id = start.id;
    alive.tokens.assign(text.begin(), text.begin() + start.n_cached);
    alive.n_computed = start.n_cached;
    alive_.push_back(alive);
    waiting_[start.id.value].assign(text.begin() + start.n_cached, text.end());
    remember(text);
  }

  void fork() {
    if (alive_.empty() || alive_.size() >= 6) return;
    Alive copy = alive_[pick(alive_.size())];
    copy.id = manager_.fork(copy.id);
    alive_.push_back(copy);
  }

  void truncate() {
    if (alive_.empty()) return;
    Alive& alive = alive_[pick(alive_.size())];
    const auto wanted = static_cast<std::uint32_t>(pick(alive.tokens.size() + 1));
    const std::uint32_t n = manager_.truncate(alive.id, wanted);
    ASSERT_LE(n, wanted);
    alive.tokens.resize(n);
    alive.n_computed = n;
    waiting_.erase(alive.id.value);
  }

  void finish_first() {
    manager_.finish(alive_.front().id);
    waiting_.erase(alive_.front().id.value);
    alive_.erase(alive_.begin());
  }

  void finish() {
    if (alive_.empty()) return;
    std::swap(alive_.front(), alive_[pick(alive_.size())]);
    remember(alive_.front().tokens);
    if (texts_.back().empty()) texts_.back().push_back(1);
    finish_first();
  }

  // As an engine does it: room for all sequences of the step first, then all copies, then the writes, then the commits.
  void step() {
    std::vector<Copy> copies;
    std::vector<Alive*> in_step;
    for (Alive& alive : alive_) {
      if (pick(4) == 0) continue;
      std::vector<TokenId>& waiting = waiting_[alive.id.value];
      if (waiting.empty()) waiting.push_back(static_cast<TokenId>(pick(3)));
      const std::vector<TokenId> chunk(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(1 + pick(waiting.size())));
      const auto more = manager_.extend(alive.id, chunk);
      if (!more) {
        ASSERT_EQ(more.error().kind, ErrorKind::out_of_memory);
        ++n_refused;
        continue;
      }
      copies.insert(copies.end(), more->begin(), more->end());
      alive.tokens.insert(alive.tokens.end(), chunk.begin(), chunk.end());
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(chunk.size()));
      in_step.push_back(&alive);
    }
    memory_.run(copies);
    for (Alive* alive : in_step) memory_.compute(manager_, alive->id, alive->key, alive->n_computed);
    for (Alive* alive : in_step) {
      const auto length = static_cast<std::uint32_t>(alive->tokens.size());
      for (std::uint32_t p = alive->n_computed; p < length; ++p)
        memory_.expect_readable(manager_, alive->id, alive->key, p, p + 1);
      // Sometimes a draft is taken back before it counts.
      if (pick(5) == 0) {
        const auto kept = alive->n_computed + static_cast<std::uint32_t>(pick(length - alive->n_computed + 1));
        ASSERT_EQ(manager_.truncate(alive->id, kept), kept);
        alive->tokens.resize(kept);
        waiting_.erase(alive->id.value);
      }
      alive->n_computed = static_cast<std::uint32_t>(alive->tokens.size());
      manager_.commit(alive->id);
      ++n_steps;
    }
  }

  void check() {
    for (const Alive& alive : alive_) {
      const auto tokens = manager_.tokens(alive.id);
      ASSERT_TRUE(std::equal(tokens.begin(), tokens.end(), alive.tokens.begin(), alive.tokens.end()));
      memory_.expect_readable(manager_, alive.id, alive.key, alive.n_computed, alive.n_computed);
    }
    for (std::size_t g = 0; g < manager_.spec().groups.size(); ++g) {
      std::set<BlockId> held;
      for (const Alive& alive : alive_) {
        for (const BlockId block : manager_.blocks(alive.id, g)) {
          if (block != kNoBlock) held.insert(block);
        }
      }
      const GroupUsage usage = manager_.usage(g);
      ASSERT_EQ(usage.pinned, held.size());
      ASSERT_EQ(usage.pinned + usage.cached + usage.free, manager_.spec().groups[g].n_blocks);
    }
  }

  Manager manager_;
  FakeMemory memory_;
  std::mt19937 random_;
  std::vector<Alive> alive_;
  std::map<std::uint32_t, std::vector<TokenId>> waiting_;  // by sequence: tokens of its prompt not yet given
  std::vector<std::vector<TokenId>> texts_;
};

struct Case {
  const char* name;
  Spec spec;
};
void PrintTo(const Case& spec_case, std::ostream* out) { *out << spec_case.name; }

class RandomOperations : public testing::TestWithParam<Case> {};

TEST_P(RandomOperations, every_sequence_always_reads_its_own_rows_and_the_books_balance) {
  int n_refused = 0;
  int n_steps = 0;
  std::uint64_t n_reused = 0;
  for (unsigned seed = 1; seed <= 12 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    World world(GetParam().spec, seed);
    world.run(1500);
    world.end();
    n_refused += world.n_refused;
    n_steps += world.n_steps;
    n_reused += world.n_reused;
  }
  EXPECT_GT(n_steps, 1000) << "the test must really do something";
  EXPECT_GT(n_reused, 500u);
  EXPECT_GT(n_refused, 10) << "and meet a full pool";
}

INSTANTIATE_TEST_SUITE_P(
    Specs, RandomOperations,
    testing::Values(Case{"full", {.block_tokens = 4, .groups = {{"full", 0, 40}}}},
                    Case{"single_token_blocks", {.block_tokens = 1, .groups = {{"full", 0, 90}, {"window", 3, 40}}}},
                    Case{"two_full", {.block_tokens = 8, .groups = {{"a", 0, 22}, {"b", 0, 18}}}},
                    Case{"full_and_window", {.block_tokens = 4, .groups = {{"full", 0, 48}, {"window", 7, 24}}}},
                    Case{"windows_only", {.block_tokens = 4, .groups = {{"wide", 13, 26}, {"narrow", 1, 14}}}},
                    Case{"all_kinds", {.block_tokens = 4, .groups = {{"full", 0, 44}, {"wide", 16, 30}, {"narrow", 2, 16}}}}),
    [](const auto& spec_case) { return std::string(spec_case.param.name); });

// With room for everything, what is found is exactly the longest beginning that any earlier sequence left.
TEST(LongestMatch, equals_a_search_through_all_texts) {
  std::mt19937 random(3);
  Manager manager({.block_tokens = 4, .groups = {{"full", 0, 60000}}});
  std::vector<std::vector<TokenId>> finished;
  for (int i = 0; i < 1500; ++i) {
    std::vector<TokenId> text;
    if (!finished.empty()) {
      const auto& earlier = finished[random() % finished.size()];
      text.assign(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(random() % earlier.size()));
    }
    const std::size_t n = 1 + random() % 9;
    for (std::size_t k = 0; k < n; ++k) text.push_back(static_cast<TokenId>(random() % 4));
    const std::size_t max_reuse = random() % 2 == 0 ? text.size() - 1 : random() % (text.size() + 1);
    std::size_t longest = 0;
    for (const auto& earlier : finished) longest = std::max<std::size_t>(longest, common_prefix(earlier, text));
    const Start start = manager.start(text, max_reuse);
    ASSERT_EQ(start.n_cached, std::min(longest, max_reuse)) << "text " << i;
    ASSERT_TRUE(manager.extend(start.id, std::span(text).subspan(start.n_cached)));
    manager.commit(start.id);
    manager.finish(start.id);
    finished.push_back(text);
  }
}

// The processor's time and not the clock's: other tests run meanwhile.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double seconds_for_prompt(std::uint32_t n_tokens) {
  Manager manager({.block_tokens = 32, .groups = {{"full", 0, n_tokens / 32 + 2}, {"window", 512, 64}}});
  std::vector<TokenId> text(n_tokens, 7);  // all blocks alike: the worst for any search that mistakes one for another
  const double begin = cpu_seconds();
  for (int round = 0; round < 2; ++round) {
    const Start start = manager.start(text, text.size() - 1);
    for (std::uint32_t at = start.n_cached; at < n_tokens; at += 512) {
      const auto chunk = std::span(text).subspan(at, std::min<std::size_t>(512, n_tokens - at));
      EXPECT_TRUE(manager.extend(start.id, chunk));
      manager.commit(start.id);
    }
    EXPECT_EQ(start.n_cached, round == 0 ? 0 : n_tokens - 1);
    manager.finish(start.id);
  }
  return cpu_seconds() - begin;
}

TEST(Growth, a_prompt_ten_times_as_long_takes_about_ten_times_the_time) {
  seconds_for_prompt(100'000);
  const double small = seconds_for_prompt(100'000);
  const double large = seconds_for_prompt(1'000'000);
  EXPECT_LT(large, 40 * small + 0.05) << small << " s, then " << large << " s";
}

TEST(Growth, many_texts_that_part_after_the_same_beginning_are_found_without_looking_at_all) {
  const std::uint32_t n_texts = 20'000;
  Manager manager({.block_tokens = 32, .groups = {{"full", 0, 3 * n_texts}}});
  std::vector<TokenId> text(64, 1);
  const double begin = cpu_seconds();
  for (std::uint32_t i = 0; i < n_texts; ++i) {
    text[40] = static_cast<TokenId>(i);
    const Start start = manager.start(text, text.size() - 1);
    ASSERT_TRUE(manager.extend(start.id, std::span(text).subspan(start.n_cached)));
    manager.commit(start.id);
    manager.finish(start.id);
    ASSERT_EQ(start.n_cached, i == 0 ? 0u : 40u);
  }
  EXPECT_LT(cpu_seconds() - begin, 5.0);
}

}  // namespace
}  // namespace puna::kv
