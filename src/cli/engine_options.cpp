#include "cli/engine_options.h"

#include <algorithm>
#include <cmath>

#include "base/cores.h"
#include "base/os.h"

namespace puna::cli {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 31;
constexpr std::int64_t kMostThreads = 1024;

void add_cpu_options(Table& table, engine::Options& engine) {
  table.group("Processor");
  table.add("-t, --threads N", "threads for single tokens (default: one for each physical core this process may use)",
            into(engine.n_threads, -1, kMostThreads));
  table.add("-tb, --threads-batch N", "threads for prompts (default: as --threads)",
            into(engine.n_threads_batch, -1, kMostThreads));
  using Parse = Result<std::vector<int>> (*)(std::string_view);
  const auto add_cpus = [&engine](Parse parse) -> Setter {
    return [&engine, parse](std::string_view text) -> Result<void> {
      const std::vector<int> cpus = PUNA_TRY(parse(text));
      engine.cpus.insert(engine.cpus.end(), cpus.begin(), cpus.end());
      std::ranges::sort(engine.cpus);
      engine.cpus.erase(std::ranges::unique(engine.cpus).begin(), engine.cpus.end());
      return {};
    };
  };
  table.add("-C, --cpu-mask M", "pin the threads to these processors, a hexadecimal mask", add_cpus(parse_cpu_mask));
  table.add("-Cr, --cpu-range LO-HI", "pin them to these, first and last; or a list, 0-3,8", add_cpus(parse_cpu_list));
  table.add("--exact",
            "compute in float32 from dequantized weights, keys and values in float32: slow, and the measure of all else",
            flag(engine.exact));
  table.add("--dump-graph after:PASS", "show the model's graphs on standard error after build, place, lower, fuse or cut",
            [&engine](std::string_view text) -> Result<void> {
              if (!text.starts_with("after:"))
                return fail("{}: wanted after:build, after:place, after:lower, after:fuse or after:cut", text);
              return one_of(engine.dump_graph_after, {"build", "place", "lower", "fuse", "cut"})(text.substr(6));
            });
}

// A negative number means llama.cpp's default, as it does there.
Setter into_unless_negative(std::optional<float>& target) {
  return [&target](std::string_view text) -> Result<void> {
    const double value = PUNA_TRY(parse_number(text));
    if (!std::isfinite(value)) return fail("{} is no finite number", text);
    target = value < 0 ? std::nullopt : std::optional(static_cast<float>(value));
    return {};
  };
}

void add_rope_options(Table& table, model::RopeOverrides& rope) {
  table.group("Positions (RoPE), for texts longer than the model was trained on");
  table.add("--rope-scaling KIND", "none, linear or yarn (default: the model's)", [&rope](std::string_view text) -> Result<void> {
    std::string kind;
    PUNA_TRY(one_of(kind, {"none", "linear", "yarn"})(text));
    rope.scaling = kind;
    return {};
  });
  table.add("--rope-scale N", "expand the context by a factor of N", [&rope](std::string_view text) -> Result<void> {
    const double factor = PUNA_TRY(parse_number(text));
    if (!(factor > 0)) return fail("{} is no factor: it must be above 0", text);
    rope.freq_scale = static_cast<float>(1 / factor);
    return {};
  });
  table.add("--rope-freq-base N", "the base frequency; larger for NTK-aware scaling (default: the model's)",
            into(rope.freq_base));
  table.add("--rope-freq-scale N", "positions are multiplied by it: 1/N expands by N", into(rope.freq_scale));
  table.add("--yarn-orig-ctx N", "YaRN: the context the model was trained on (default, or 0: the model's)",
            [&rope](std::string_view text) -> Result<void> {
              const std::int64_t n = PUNA_TRY(parse_integer(text, 0, kMostTokens));
              rope.yarn_orig_ctx = n == 0 ? std::nullopt : std::optional(n);
              return {};
            });
  table.add("--yarn-ext-factor N", "YaRN: share of extrapolation, 0 is full interpolation",
            into_unless_negative(rope.yarn_ext_factor));
  table.add("--yarn-attn-factor N", "YaRN: scale of attention", into_unless_negative(rope.yarn_attn_factor));
  table.add("--yarn-beta-slow N", "YaRN: the high correction dimension", into_unless_negative(rope.yarn_beta_slow));
  table.add("--yarn-beta-fast N", "YaRN: the low correction dimension", into_unless_negative(rope.yarn_beta_fast));
}

// Choices between devices, caches and code paths that a CPU and a single user leave no room for; none changes an answer.
void add_no_effect_options(Table& table) {
  for (const char* spelled : {"-ngl, --gpu-layers, --n-gpu-layers N",
                              "-fa, --flash-attn [on|off|auto|1|0|true|false|enabled|disabled]",
                              "-dev, --device LIST",
                              "-sm, --split-mode MODE",
                              "-ts, --tensor-split LIST",
                              "-mg, --main-gpu N",
                              "-kvo, --kv-offload",
                              "-nkvo, --no-kv-offload",
                              "--op-offload",
                              "--no-op-offload",
                              "-cmoe, --cpu-moe",
                              "-ncmoe, --n-cpu-moe N",
                              "-ot, --override-tensor LIST",
                              "-fit, --fit [on|off]",
                              "-fitt, --fit-target LIST",
                              "-fitc, --fit-ctx N",
                              "--no-host",
                              "-dt, --defrag-thold N",
                              "--numa TYPE",
                              "--prio N",
                              "--prio-batch N",
                              "--poll N",
                              "--poll-batch N",
                              "--cpu-strict N",
                              "--cpu-strict-batch N",
                              "--repack",
                              "-nr, --no-repack",
                              "--swa-full",
                              "-kvu, --kv-unified",
                              "-np, --parallel N",
                              "-cram, --cache-ram N",
                              "--warmup",
                              "--no-warmup",
                              "--jinja"})
    table.add(spelled, "", {});
}

}  // namespace

