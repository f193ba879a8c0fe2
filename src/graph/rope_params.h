// Rotary position embedding of one layer kind, as plain data. Pair i of a head turns by the angle
//   position · freq_base^(-2i / rope_dim) / freq_factors[i], then scaled as `scaling` says.
#pragma once

#include <cstdint>

namespace puna::graph {

enum class RopeScaling : std::uint8_t {
  none,    // freq_scale is not looked at
  linear,  // every angle · freq_scale (position interpolation)
  yarn,    // slow pairs · freq_scale, fast pairs as they are, a ramp between (arXiv 2309.00071)
};

// NTK-aware scaling is another freq_base; llama3 and long-factor scaling are freq_factors (and attn_factor).
struct RopeParams {
  std::int64_t rope_dim = 0;  // values of a head that turn: even, ≤ head_dim
  float freq_base = 10000.0f;
  float freq_scale = 1.0f;  // 1 / the factor by which the context was stretched
  RopeScaling scaling = RopeScaling::none;

  // Multiplies cos and sin, with every scaling; yarn multiplies by 1 + 0.1 · ln(1 / freq_scale) besides.
  float attn_factor = 1.0f;

  // Yarn only: pairs that turn more than beta_fast times within the original context stay as they are, those that turn
  // less than beta_slow times are scaled in full. ext_factor is the share of the ramp that is applied (0: linear).
  float ext_factor = 1.0f;
  float beta_fast = 32.0f;
  float beta_slow = 1.0f;
  std::int64_t original_context = 0;  // positions the model was trained on

  const float* freq_factors = nullptr;  // [rope_dim / 2] or null; whoever holds the weight sets it

  bool operator==(const RopeParams&) const = default;
};

}  // namespace puna::graph
