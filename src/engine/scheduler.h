// Which tokens are computed next. No tensors and no clock: requests go in, steps come out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/token.h"
#include "kv/manager.h"

namespace puna::engine {

// A part of a sequence that a step computes.
struct StepSequence {
  kv::SequenceId id;
  std::vector<TokenId> tokens;            // to be computed, behind what the sequence has
  std::vector<std::int32_t> output_rows;  // of these tokens, those whose logits are wanted, ascending
};

struct StepPlan {
  std::vector<StepSequence> sequences;
  std::int64_t n_tokens() const;
};

// Everything a sequence must still compute, and what is wanted of it.
struct Work {
  kv::SequenceId id;
  std::span<const TokenId> pending;
  enum class Wants { last_row, all_rows } wants = Wants::last_row;
};

// No phases: whoever has tokens to compute gets a share of the step's budget, in the order given.
StepPlan next_step(std::span<const Work> work, std::int64_t budget);

}  // namespace puna::engine
