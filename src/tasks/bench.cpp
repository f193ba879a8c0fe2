#include "tasks/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <numeric>

#include "base/check.h"

namespace puna::tasks {
namespace {

using engine::Ceilings;
using engine::Engine;
using engine::TokenCosts;

constexpr std::int64_t kMostPositions = std::int64_t{1} << 28;

// One step of `n_tokens`, of which the last `n_heads` are asked for logits, that reads `cache_bytes` of keys and values.
double step_seconds(const TokenCosts& costs, const Ceilings& ceilings, std::int64_t n_tokens, std::int64_t n_heads,
                    double cache_bytes) {
  const double bytes = static_cast<double>(costs.weight_bytes) + cache_bytes;
  const double operations = 2 * (static_cast<double>(costs.products) * static_cast<double>(n_tokens) +
                                 static_cast<double>(costs.head_products) * static_cast<double>(n_heads));
  const double reading = ceilings.read_bytes_per_second > 0 ? bytes / ceilings.read_bytes_per_second : 0;
  const double computing = ceilings.int8_ops_per_second > 0 ? operations / ceilings.int8_ops_per_second : 0;
  return std::max(reading, computing);
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string parameters_text(std::uint64_t n) {
  const double count = static_cast<double>(n);
  if (n >= 1'000'000'000) return fmt::format("{:.2f}B", count / 1e9);
  if (n >= 1'000'000) return fmt::format("{:.2f}M", count / 1e6);
  return fmt::format("{:.2f}K", count / 1e3);
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Tokens that an engine generates before its first test: by then the weights lie as the kernels like them.
constexpr std::int64_t kWarmupTokens = 32;

std::int64_t positions_of(const BenchTest& test) { return test.n_parallel * (test.n_depth + test.n_prompt + test.n_gen); }

// The engine as the tests need it: its cache has room for the largest of them.
engine::Options sized(engine::Options options, const std::vector<BenchTest>& tests) {
  options.n_ctx = kWarmupTokens;
  options.n_sequences = 1;
  for (const BenchTest& test : tests) {
    options.n_sequences = std::max(options.n_sequences, test.n_parallel);
    options.n_ctx = std::max(options.n_ctx, positions_of(test));
  }
  return options;
}

// The tests of one engine, one row after the other.
class Bench {
 public:
  Bench(const BenchSpec& spec, const BenchListener& listener, Ceilings ceilings)
      : spec_(spec), listener_(listener), ceilings_(std::move(ceilings)) {}

  Result<void> run(const engine::Options& options) {
    auto loaded = Engine::load(sized(options, spec_.tests));
    if (!loaded && loaded.error().kind == ErrorKind::out_of_memory)
      return std::unexpected(std::move(loaded).error().with_hint("take fewer tokens, less depth or fewer sequences"));
    const std::unique_ptr<Engine> engine = PUNA_TRY(std::move(loaded));
    const BenchModel model = describe_model(*engine);
    const TokenCosts costs = engine->token_costs();
    if (spec_.warmup) PUNA_TRY(engine->time_tokens({.n_gen = kWarmupTokens}, listener_.stop));
    for (const BenchTest& test : spec_.tests) {
      ++n_rows_;
      BenchRow row{.model = model,
                   .options = options,
                   .isa = engine->isa(),
                   .n_threads = engine->n_threads(),
                   .n_ubatch = engine->n_ubatch(),
                   .test = test,
                   .shared_prompt = spec_.shared_prompt,
                   .prompt_seconds = {},
                   .generation_seconds = {},
                   .test_time = now_text(),
                   .ceilings = ceilings_,
                   .ideal_seconds = ideal_seconds(test, costs, ceilings_, engine->n_ubatch(), spec_.shared_prompt)};
      PUNA_TRY(measure(*engine, row));
      if (listener_.on_row) listener_.on_row(row);
    }
    return {};
  }

 private:
  Result<void> measure(Engine& engine, BenchRow& row) {
    const BenchTest& test = row.test;
    const std::string what = fmt::format("row {} of {}: {}", n_rows_, spec_.engines.size() * spec_.tests.size(), name(test));
    const auto report = [&](int n_done) {
      if (!listener_.progress) return;
      const auto tokens = static_cast<std::uint64_t>(test.n_parallel * (test.n_prompt + test.n_gen));
      listener_.progress(
          {what, tokens * static_cast<std::uint64_t>(n_done), tokens * static_cast<std::uint64_t>(spec_.repetitions)});
    };
    engine::TokenTiming timing{.n_sequences = 1,
                               .n_depth = test.n_depth,
                               .n_prompt = test.n_prompt,
                               .n_gen = std::min<std::int64_t>(test.n_gen, 1),
                               .shared_prompt = spec_.shared_prompt};
    report(0);
    if (spec_.warmup) PUNA_TRY(engine.time_tokens(timing, listener_.stop));
    timing.n_sequences = test.n_parallel;
    timing.n_gen = test.n_gen;
    for (int i = 0; i < spec_.repetitions; ++i) {
      timing.seed = ++seed_;
      const engine::TokenTimes times = PUNA_TRY(engine.time_tokens(timing, listener_.stop));
      row.prompt_seconds.push_back(times.prompt_seconds);
      row.generation_seconds.push_back(times.generation_seconds);
      report(i + 1);
    }
    return {};
  }

  const BenchSpec& spec_;
  const BenchListener& listener_;
  Ceilings ceilings_;
  std::size_t n_rows_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace

std::string name(const BenchTest& test) {
  std::string text;
  if (test.n_prompt > 0) text = fmt::format("pp{}", test.n_prompt);
  if (test.n_gen > 0) text += fmt::format("{}tg{}", text.empty() ? "" : "+", test.n_gen);
  if (test.n_depth > 0) text += fmt::format(" @ d{}", test.n_depth);
  return text;
}

BenchModel describe_model(const Engine& engine) {
  BenchModel model;
  model.file_name = engine.file().name();
  std::map<std::string_view, std::uint64_t> by_type;
  for (const gguf::TensorInfo& tensor : engine.file().tensors()) {
    std::uint64_t n = 1;
    for (const std::int64_t size : tensor.ne) n *= static_cast<std::uint64_t>(size);
    model.n_parameters += n;
    model.bytes += tensor.bytes;
    by_type[tensor::name(tensor.dtype)] += tensor.bytes;
  }
  const auto most = std::ranges::max_element(by_type, {}, [](const auto& entry) { return entry.second; });
  model.type = fmt::format("{} {} {}", engine.architecture(), parameters_text(model.n_parameters),
                           most == by_type.end() ? std::string_view{} : most->first);
  return model;
}

std::int64_t BenchRow::prompt_tokens() const { return test.n_prompt * (shared_prompt ? 1 : test.n_parallel); }
std::int64_t BenchRow::generation_tokens() const { return test.n_gen * test.n_parallel; }

std::vector<double> BenchRow::seconds() const {
  std::vector<double> sums;
  for (std::size_t i = 0; i < prompt_seconds.size(); ++i)
    sums.push_back((test.n_prompt > 0 ? prompt_seconds[i] : 0) + (test.n_gen > 0 ? generation_seconds[i] : 0));
  return sums;
}

double BenchRow::ceiling_share() const {
  const double found = mean(seconds());
  return found > 0 ? ideal_seconds / found : 0;
}

Spread spread(const std::vector<double>& values) {
  if (values.empty()) return {};
  Spread found{.mean = mean(values), .deviation = 0, .median = 0};
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  if (values.size() > 1) found.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  found.median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return found;
}

double ideal_seconds(const BenchTest& test, const TokenCosts& costs, const Ceilings& ceilings, std::int64_t n_ubatch,
                     bool shared_prompt) {
  PUNA_CHECK(n_ubatch > 0);
  double seconds = 0;
  const std::int64_t n_prompts = shared_prompt ? 1 : test.n_parallel;
  // The keys and values that a prompt's rows read are shared by the rows of a step; beside the weights they do not count.
  for (std::int64_t left = n_prompts * test.n_prompt; left > 0; left -= n_ubatch) {
    const bool is_last = left <= n_ubatch;
    seconds += step_seconds(costs, ceilings, std::min(left, n_ubatch), is_last ? n_prompts : 0, 0);
  }
  for (std::int64_t i = 0; i < test.n_gen; ++i) {
    // What sequences have in common may be read once for all of them.
    const double cache_bytes = static_cast<double>(costs.cache_bytes(test.n_depth + test.n_prompt + i));
    for (std::int64_t left = test.n_parallel; left > 0; left -= n_ubatch) {
      const std::int64_t n = std::min(left, n_ubatch);
      seconds += step_seconds(costs, ceilings, n, n, cache_bytes * static_cast<double>(shared_prompt ? 1 : n));
    }
  }
  return seconds;
}

Result<void> bench(const BenchSpec& spec, const BenchListener& listener) {
  if (spec.engines.empty() || spec.tests.empty()) return fail("nothing to measure: no tokens to compute");
  if (spec.repetitions < 1) return fail("{} repetitions, wanted at least 1", spec.repetitions);
  for (const BenchTest& test : spec.tests)
    if (positions_of(test) > kMostPositions)
      return fail("{}: {} tokens in all, at most {} fit into a cache", name(test), positions_of(test), kMostPositions);
  Ceilings ceilings = PUNA_TRY(engine::measure_ceilings(spec.engines.front().isa));
  Bench run(spec, listener, std::move(ceilings));
  for (const engine::Options& options : spec.engines) PUNA_TRY(run.run(options));
  return {};
}

}  // namespace puna::tasks
