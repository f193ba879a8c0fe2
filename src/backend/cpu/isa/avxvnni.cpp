// The kernels in AVX2 with FMA, F16C and AVX-VNNI, for processors with VNNI but no AVX-512.
#include <immintrin.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::avxvnni_isa {
namespace {

#include "backend/cpu/isa/vec_avx2.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_avx2.inl.h"

#include "backend/cpu/isa/dot_avxvnni.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("avxvnni");

}  // namespace puna::backend::cpu::avxvnni_isa
