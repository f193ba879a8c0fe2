// The kernels in AVX-512 (F, BW, DQ, VL) with VNNI.
#include <immintrin.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::avx512_isa {
namespace {

#include "backend/cpu/isa/vec_avx512.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_avx512.inl.h"

#include "backend/cpu/isa/panel_avx512.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("avx512");

}  // namespace puna::backend::cpu::avx512_isa
