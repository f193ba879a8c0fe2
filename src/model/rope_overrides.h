// The command line's say over a model's rotary embedding; an empty field leaves what the file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace puna::model {

struct RopeOverrides {
  std::optional<std::string> scaling;         // --rope-scaling none|linear|yarn
  std::optional<float> freq_base;             // --rope-freq-base (NTK-aware scaling is a larger base)
  std::optional<float> freq_scale;            // --rope-freq-scale: positions are multiplied by it (1 / factor)
  std::optional<std::int64_t> yarn_orig_ctx;  // --yarn-orig-ctx
  std::optional<float> yarn_ext_factor;       // --yarn-ext-factor; < 0: the default, 1 under yarn
  std::optional<float> yarn_attn_factor;      // --yarn-attn-factor
  std::optional<float> yarn_beta_fast;        // --yarn-beta-fast
  std::optional<float> yarn_beta_slow;        // --yarn-beta-slow
};

}  // namespace puna::model
