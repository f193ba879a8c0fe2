// The kernels of AVX-512 with int8 products of many columns on the matrix tiles of AMX.
#include <immintrin.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::avx512_isa {
extern const KernelTable kTable;
}

namespace puna::backend::cpu::amx_isa {
namespace {

#include "backend/cpu/isa/vec_avx512.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_avx512.inl.h"

#include "backend/cpu/isa/panel_amx.inl.h"
#include "backend/cpu/kernels/simd.inl.h"

#include "backend/cpu/kernels/unpack.inl.h"

#include "backend/cpu/kernels/linear_int8.inl.h"

}  // namespace

KernelTable table();
KernelTable table() {
  KernelTable all = avx512_isa::kTable;
  all.name = "amx";
  all.linear_int8 = linear_int8;
  return all;
}

}  // namespace puna::backend::cpu::amx_isa
