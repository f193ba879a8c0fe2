// What this processor can run, asked without a model.
#pragma once

#include <string>

namespace puna::engine {

// "avx512, of scalar avx2 avxvnni avx512": the kernels chosen, and all that this processor can execute.
std::string processor_kernels();

}  // namespace puna::engine
