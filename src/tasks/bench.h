// How fast models run here, and what share that is of what the machine could do.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/processor.h"
#include "tasks/progress.h"

namespace puna::tasks {

// Tokens of a prompt, computed at once, and then tokens generated, one after the other; by one sequence or by several together.
struct BenchTest {
  std::int64_t n_prompt = 0;
  std::int64_t n_gen = 0;
  std::int64_t n_parallel = 1;
  std::int64_t n_depth = 0;  // tokens of each sequence that are in the cache beforehand
};
// "pp512", "tg128", "pp512+tg128", with a depth "pp512 @ d4096"
std::string name(const BenchTest& test);

struct BenchSpec {
  // Each is loaded once and runs every test. How many positions and sequences it needs follows from the tests.
  std::vector<engine::Options> engines;
  std::vector<BenchTest> tests;
  int repetitions = 5;
  bool warmup = true;          // each test once beforehand, unmeasured, with one token generated
  bool shared_prompt = false;  // parallel sequences have depth and prompt in common
};

// What a model is, for the table.
struct BenchModel {
  std::string file_name;
  std::string type;  // "qwen2 1.54B Q4_K": the architecture, the parameters, the type of most weights
  std::uint64_t bytes = 0;
  std::uint64_t n_parameters = 0;
};
BenchModel describe_model(const engine::Engine& engine);

// What was measured, in seconds; the first of each list is of the first repetition.
struct BenchRow {
  BenchModel model;
  engine::Options options;  // the engine's, with what was asked for
  std::string isa;
  int n_threads = 0;
  std::int64_t n_ubatch = 0;
  BenchTest test;
  bool shared_prompt = false;
  std::vector<double> prompt_seconds;
  std::vector<double> generation_seconds;
  std::string test_time;  // when it began: "2026-01-31T23:59:00Z"
  engine::Ceilings ceilings;
  double ideal_seconds = 0;  // what the test would take if nothing but the ceilings held it up

  std::int64_t prompt_tokens() const;      // that were computed: a shared prompt counts once
  std::int64_t generation_tokens() const;  // of all sequences together
  std::vector<double> seconds() const;     // of the whole test
  double ceiling_share() const;            // ideal ÷ mean of seconds()
};

struct Spread {
  double mean = 0;
  double deviation = 0;  // of a sample; 0 of a single value
  double median = 0;
};
Spread spread(const std::vector<double>& values);

struct BenchListener {
  std::function<void(const BenchRow&)> on_row;  // as soon as it is complete
  OnProgress progress;                          // in tokens
  std::stop_token stop;
};

// The rows that the spec leads to, engine by engine, test by test: engines × tests. Errors: of loading; a context that does not
// fit; cancelled, when the rows so far have been given.
Result<void> bench(const BenchSpec& spec, const BenchListener& listener);

// What a test takes if only memory and int8 products hold it up: each step reads the weights and what is in the cache, and
// multiplies all weights with each token; the slower of both counts.
double ideal_seconds(const BenchTest& test, const engine::TokenCosts& costs, const engine::Ceilings& ceilings,
                     std::int64_t n_ubatch, bool shared_prompt);

}  // namespace puna::tasks
