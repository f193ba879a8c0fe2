// puna bench: how fast models run here.
#include <fmt/ranges.h>

#include <functional>
#include <utility>

#include "cli/bench_report.h"
#include "cli/commands.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "gguf/reader.h"

namespace puna::cli {
namespace {

using Numbers = std::vector<std::int64_t>;

struct BenchOptions {
  std::vector<std::string> models;
  ModelOptions hub;  // how they are brought here; its model stays empty
  EngineOptions engine;
  Numbers n_prompt{512}, n_gen{128}, n_depth{0}, n_parallel;
  std::vector<std::pair<std::int64_t, std::int64_t>> prompt_and_gen;
  Numbers n_threads{0}, n_batch{2048}, n_ubatch{512};
  std::vector<tensor::DType> cache_k{tensor::DType::F16}, cache_v{tensor::DType::F16};
  int repetitions = 5;
  bool warmup = true;
  bool shared_prompt = false;
  std::string format = "md";
};

constexpr std::int64_t kMostTokens = 1 << 24;
constexpr std::int64_t kMostParallel = 4096;

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// "1,2,4": the first use takes the default's place, each further one adds.
template <class T>
Setter list_of(std::vector<T>& target, std::function<Result<T>(std::string_view)> read) {
  return [&target, read = std::move(read), is_first = true](std::string_view text) mutable -> Result<void> {
    if (std::exchange(is_first, false)) target.clear();
    for (const std::string_view part : parts_of(text)) target.push_back(PUNA_TRY(read(part)));
    return {};
  };
}
Setter numbers(Numbers& target, std::int64_t least, std::int64_t most) {
  return list_of<std::int64_t>(target, [least, most](std::string_view text) { return parse_integer(text, least, most); });
}
Setter cache_types(std::vector<tensor::DType>& target) {
  return list_of<tensor::DType>(target, [](std::string_view text) { return engine::cache_type_named(text); });
}

Setter prompt_and_gen(std::vector<std::pair<std::int64_t, std::int64_t>>& target) {
  return [&target](std::string_view text) -> Result<void> {
    const std::vector<std::string_view> parts = parts_of(text);
    if (parts.size() != 2) return fail("'{}' is no pair: wanted PROMPT,GEN, as 512,128", text);
    const std::int64_t n_prompt = PUNA_TRY(parse_integer(parts[0], 1, kMostTokens));
    target.emplace_back(n_prompt, PUNA_TRY(parse_integer(parts[1], 1, kMostTokens)));
    return {};
  };
}

Setter models(std::vector<std::string>& target, std::string prefix = {}) {
  return [&target, prefix](std::string_view text) -> Result<void> {
    for (const std::string_view part : parts_of(text)) {
      if (part.empty()) return fail("a model's name may not be empty");
      target.push_back(prefix.empty() || part.starts_with(prefix) ? std::string(part) : prefix + std::string(part));
    }
    return {};
  };
}

void add_test_options(Table& table, BenchOptions& options) {
  table.group("Tests; lists are made with commas, and every combination is measured");
  table.add("-p, --n-prompt LIST", "tokens of a prompt, computed at once (default 512; 0: no such test)",
            numbers(options.n_prompt, 0, kMostTokens));
  table.add("-n, --n-gen LIST", "tokens generated one after the other, without a prompt (default 128; 0: no such test)",
            numbers(options.n_gen, 0, kMostTokens));
  table.add("-pg, --prompt-gen PROMPT,GEN", "both in one test, as an answer is made; may be repeated",
            prompt_and_gen(options.prompt_and_gen));
  table.add("-d, --n-depth LIST", "tokens that are in the cache before a test begins (default 0)",
            numbers(options.n_depth, 0, kMostTokens));
  table.add("--parallel LIST",
            "so many sequences together, each with a prompt of -p tokens and then -n tokens: prompt, generation and total speed",
            numbers(options.n_parallel, 1, kMostParallel));
  table.add("--shared-prompt", "with --parallel: one prompt for all, computed once", flag(options.shared_prompt));
  table.add("-r, --repetitions N", "how often each test is measured (default 5)", into(options.repetitions, 1, 10000));
  table.add("--no-warmup", "measure at once, instead of running each test unmeasured before", flag(options.warmup, false));
}

void add_setting_options(Table& table, BenchOptions& options) {
  table.group("Settings; lists here too");
  table.add("-t, --threads LIST", "threads (default, or 0: one for each physical core this process may use)",
            numbers(options.n_threads, -1, 1024));
  table.add("-b, --batch-size LIST", "tokens submitted together at most (default 2048)", numbers(options.n_batch, 1, 1 << 20));
  table.add("-ub, --ubatch-size LIST", "tokens computed in one step at most (default 512)",
            numbers(options.n_ubatch, 1, 1 << 16));
  table.add("-ctk, --cache-type-k LIST",
            fmt::format("keys in the cache: {} (default f16)", fmt::join(engine::cache_type_names(), ", ")),
            cache_types(options.cache_k));
  table.add("-ctv, --cache-type-v LIST", "values in the cache: the same types, each for itself (default f16)",
            cache_types(options.cache_v));
  table.add("-mmp, --mmap 0|1", "0: read the file into memory instead of mapping it (default 1)",
            [&file = options.engine.engine.file](std::string_view text) -> Result<void> {
              file.use_mmap = PUNA_TRY(parse_integer(text, 0, 1))
              == 1;
              return {};
            });
  for (const char* spelled :
       {"-ngl, --n-gpu-layers LIST", "-fa, --flash-attn LIST", "-sm, --split-mode LIST", "-mg, --main-gpu LIST",
        "-nkvo, --no-kv-offload LIST", "-ts, --tensor-split LIST", "-dev, --device LIST", "-ncmoe, --n-cpu-moe LIST",
        "-ot, --override-tensor LIST", "-embd, --embeddings LIST", "-nopo, --no-op-offload LIST", "--no-host LIST", "--numa TYPE",
        "--prio N", "--poll LIST", "--cpu-strict LIST", "--progress"})
    table.add(spelled, "", {});
}

Table make_table(BenchOptions& options, Console& console) {
  Table table("bench", "How fast models run here: tokens per second, and what share that is of what the machine could do.",
              "[MODEL…] [options]",
              "puna bench model.gguf\n"
              "puna bench -m model.gguf -p 512 -n 128 -d 0,4096 -t 1,2\n"
              "puna bench model.gguf -p 0 -n 64 -r 3 -o json\n"
              "puna bench model.gguf -p 128 -n 64 --parallel 1,4,16,64 --shared-prompt");
  table.positional("MODEL…", "a GGUF file, a name that puna list shows, hf:org/repo[:file], or a URL; may be several",
                   models(options.models));
  table.group("Models");
  table.add("-m, --model LIST", "the same as MODEL", models(options.models));
  table.add("-hf, -hfr, --hf-repo ORG/REPO[:QUANT]", "a Hugging Face repository", models(options.models, "hf:"));
  table.add("-hft, --hf-token TOKEN", "sent to the hub's host only (default: HF_TOKEN)", into(options.hub.hub_token));
  table.add("--offline", "never ask the network", flag(options.hub.offline));
  add_test_options(table, options);
  add_setting_options(table, options);
  table.group("Output");
  table.add("-o, --output FORMAT", "md: a table (default); json, csv: for scripts",
            one_of(options.format, {"md", "json", "csv"}));
  add_general_options(table, console);
  return table;
}

std::vector<tasks::BenchTest> tests_of(const BenchOptions& options) {
  std::vector<tasks::BenchTest> tests;
  for (const std::int64_t depth : options.n_depth) {
    if (!options.n_parallel.empty()) {
      for (const std::int64_t n_prompt : options.n_prompt)
        for (const std::int64_t n_gen : options.n_gen)
          for (const std::int64_t n_parallel : options.n_parallel)
            if (n_prompt + n_gen > 0) tests.push_back({n_prompt, n_gen, n_parallel, depth});
      continue;
    }
    for (const std::int64_t n : options.n_prompt)
      if (n > 0) tests.push_back({.n_prompt = n, .n_depth = depth});
    for (const std::int64_t n : options.n_gen)
      if (n > 0) tests.push_back({.n_gen = n, .n_depth = depth});
    for (const auto& [n_prompt, n_gen] : options.prompt_and_gen)
      tests.push_back({.n_prompt = n_prompt, .n_gen = n_gen, .n_depth = depth});
  }
  return tests;
}

// Every combination of settings, the model's file left open.
Result<std::vector<engine::Options>> settings_of(const BenchOptions& options) {
  std::vector<engine::Options> all;
  for (const std::int64_t n_batch : options.n_batch)
    for (const std::int64_t n_ubatch : options.n_ubatch)
      for (const tensor::DType type_k : options.cache_k)
        for (const tensor::DType type_v : options.cache_v)
          for (const std::int64_t n_threads : options.n_threads) {
            EngineOptions one = options.engine;
            one.engine.n_batch = n_batch;
            one.engine.n_ubatch = n_ubatch;
            one.engine.n_threads = static_cast<int>(n_threads);
            one.engine.cache = {type_k, type_v};
            all.push_back(PUNA_TRY(finish(one)));
          }
  return all;
}

Result<void> check(const BenchOptions& options) {
  if (options.shared_prompt && options.n_parallel.empty()) return fail("--shared-prompt wants --parallel with it");
  if (!options.prompt_and_gen.empty() && !options.n_parallel.empty())
    return fail("-pg and --parallel: leave one out (--parallel takes -p and -n)");
  if (tests_of(options).empty())
    return std::unexpected(error(ErrorKind::invalid, "-p 0 and -n 0 leave nothing to measure").with_hint("-p 512, or -n 128"));
  return {};
}

Result<tasks::BenchSpec> spec_of(Console& console, const BenchOptions& options, std::vector<engine::Options> settings) {
  tasks::BenchSpec spec{.engines = {},
                        .tests = tests_of(options),
                        .repetitions = options.repetitions,
                        .warmup = options.warmup,
                        .shared_prompt = options.shared_prompt};
  const std::vector<std::string> unnamed{""};
  for (const std::string& model : options.models.empty() ? unnamed : options.models) {
    ModelOptions one = options.hub;
    one.model = model;
    const std::filesystem::path path = PUNA_TRY(obtain_model(console, one));
    PUNA_TRY(gguf::File::open(path, options.engine.engine.file));  // a bad one is told now, not after the others' minutes
    for (engine::Options engine : settings) {
      engine.model = path;
      spec.engines.push_back(std::move(engine));
    }
  }
  return spec;
}

}  // namespace

Table bench_table() {
  static BenchOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_bench(Console& console, Words words) {
  BenchOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  if (auto valid = check(options); !valid) return refuse(console, valid.error());
  Result<std::vector<engine::Options>> settings = settings_of(options);
  if (!settings) return refuse(console, settings.error());
  const tasks::BenchSpec spec = PUNA_TRY(spec_of(console, options, *std::move(settings)));

  const BenchFormat format = options.format == "json"  ? BenchFormat::json
                             : options.format == "csv" ? BenchFormat::csv
                                                       : BenchFormat::md;
  BenchReport report(format, spec);
  Progress progress(console, Unit::tokens, std::chrono::milliseconds(500));
  Interruptible interruptible;
  const Result<void> done = tasks::bench(spec, {.on_row =
                                                    [&](const tasks::BenchRow& row) {
                                                      progress.clear();
                                                      console.answer(report.row(row));
                                                    },
                                                .progress =
                                                    [&](const tasks::Progress& p) {
                                                      if (console.notes_terminal()) progress.update(p.what, p.done, p.total);
                                                    },
                                                .stop = interruptible.token()});
  progress.clear();
  if (done || !report.is_empty()) console.answer(report.end());
  PUNA_TRY(done);
  return 0;
}

}  // namespace puna::cli
