// What this machine can do at most, measured: no kernel reads memory or multiplies faster than that.
#pragma once

#include "backend/cpu/kernel_table.h"
#include "base/thread_pool.h"

namespace puna::backend::cpu {

struct Ceilings {
  double read_bytes_per_second = 0;  // from memory, all threads of the pool together
  double int8_ops_per_second = 0;    // a product and its sum are two
};

// Takes about half a second, and while it lasts half a gibibyte of memory (less on a small machine).
Ceilings measure_ceilings(const KernelTable& table, ThreadPool& pool);

}  // namespace puna::backend::cpu
