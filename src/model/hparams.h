// The numbers of an architecture, read from a file's metadata and checked in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gguf/reader.h"
#include "graph/rope_params.h"
#include "model/rope_overrides.h"

namespace puna::model {

struct HyperParams {
  std::string architecture;
  std::int64_t n_layers = 0;
  std::int64_t dim = 0;
  std::int64_t n_vocab = 0;
  std::int64_t n_ctx_train = 0;
  std::int64_t n_heads = 0;
  std::int64_t n_kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn_dim = 0;
  float norm_eps = 0;
  graph::RopeParams rope;

  // Sliding window attention: positions that a token sees, itself included; 0: the architecture has none.
  std::int64_t window = 0;
  std::optional<std::int64_t> window_pattern;  // every how many layers one is full, where the file says
  float attention_soft_cap = 0;                // 0: none
  float final_soft_cap = 0;                    // 0: none

  // Asked for in the file of a family that has it; see the families.
  std::optional<float> local_rope_freq_base;
};

// Errors name the file, the key, what was wanted and what was found.
Result<HyperParams> read_hparams(const gguf::File& file, const RopeOverrides& overrides);

}  // namespace puna::model
