// The kernels in AVX2 with FMA and F16C.
#include <immintrin.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::avx2_isa {
namespace {

#include "backend/cpu/isa/vec_avx2.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_avx2.inl.h"

#include "backend/cpu/isa/panel_plain.inl.h"

#include "backend/cpu/isa/dot_avx2.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("avx2");

}  // namespace puna::backend::cpu::avx2_isa
