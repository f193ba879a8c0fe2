#include "backend/cpu/rope_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/check.h"

namespace puna::backend::cpu {
namespace {

using graph::RopeParams;
using graph::RopeScaling;

// The pair, as a real number, that turns `turns` times within the original context (arXiv 2309.00071, section 3.2).
double pair_of_turns(const RopeParams& params, double turns) {
  const double context = static_cast<double>(params.original_context);
  return static_cast<double>(params.rope_dim) * std::log(context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(params.freq_base));
}

// How much of the full scaling each pair gets: 0 up to the pair `low`, 1 from the pair `high` on.
struct YarnRamp {
  double low = 0, high = 1;

  explicit YarnRamp(const RopeParams& params) {
    low = std::max(0.0, std::floor(pair_of_turns(params, params.beta_fast)));
    high = std::min(static_cast<double>(params.rope_dim - 1), std::ceil(pair_of_turns(params, params.beta_slow)));
    if (high <= low) high = low + 0.001;
  }
  double operator()(double pair) const { return std::clamp((pair - low) / (high - low), 0.0, 1.0); }
};

}  // namespace

void fill_rope_row(const RopeParams& params, std::int64_t position, float* out) {
  PUNA_CHECK(params.rope_dim % 2 == 0 && params.rope_dim > 0);
  const bool yarn = params.scaling == RopeScaling::yarn && params.ext_factor != 0;
  PUNA_CHECK(!yarn || params.original_context > 0, "yarn needs the original context");
  const double scale = params.scaling == RopeScaling::none ? 1.0 : static_cast<double>(params.freq_scale);
  const std::optional<YarnRamp> ramp = yarn ? std::optional<YarnRamp>(params) : std::nullopt;
  const double magnitude = params.attn_factor * (yarn && scale < 1 ? 1 + 0.1 * std::log(1 / scale) : 1.0);
  const std::int64_t half = params.rope_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(params.rope_dim);
    double frequency = std::pow(static_cast<double>(params.freq_base), exponent);
    if (params.freq_factors) frequency /= params.freq_factors[i];
    const double scaled_share = ramp ? 1 - params.ext_factor * (1 - (*ramp)(static_cast<double>(i))) : 1;
    frequency *= scale * scaled_share + (1 - scaled_share);
    const double angle = static_cast<double>(position) * frequency;
    out[i] = static_cast<float>(magnitude * std::cos(angle));
    out[half + i] = static_cast<float>(magnitude * std::sin(angle));
  }
}

}  // namespace puna::backend::cpu
