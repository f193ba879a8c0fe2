#include "engine/memory_plan.h"

#include <algorithm>

#include "base/checked.h"
#include "base/log.h"
#include "base/os.h"
#include "engine/kv_store.h"

namespace puna::engine {
namespace {

// Blocks beside those that one sequence needs, so that the start of a new one can stay beside the end of the old.
constexpr std::uint32_t kSpareBlocks = 2;
constexpr std::int64_t kLeastContext = 64;

}  // namespace

CacheTypes cache_types(const Options& options) {
  return options.exact ? CacheTypes{tensor::DType::F32, tensor::DType::F32} : options.cache;
}

kv::Spec cache_spec(const model::Model& model, std::int64_t n_ctx, std::int64_t n_ubatch, std::int64_t n_sequences) {
  kv::Spec spec{.block_tokens = kBlockTokens, .groups = {}};
  for (const model::CacheGroup& group : model.groups) {
    const auto window = static_cast<std::uint32_t>(group.window);
    const auto blocks_for = [&](std::int64_t n_step) {
      return kv::blocks_for(window, kBlockTokens, static_cast<std::uint32_t>(n_ctx), static_cast<std::uint32_t>(n_step));
    };
    std::uint32_t n_blocks = blocks_for(n_ubatch);
    // What a window reads is also what resuming a cached beginning needs: room for that of an earlier sequence.
    if (window > 0) n_blocks += blocks_for(1);
    // Others beside the first have windows of their own, and everyone's last block is a partial one.
    const auto n_others = static_cast<std::uint32_t>(n_sequences - 1);
    n_blocks += n_others * (window > 0 ? blocks_for(1) + 1 : 1);
    spec.groups.push_back({group.name, window, n_blocks + kSpareBlocks});
  }
  return spec;
}

Result<Fit> fit_context(const model::Model& model, const Options& options, std::uint64_t compute) {
  Fit fit;
  fit.memory.weights = model.file.size_bytes();
  fit.memory.compute = compute;
  fit.memory.available = os::available_memory();
  const auto cache_bytes = [&](std::int64_t n_ctx) {
    return KvStore::bytes(model.body.graph.stores, cache_spec(model, n_ctx, options.n_ubatch, options.n_sequences),
                          cache_types(options));
  };
  // Mapped weights live in the page cache, which the system counts as available; read into memory they are taken already.
  const std::uint64_t others = (options.file.use_mmap ? fit.memory.weights : 0) + compute;
  const auto fits = [&](std::int64_t n_ctx) { return cache_bytes(n_ctx) + others <= fit.memory.available; };
  const std::int64_t wanted = options.n_ctx > 0 ? options.n_ctx : model.hparams.n_ctx_train;
  fit.n_ctx = wanted;
  if (!fits(wanted)) {
    std::int64_t low = 0, high = wanted;  // fits(low), not fits(high)
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    fit.n_ctx = low / kBlockTokens * kBlockTokens;
  }
  if (fit.n_ctx < wanted && (options.n_ctx > 0 || fit.n_ctx < kLeastContext)) {
    auto problem =
        error(ErrorKind::out_of_memory, "{}: needs {} ({} weights, {} cache for {} positions, {} compute), {} are available",
              model.file.name(), os::size_text(others + cache_bytes(wanted)), os::size_text(fit.memory.weights),
              os::size_text(cache_bytes(wanted)), wanted, os::size_text(compute), os::size_text(fit.memory.available));
    return std::unexpected(std::move(problem).with_hint(fit.n_ctx >= kLeastContext
                                                            ? fmt::format("-c {} would fit", fit.n_ctx)
                                                            : "take a smaller model or a lower quantization, or free memory"));
  }
  if (fit.n_ctx < wanted)
    log::warning("context cut to {} positions (of the model's {}): {} of memory are available", fit.n_ctx, wanted,
                 os::size_text(fit.memory.available));
  fit.memory.cache = cache_bytes(fit.n_ctx);
  return fit;
}

}  // namespace puna::engine
