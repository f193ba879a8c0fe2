// Cosines and sines of a position, the form in which the rope kernel takes them.
#pragma once

#include <cstdint>

#include "graph/rope_params.h"

namespace puna::backend::cpu {

// out: [rope_dim]: attn_factor · cos of rope_dim/2 angles, then attn_factor · sin. Computed in double precision and
// rounded once, so that far positions are as exact as near ones.
void fill_rope_row(const graph::RopeParams& params, std::int64_t position, float* out);

}  // namespace puna::backend::cpu
