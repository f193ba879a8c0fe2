// What this processor can run, asked without a model.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace puna::engine {

// "avx512, of scalar avx2 avxvnni avx512": the kernels chosen, and all that this processor can execute.
std::string processor_kernels();

// What this processor can do at most with the kernels of a set (empty: the best), measured with so many threads (≤ 0: one for
// each physical core this process may use). Takes about half a second.
struct Ceilings {
  std::string isa;
  int n_threads = 0;
  double read_bytes_per_second = 0;  // from memory
  double int8_ops_per_second = 0;    // a product and its sum are two
};
// Errors: no such set; the processor lacks it.
Result<Ceilings> measure_ceilings(std::string_view isa = {}, int n_threads = 0);

}  // namespace puna::engine
