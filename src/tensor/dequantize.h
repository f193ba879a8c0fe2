// Weights of any type as floats, written to be read: the meaning of the blocks, to which every faster code is held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace puna::tensor {

// A row of n weights (n a multiple of the type's block) as out[n]. Every product and every sum is rounded once to
// float, in the order in which blocks.h writes them.
void dequantize_row(DType type, const std::byte* row, std::int64_t n, float* out);

}  // namespace puna::tensor
