#include "tasks/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace puna::tasks {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

engine::Options tiny(const std::string& name) {
  engine::Options options;
  options.model = std::filesystem::path(PUNA_TEST_DATA) / "models" / (name + ".gguf");
  options.n_threads = 1;
  return options;
}

struct Seen {
  std::vector<BenchRow> rows;
  std::vector<Progress> progress;
  std::stop_source stop;
  BenchListener listener() {
    return {.on_row = [this](const BenchRow& row) { rows.push_back(row); },
            .progress = [this](const Progress& p) { progress.push_back(p); },
            .stop = stop.get_token()};
  }
};

TEST(BenchTest, HasANameThatLlamaBenchsUsersKnow) {
  EXPECT_EQ(name({.n_prompt = 512}), "pp512");
  EXPECT_EQ(name({.n_gen = 128}), "tg128");
  EXPECT_EQ(name({.n_prompt = 512, .n_gen = 128, .n_depth = 4096}), "pp512+tg128 @ d4096");
}

TEST(Bench, RowsAreEnginesTimesTests) {
  Seen seen;
  const BenchSpec spec{.engines = {tiny("llama"), tiny("gemma3")},
                       .tests = {{.n_prompt = 16}, {.n_gen = 4, .n_depth = 20}, {.n_prompt = 8, .n_gen = 2, .n_parallel = 3}},
                       .repetitions = 2};
  const auto done = bench(spec, seen.listener());
  ASSERT_TRUE(done.has_value()) << done.error().message;
  ASSERT_EQ(seen.rows.size(), 6u);
  std::vector<std::string> names;
  for (const BenchRow& row : seen.rows)
    names.push_back(row.model.type.substr(0, row.model.type.find(' ')) + " " + name(row.test));
  EXPECT_THAT(names,
              ElementsAre("llama pp16", "llama tg4 @ d20", "llama pp8+tg2", "gemma3 pp16", "gemma3 tg4 @ d20", "gemma3 pp8+tg2"));
  for (const BenchRow& row : seen.rows) {
    EXPECT_EQ(row.prompt_seconds.size(), 2u);
    EXPECT_EQ(row.generation_seconds.size(), 2u);
    EXPECT_GT(row.ceiling_share(), 0);
    EXPECT_EQ(row.n_threads, 1);
  }
  EXPECT_EQ(seen.rows[2].prompt_tokens(), 24);
  EXPECT_EQ(seen.rows[2].generation_tokens(), 6);
}

TEST(Bench, ASharedPromptCountsOnce) {
  Seen seen;
  ASSERT_TRUE(bench({.engines = {tiny("llama")},
                     .tests = {{.n_prompt = 40, .n_gen = 2, .n_parallel = 4}},
                     .repetitions = 1,
                     .shared_prompt = true},
                    seen.listener()));
  EXPECT_EQ(seen.rows.at(0).prompt_tokens(), 40);
  EXPECT_EQ(seen.rows.at(0).generation_tokens(), 8);
}

TEST(Bench, SaysHowFarItIsInTokens) {
  Seen seen;
  ASSERT_TRUE(bench({.engines = {tiny("llama")}, .tests = {{.n_prompt = 16}, {.n_gen = 4}}, .repetitions = 3}, seen.listener()));
  EXPECT_EQ(seen.progress.front().what, "row 1 of 2: pp16");
  EXPECT_EQ(seen.progress.front().done, 0u);
  EXPECT_EQ(seen.progress.back().what, "row 2 of 2: tg4");
  EXPECT_EQ(seen.progress.back().done, 12u);
  EXPECT_EQ(seen.progress.back().total, 12u);
}

TEST(Bench, EndsWithTheRowsSoFarWhenItIsStopped) {
  Seen seen;
  BenchListener listener = seen.listener();
  listener.on_row = [&](const BenchRow& row) {
    seen.rows.push_back(row);
    seen.stop.request_stop();
  };
  const auto done = bench({.engines = {tiny("llama")}, .tests = {{.n_prompt = 16}, {.n_gen = 4}}, .repetitions = 1}, listener);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(seen.rows.size(), 1u);
}

