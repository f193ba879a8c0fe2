// --check-tensors: weights that are no numbers.
#pragma once

#include "base/result.h"
#include "gguf/reader.h"

namespace puna::gguf {

// Looks at every value of F32, F16 and BF16 tensors and at the float scales of every block of the others (their integers
// cannot be wrong in themselves) for NaN and infinities. Error: the first such tensor in file order, and where in it.
Result<void> check_tensors(const File& file);

}  // namespace puna::gguf
