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

#include "backend/cpu/kernels/lines_behind.inl.h"
#include "backend/cpu/kernels/row_panel.inl.h"
#include "backend/cpu/kernels/unpack.inl.h"

#include "backend/cpu/kernels/linear_int8.inl.h"

// The fewer columns, the less the tiles save of what their sums cost on the way through memory; fine ones pay that once for two
// rows.
void linear_int8_by_columns(const LinearArgs& a) {
  if (a.n_cols <= (a.fine ? 15 : 16))
    avx512_isa::kTable.linear_int8(a);
  else
    linear_int8(a);
}

// Whole tiles, one product after the other into four sums.
std::int64_t int8_peak(std::int64_t rounds, float* sink) {
  constexpr int kProducts = 4, kColumns = 16, kDepth = 64;
  const std::int8_t x[kColumns][kDepth] = {{1}};
  const std::uint8_t weights[kDepth / 4][64] = {{1}};
  Tiles<Kind<kDepth, Form::minimum, 0, 0>>::configure<kColumns>();
  _tile_loadd(2, x, kDepth);
  _tile_loadd(3, x, kDepth);
  _tile_loadd(4, weights, 64);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(5);
  _tile_zero(6);
  for (std::int64_t round = 0; round < rounds; ++round) {
    _tile_dpbssd(0, 2, 4);
    _tile_dpbssd(1, 3, 4);
    _tile_dpbssd(5, 2, 4);
    _tile_dpbssd(6, 3, 4);
  }
  std::int32_t sums[kColumns][kPanelRows];
  _tile_stored(0, sums, 64);
  _tile_release();
  store(sink, load_i32(sums[0]));
  return rounds * kProducts * kColumns * kPanelRows * kDepth * 2;
}

}  // namespace

KernelTable table();
KernelTable table() {
  KernelTable all = avx512_isa::kTable;
  all.name = "amx";
  all.linear_int8 = linear_int8_by_columns;
  all.int8_peak = int8_peak;
  return all;
}

}  // namespace puna::backend::cpu::amx_isa