TEST(Bench, RefusesWhatLeavesNothingToMeasure) {
  EXPECT_THAT(bench({.engines = {tiny("llama")}, .tests = {}}, {}).error().message, HasSubstr("nothing to measure"));
  EXPECT_THAT(bench({.engines = {tiny("llama")}, .tests = {{.n_gen = 1}}, .repetitions = 0}, {}).error().message,
              HasSubstr("0 repetitions"));
  EXPECT_THAT(bench({.engines = {tiny("nothing")}, .tests = {{.n_gen = 1}}}, {}).error().message, HasSubstr("nothing.gguf"));
}

TEST(Bench, AContextThatDoesNotFitIsNotAnsweredWithAnOptionThatBenchLacks) {
  const auto done = bench({.engines = {tiny("llama")}, .tests = {{.n_gen = 1, .n_depth = (1 << 28) - 1}}}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().hint, HasSubstr("less depth"));
  EXPECT_THAT(
      bench({.engines = {tiny("llama")}, .tests = {{.n_gen = 1, .n_parallel = 2, .n_depth = 1 << 27}}}, {}).error().message,
      HasSubstr("tg1 @ d134217728: 268435458 tokens"));
}

TEST(BenchModel, IsArchitectureParametersAndTheTypeOfMostWeights) {
  const auto engine = engine::Engine::load(tiny("llama"));
  ASSERT_TRUE(engine.has_value());
  const BenchModel model = describe_model(**engine);
  EXPECT_THAT(model.type, testing::MatchesRegex("llama [0-9.]+K [A-Z0-9_]+"));
  EXPECT_THAT(model.file_name, HasSubstr("llama.gguf"));
  EXPECT_GT(model.n_parameters, 0u);
  EXPECT_LT(model.bytes, std::filesystem::file_size(model.file_name));
}

TEST(Spread, IsMeanDeviationAndMedianOfASample) {
  const Spread four = spread({1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(four.mean, 3);
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_THAT(four.deviation, DoubleNear(2.160247, 1e-6));
  EXPECT_EQ(spread({5}).deviation, 0);
  EXPECT_EQ(spread({}).mean, 0);
}

// 1000 bytes of weights, 1000 products of the body and 100 of the head, 10 bytes of cache for each position; a machine that reads
// 1000 bytes and does 20,000 operations a second.
class Ideal : public testing::Test {
 protected:
  engine::TokenCosts costs{.weight_bytes = 1000, .products = 1000, .head_products = 100, .layers = {{10, 0}}};
  engine::Ceilings ceilings{.isa = "", .n_threads = 1, .read_bytes_per_second = 1000, .int8_ops_per_second = 20000};
};

TEST_F(Ideal, AGeneratedTokenReadsTheWeightsAndTheCache) {
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_gen = 1, .n_depth = 99}, costs, ceilings, 512, false), 2.0);
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_gen = 2, .n_depth = 99}, costs, ceilings, 512, false), 2.0 + 2.01);
}

TEST_F(Ideal, APromptMultipliesEveryWeightWithEveryToken) {
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_prompt = 100}, costs, ceilings, 512, false), (2 * 1000 * 100 + 2 * 100) / 20000.0);
}

TEST_F(Ideal, AShortPromptReadsTheWeightsOnceForEachStep) {
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_prompt = 8}, costs, ceilings, 512, false), 1.0);
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_prompt = 8}, costs, ceilings, 2, false), 4.0);
}

TEST_F(Ideal, SequencesTogetherReadTheWeightsOnce) {
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_gen = 1, .n_parallel = 4, .n_depth = 9}, costs, ceilings, 512, false), 1.4);
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_gen = 1, .n_parallel = 4, .n_depth = 9}, costs, ceilings, 512, true), 1.1);
  EXPECT_DOUBLE_EQ(ideal_seconds({.n_gen = 1, .n_parallel = 40}, costs, ceilings, 512, false), 2 * 1100 * 40 / 20000.0);
}

}  // namespace
}  // namespace puna::tasks
