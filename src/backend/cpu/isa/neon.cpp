// The kernels in NEON as every 64-bit ARM processor has it.
#include <arm_neon.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::neon_isa {
namespace {

#include "backend/cpu/isa/vec_neon.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_neon.inl.h"

#include "backend/cpu/isa/panel_plain.inl.h"

#include "backend/cpu/isa/dot_neon.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("neon");

}  // namespace puna::backend::cpu::neon_isa
