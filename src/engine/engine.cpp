#include "engine/engine.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/dispatch.h"
#include "base/check.h"
#include "base/cores.h"
#include "base/log.h"
#include "base/os.h"
#include "engine/answer.h"
#include "engine/memory_plan.h"
#include "engine/state.h"
#include "engine/timing.h"
#include "text/grammar/constraint.h"

namespace puna::engine {
namespace {

Result<void> validate(const Options& options) {
  const auto in_range = [](std::string_view flag, std::int64_t value, std::int64_t least, std::int64_t most) -> Result<void> {
    if (value >= least && value <= most) return {};
    return fail("{} is {}, wanted {} to {}", flag, value, least, most);
  };
  PUNA_TRY(in_range("--ctx-size", options.n_ctx, 0, std::int64_t{1} << 28));
  PUNA_TRY(in_range("--batch-size", options.n_batch, 1, std::int64_t{1} << 20));
  PUNA_TRY(in_range("--ubatch-size", options.n_ubatch, 1, std::int64_t{1} << 16));
  PUNA_TRY(in_range("--parallel", options.n_sequences, 1, 1 << 16));
  PUNA_TRY(in_range("--threads", options.n_threads, -1, 1024));
  PUNA_TRY(in_range("--threads-batch", options.n_threads_batch, -1, 1024));
  for (const auto& [flag, type] : {std::pair{"--cache-type-k", options.cache.k}, {"--cache-type-v", options.cache.v}})
    if (!backend::is_kv_type(type))
      return fail("{} is {}, wanted one of {}", flag, cache_type_name(type), fmt::join(cache_type_names(), ", "));
  return {};
}

// A file larger than all of memory is refused before it is looked at any further.
Result<void> check_size(const gguf::File& file, const Options& options) {
  const std::uint64_t memory = os::total_memory();
  if (file.size_bytes() <= memory) return {};
  auto problem = error(ErrorKind::out_of_memory, "{}: {} of weights do not fit in {} of memory", options.model.string(),
                       os::size_text(file.size_bytes()), os::size_text(memory));
  return std::unexpected(std::move(problem).with_hint("take a smaller model or a lower quantization"));
}

void tell_of_context(const State& state) {
  const MemoryPlan& memory = state.memory;
  log::info("memory: {} weights, {} cache for {} positions, {} compute; {} available", os::size_text(memory.weights),
            os::size_text(memory.cache), state.n_ctx, os::size_text(memory.compute), os::size_text(memory.available));
  const model::RopeOverrides& rope = state.options.rope;
  const bool is_stretched = rope.scaling || rope.freq_base || rope.freq_scale;
  const std::int64_t longest = state.n_ctx / state.options.n_sequences;
  if (const std::int64_t trained = state.model.hparams.n_ctx_train; longest > trained && !is_stretched)
    log::warning(
        "context of {} positions: the model was trained on {} and answers badly beyond; --rope-scaling yarn stretches it",
        longest, trained);
}

}  // namespace

std::string cache_type_name(tensor::DType type) {
  std::string name(tensor::name(type));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::vector<std::string> cache_type_names() {
  std::vector<std::string> names;
  for (const tensor::DType type : backend::kKvTypes) names.push_back(cache_type_name(type));
  return names;
}

Result<tensor::DType> cache_type_named(std::string_view name) {
  for (const tensor::DType type : backend::kKvTypes)
    if (cache_type_name(type) == name) return type;
  return fail("'{}' is none of {}", name, fmt::join(cache_type_names(), ", "));
}

std::string_view name(Finish finish) {
  static constexpr std::string_view kNames[] = {"end_token", "length", "context_full", "stopped", "constraint_met"};
  return kNames[static_cast<int>(finish)];
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::load(const Options& options, const OnProgress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const auto report = [&](std::string_view what, std::uint64_t step) {
    if (progress) progress(what, step, 4);
  };
  PUNA_TRY(validate(options));
  const backend::cpu::KernelTable* kernels = PUNA_TRY(backend::cpu::choose_table(options.isa));
  report("reading the file", 0);
  gguf::OpenOptions file_options = options.file;
  file_options.use_mlock = false;  // once it is known that everything fits
  gguf::File file = PUNA_TRY(gguf::File::open(options.model, file_options));
  PUNA_TRY(check_size(file, options));
  report("building the model", 1);
  const std::vector<int> allowed = options.cpus.empty() ? allowed_cpus() : options.cpus;
  auto state = std::make_unique<State>(PUNA_TRY(model::load(
      std::move(file),
      {.rope = options.rope, .pre_tokenizer = options.pre_tokenizer, .map_pages = options.file.use_mmap && allowed.size() > 1})));

  const Places places = numa_places(options.numa, allowed, current_cpu());
  std::vector<int> cpus;
  for (const std::vector<int>& place : places) cpus.insert(cpus.end(), place.begin(), place.end());
  const CoreChoice cores = choose_threads(std::move(cpus));
  const int n_threads = options.n_threads > 0 ? options.n_threads : cores.n_threads;
  const int n_batch = options.n_threads_batch > 0 ? options.n_threads_batch : n_threads;
  log::info("{}", cores.reason);
  const bool pinned = !options.cpus.empty() || options.numa != Numa::off;
  if (pinned && !pin_this_thread(places.front())) log::warning("the system refuses to pin threads to the processors named");
  state->threads = std::make_unique<backend::cpu::Threads>(n_threads, n_batch, pinned ? places : Places{});
  state->backend = std::make_unique<backend::cpu::CpuBackend>(*kernels, *state->threads, options.exact);
  state->options = options;
  state->options.n_ubatch = std::min(options.n_ubatch, options.n_batch);

  const Lowered lowered = run_passes(state->model, *state->backend, [&](std::string_view pass, const graph::Graph& graph) {
    if (pass == options.dump_graph_after && options.on_dump) options.on_dump(graph::dump(graph));
  });
  const std::uint64_t compute = Runner::compute_bytes(state->model, *state->backend, state->options.n_ubatch);
  const Fit fit = PUNA_TRY(fit_context(state->model, state->options, compute));
  state->memory = fit.memory;
  state->n_ctx = fit.n_ctx;
  tell_of_context(*state);
  report("making room", 2);
  if (options.file.use_mlock)
    for (const gguf::File::Shard& shard : state->model.file.shards()) PUNA_TRY(shard.file.lock());
  const kv::Spec spec = cache_spec(state->model, fit.n_ctx, state->options.n_ubatch, options.n_sequences);
  state->cache = std::make_unique<kv::Manager>(spec);
  state->store = PUNA_TRY(KvStore::make(state->model.body.graph.stores, spec, cache_types(state->options)));
  // What was read of the file to get here, its vocabulary above all, is not needed any more.
  if (options.file.use_mmap && !options.file.use_mlock)
    for (const gguf::File::Shard& shard : state->model.file.shards()) os::release_file_pages(shard.bytes.first(shard.header_end));
  // A copy beside bytes that stay in memory would be paid for twice; the exact path has no hurry.
  const bool keep_packed = options.repack && options.file.use_mmap && !options.file.use_mlock && !options.exact;
  state->runner = std::make_unique<Runner>(PUNA_TRY(
      Runner::make(state->model, lowered, *state->backend, {.n_ubatch = state->options.n_ubatch, .keep_packed = keep_packed})));
  state->load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report("ready", 4);
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

const text::Tokenizer& Engine::tokenizer() const { return *state_->model.tokenizer; }
const gguf::File& Engine::file() const { return state_->model.file; }

std::optional<std::string> Engine::chat_template() const {
  const auto text = file().get_string("tokenizer.chat_template");
  if (!text || !*text || (*text)->empty()) return std::nullopt;
  return std::string(**text);
}

std::string_view Engine::architecture() const { return state_->model.hparams.architecture; }
std::string Engine::isa() const { return state_->backend->info().isa; }
std::int64_t Engine::n_ctx() const { return state_->n_ctx; }
std::int64_t Engine::n_ctx_train() const { return state_->model.hparams.n_ctx_train; }
std::int64_t Engine::n_vocab() const { return state_->model.hparams.n_vocab; }
int Engine::n_threads() const { return state_->threads->single(); }
std::int64_t Engine::n_ubatch() const { return state_->options.n_ubatch; }
const MemoryPlan& Engine::memory() const { return state_->memory; }
Result<std::shared_ptr<const text::grammar::Constraint>> Engine::constraint(text::grammar::Grammar grammar) const {
  std::call_once(state_->trie_once, [&] { state_->trie = text::grammar::TokenTrie::make(*state_->model.tokenizer); });
  return text::grammar::Constraint::make(std::move(grammar), *state_->model.tokenizer, state_->trie);
}
void Engine::clear_cache() { state_->cache->clear_cache(); }

Result<Completion> Engine::complete(const Request& request, const OnToken& on_token, std::stop_token stop,
                                    const OnProgress& progress) {
  return engine::complete(*state_, request, {on_token, progress, std::move(stop)});
}

Result<void> Engine::all_logits(std::span<const TokenId> ids, const OnLogits& visit, std::stop_token stop) {
  return visit_logits(*state_, ids, visit, {{}, {}, std::move(stop)});
}

Result<Score> Engine::score(std::span<const TokenId> ids, std::size_t n_top, std::stop_token stop, const OnProgress& progress) {
  return engine::score(*state_, ids, n_top, {{}, progress, std::move(stop)});
}

Result<TokenTimes> Engine::time_tokens(const TokenTiming& timing, std::stop_token stop) {
  return engine::time_tokens(*state_, timing, stop);
}
TokenCosts Engine::token_costs() const { return engine::token_costs(*state_); }

}  // namespace puna::engine
