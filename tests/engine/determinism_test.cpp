// One text has one answer, bit for bit: however it is cut into steps, on however many threads, from a cold cache or a warm
// one, alone or beside others.
#include <algorithm>

#include "backend/cpu/dispatch.h"
#include "engine/memory_plan.h"
#include "engine/state.h"
#include "engine/tiny_models.h"

namespace puna::engine {
namespace {

class Determinism : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::Values("llama", "mistral-window", "gemma3"), [](const auto& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(Determinism, StepSizesAndThreadsCannotBeSeen) {
  const Expected text = expected(GetParam());
  std::vector<std::vector<float>> reference;
  for (const std::int64_t n_ubatch : {512, 1, 7, 8, 33})
    for (const int n_threads : {1, 2, 3}) {
      Options options = tiny_options(GetParam());
      options.n_ubatch = n_ubatch;
      options.n_threads = n_threads;
      const auto rows = all_logits(*load_or_fail(options), text.ids);
      if (reference.empty()) reference = rows;
      EXPECT_EQ(rows, reference) << "-ub " << n_ubatch << " -t " << n_threads;
    }
}

TEST_P(Determinism, MappedOrReadCannotBeSeen) {
  const Expected text = expected(GetParam());
  Options options = tiny_options(GetParam());
  const auto mapped = all_logits(*load_or_fail(options), text.ids);
  options.file.use_mmap = false;
  EXPECT_EQ(all_logits(*load_or_fail(options), text.ids), mapped);
}

TEST_P(Determinism, ACachedPrefixCannotBeSeen) {
  const Expected text = expected(GetParam());
  const auto engine = load_or_fail(tiny_options(GetParam()));
  const Completion cold = complete_or_fail(*engine, greedy(text.ids, 40));
  EXPECT_EQ(cold.timings.n_cached, 0);
  const Completion warm = complete_or_fail(*engine, greedy(text.ids, 40));
  EXPECT_EQ(warm.timings.n_cached, static_cast<std::int64_t>(text.ids.size()) - 1);
  EXPECT_EQ(warm.tokens, cold.tokens);

  std::vector<TokenId> edited = text.ids;
  edited[50] = edited[50] == 5 ? 6 : 5;
  const Completion resumed = complete_or_fail(*engine, greedy(edited, 40));
  EXPECT_GT(resumed.timings.n_cached, 0);
  EXPECT_LE(resumed.timings.n_cached, 50);
  engine->clear_cache();
  EXPECT_EQ(complete_or_fail(*engine, greedy(edited, 40)).tokens, resumed.tokens);
}

TEST_P(Determinism, AnAnswerGoesOnFromItsOwnCache) {
  const Expected text = expected(GetParam());
  const auto engine = load_or_fail(tiny_options(GetParam()));
  const Completion first = complete_or_fail(*engine, greedy(text.ids, 20));
  std::vector<TokenId> longer = text.ids;
  longer.insert(longer.end(), first.tokens.begin(), first.tokens.end());
  longer.push_back(7);
  const Completion second = complete_or_fail(*engine, greedy(longer, 5));
  EXPECT_GE(second.timings.n_cached, static_cast<std::int64_t>(text.ids.size() + first.tokens.size()) - 1);
}

// Runs sequences side by side through the runner, as a server will.
class SideBySide {
 public:
  explicit SideBySide(const std::string& name)
      : threads_(2, 2, {}), backend_(*backend::cpu::choose_table().value(), threads_, false) {
    model_ = std::make_unique<model::Model>(model::load(gguf::File::open(tiny_path(name)).value()).value());
    const Lowered lowered = run_passes(*model_, backend_, {});
    kv::Spec spec = cache_spec(*model_, 256, 64);
    for (kv::LayerGroup& group : spec.groups) group.n_blocks = 600;
    cache_ = std::make_unique<kv::Manager>(spec);
    store_ = KvStore::make(model_->body.graph.stores, spec, {}).value();
    runner_ = std::make_unique<Runner>(Runner::make(*model_, lowered, backend_, {.n_ubatch = 2048}).value());
  }

  kv::Manager& cache() { return *cache_; }

  // Logits of every token of every part.
  std::vector<std::vector<float>> step(std::vector<std::pair<kv::SequenceId, std::vector<TokenId>>> parts) {
    StepPlan plan;
    for (auto& [id, tokens] : parts) {
      StepSequence& part = plan.sequences.emplace_back(StepSequence{id, std::move(tokens), {}});
      for (std::size_t i = 0; i < part.tokens.size(); ++i) part.output_rows.push_back(static_cast<std::int32_t>(i));
    }
    std::vector<std::vector<float>> rows;
    const auto n_vocab = static_cast<std::size_t>(model_->hparams.n_vocab);
    EXPECT_TRUE(runner_->step(plan, *cache_, store_, [&](std::int64_t, std::span<const float> logits) {
      for (std::size_t i = 0; i < logits.size(); i += n_vocab)
        rows.emplace_back(logits.begin() + i, logits.begin() + i + n_vocab);
    }));
    return rows;
  }

  kv::SequenceId start(std::span<const TokenId> tokens, std::size_t max_reuse = 0) {
    const kv::Start start = cache_->start(tokens, max_reuse);
    store_.run(start.copies);
    return start.id;
  }

 private:
  backend::cpu::Threads threads_;
  backend::cpu::CpuBackend backend_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<kv::Manager> cache_;
  KvStore store_;
  std::unique_ptr<Runner> runner_;
};

TEST_P(Determinism, CompanyCannotBeSeen) {
  const std::vector<TokenId> text = expected(GetParam()).ids;
  const auto alone = all_logits(*load_or_fail(tiny_options(GetParam())), text);
  SideBySide engine(GetParam());
  std::vector<std::pair<kv::SequenceId, std::vector<TokenId>>> parts;
  std::vector<std::size_t> copies;  // first row of each copy of the text
  std::size_t n_rows = 0;
  for (TokenId i = 0; i < 38; ++i) {  // eight copies among thirty others
    std::vector<TokenId> own = text;
    if (i % 5 != 0) std::ranges::rotate(own, own.begin() + 1 + i), own.resize(static_cast<std::size_t>(9 + i));
    if (i % 5 == 0) copies.push_back(n_rows);
    n_rows += own.size();
    const kv::SequenceId id = engine.start(own);
    parts.emplace_back(id, std::move(own));
  }
  ASSERT_EQ(copies.size(), 8u);
  const auto rows = engine.step(std::move(parts));
  for (std::size_t first : copies)
    for (std::size_t i = 0; i < text.size(); ++i)
      ASSERT_EQ(rows[first + i], alone[i]) << "copy at row " << first << ", token " << i;
}

TEST_P(Determinism, AForkGoesItsOwnWay) {
  const std::vector<TokenId> text = expected(GetParam()).ids;
  std::vector<TokenId> other = text;
  other.back() = other.back() == 3 ? 4 : 3;
  const auto engine = load_or_fail(tiny_options(GetParam()));
  const auto want = all_logits(*engine, text), want_other = all_logits(*engine, other);

  SideBySide both(GetParam());
  const std::vector<TokenId> start(text.begin(), text.end() - 1);
  const kv::SequenceId first = both.start(start);
  both.step({{first, start}});
  const kv::SequenceId second = both.cache().fork(first);
  const auto rows = both.step({{first, {text.back()}}, {second, {other.back()}}});
  EXPECT_EQ(rows[0], want.back());
  EXPECT_EQ(rows[1], want_other.back());
}

}  // namespace
}  // namespace puna::engine
