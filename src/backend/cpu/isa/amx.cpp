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

#include "backend/cpu/kernels/dots.inl.h"
#include "backend/cpu/kernels/simd.inl.h"

#include "backend/cpu/kernels/unpack.inl.h"

#include "backend/cpu/kernels/linear_int8.inl.h"

// The fewer columns, the less the tiles save of what their sums cost on the way through memory.
void linear_int8_by_columns(const LinearArgs& a) {
  if (a.n_cols <= 16)
    avx512_isa::kTable.linear_int8(a);
  else
    linear_int8(a);
}

}  // namespace

KernelTable table();
KernelTable table() {
  KernelTable all = avx512_isa::kTable;
  all.name = "amx";
  all.linear_int8 = linear_int8_by_columns;
  return all;
}

}  // namespace puna::backend::cpu::amx_isa
