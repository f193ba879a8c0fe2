// Which kernels this machine can run, and which are used.
#pragma once

#include <span>
#include <string_view>

#include "backend/cpu/kernel_table.h"
#include "base/result.h"

namespace puna::backend::cpu {

// The tables that this machine can execute, the plainest first ("scalar", "avx2", "avxvnni", "avx512"; on 64-bit ARM "scalar",
// "neon", "neon_dot", "neon_i8mm").
std::span<const KernelTable* const> runnable_tables();

// The best of them, or the one named. Errors: no such name; the machine lacks it.
Result<const KernelTable*> choose_table(std::string_view name = {});

}  // namespace puna::backend::cpu
