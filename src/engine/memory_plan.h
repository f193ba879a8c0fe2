// How much of the context fits: computed before anything is allocated.
#pragma once

#include "engine/engine.h"
#include "graph/passes.h"
#include "kv/spec.h"
#include "model/loader.h"

namespace puna::engine {

inline constexpr std::uint32_t kBlockTokens = 32;

// The cache's shape for n_ctx positions, which options.n_sequences share, in steps of options.n_ubatch.
kv::Spec cache_spec(const model::Model& model, std::int64_t n_ctx, const Options& options);

struct Fit {
  std::int64_t n_ctx = 0;
  MemoryPlan memory;
};
// `compute`: bytes of the step's arena and scratch. Options::n_ctx 0 takes the model's context, or as much of it as fits and
// says so. Errors: what was asked for does not fit; the message has the numbers and the largest -c that would.
Result<Fit> fit_context(const model::Model& model, const Options& options, std::uint64_t compute);

}  // namespace puna::engine
