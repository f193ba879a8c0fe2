// How much of the context fits: computed before anything is allocated.
#pragma once

#include "engine/engine.h"
#include "graph/passes.h"
#include "kv/spec.h"
#include "model/loader.h"

namespace puna::engine {

inline constexpr std::uint32_t kBlockTokens = 32;

// What keys and values are kept in: as asked, and with --exact as they are.
CacheTypes cache_types(const Options& options);

// The cache's shape for a context of n_ctx positions, which `n_sequences` share, and steps of n_ubatch tokens.
kv::Spec cache_spec(const model::Model& model, std::int64_t n_ctx, std::int64_t n_ubatch, std::int64_t n_sequences = 1);

struct Fit {
  std::int64_t n_ctx = 0;
  MemoryPlan memory;
};
// `compute`: bytes of the step's arena and scratch. Options::n_ctx 0 takes the model's context, or as much of it as fits and
// says so. Errors: what was asked for does not fit; the message has the numbers and the largest -c that would.
Result<Fit> fit_context(const model::Model& model, const Options& options, std::uint64_t compute);

}  // namespace puna::engine