const std::vector<std::string>& cache_types() {
  static const std::vector<std::string> kTypes = {"f16", "f32"};
  return kTypes;
}

void add_file_options(Table& table, EngineOptions& options) {
  gguf::OpenOptions& file = options.engine.file;
  table.group("File");
  table.add("--mmap", "map the file (default)", flag(file.use_mmap));
  table.add("--no-mmap", "read the file into memory instead", flag(file.use_mmap, false));
  table.add("--mlock", "keep the weights in memory; works with and without mapping", flag(file.use_mlock));
  table.add("-lm, --load-mode MODE", "the same in one word: auto, none, mmap, mlock or mmap+mlock",
            [&file](std::string_view text) -> Result<void> {
              std::string mode;
              PUNA_TRY(one_of(mode, {"auto", "none", "mmap", "mlock", "mmap+mlock"})(text));
              file.use_mmap = mode == "auto" || mode.starts_with("mmap");
              file.use_mlock = mode.ends_with("mlock");
              return {};
            });
  table.add("--override-kv KEY=TYPE:VALUE", "another value for a metadata key; TYPE is int, float, bool or str; may be repeated",
            [&file](std::string_view text) -> Result<void> {
              for (std::string& one : split_overrides(text)) file.overrides.push_back(std::move(one));
              return {};
            });
  table.add("--check-tensors", "refuse NaN and infinities in the weights (reads all of them)", flag(file.check_tensors));
  table.add("--pre NAME", "this pre-tokenizer instead of the one that the file names", into(options.engine.pre_tokenizer));
}

void add_engine_options(Table& table, EngineOptions& options) {
  engine::Options& engine = options.engine;
  table.group("Context");
  table.add("-c, --ctx-size N", "positions in the cache (default, or 0: the model's, cut to what fits in memory)",
            into(engine.n_ctx, 0, kMostTokens));
  table.add("-b, --batch-size N", "tokens submitted together at most (default 2048)", into(engine.n_batch, 1, kMostTokens));
  table.add("-ub, --ubatch-size N", "tokens computed in one step at most (default 512)", into(engine.n_ubatch, 1, kMostTokens));
  table.add("-ctk, --cache-type-k TYPE", "keys in the cache: f16 or f32 (default f16)",
            one_of(options.cache_type_k, cache_types()));
  table.add("-ctv, --cache-type-v TYPE", "values in the cache: f16 or f32 (default f16)",
            one_of(options.cache_type_v, cache_types()));
  add_cpu_options(table, engine);
  add_file_options(table, options);
  add_rope_options(table, engine.rope);
  add_no_effect_options(table);
}

Result<engine::Options> finish(const EngineOptions& options) {
  engine::Options engine = options.engine;
  if (options.cache_type_k != options.cache_type_v)
    return std::unexpected(error(ErrorKind::unsupported, "keys in {} and values in {}: both must be of one type",
                                 options.cache_type_k, options.cache_type_v)
                               .with_hint(fmt::format("-ctk {0} -ctv {0}", options.cache_type_k)));
  engine.cache_type = options.cache_type_k == "f32" ? tensor::DType::F32 : tensor::DType::F16;
  engine.n_ubatch = std::min(engine.n_ubatch, engine.n_batch);
  engine.isa = os::environment("PUNA_ISA");
  if (const std::string threads = os::environment("PUNA_THREADS"); !threads.empty() && engine.n_threads <= 0) {
    Result<std::int64_t> n = parse_integer(threads, 1, kMostThreads);
    if (!n) return std::unexpected(std::move(n).error().within("PUNA_THREADS"));
    engine.n_threads = static_cast<int>(*n);
  }
  return engine;
}

std::vector<std::string> split_overrides(std::string_view text) {
  const auto begins_override = [](std::string_view rest) {
    const std::size_t equals = rest.find('=');
    if (equals == rest.npos || rest.substr(0, equals).find(',') != rest.npos) return false;
    const std::string_view type = rest.substr(equals + 1);
    return type.starts_with("int:") || type.starts_with("float:") || type.starts_with("bool:") || type.starts_with("str:");
  };
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
    if (!begins_override(text.substr(comma + 1))) continue;
    parts.emplace_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

}  // namespace puna::cli
