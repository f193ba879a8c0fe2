// A model family: what its layers compute, and what neither metadata nor tensors say.
#pragma once

#include <span>
#include <string_view>

#include "model/block_builder.h"

namespace puna::model {

struct Family {
  std::string_view architecture;                            // general.architecture
  bool interleaved_rope = false;                            // pairs (2i, 2i+1); else (i, i + half)
  ValueId (*block)(Block& b, ValueId x);                    // one layer: x [T, dim] → [T, dim]
  float (*embedding_factor)(const HyperParams&) = nullptr;  // on the rows of the embedding; none: 1
};

std::span<const Family> families();
// The family of that architecture, or null.
const Family* find_family(std::string_view architecture);

}  // namespace puna::model
