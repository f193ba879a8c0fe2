// The kernels in NEON with the dot product instructions of ARMv8.2.
#include <arm_neon.h>

#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::neon_dot_isa {
namespace {

#include "backend/cpu/isa/vec_neon.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_neon.inl.h"

#include "backend/cpu/isa/panel_plain.inl.h"

#include "backend/cpu/isa/dot_neon_dot.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("neon_dot");

}  // namespace puna::backend::cpu::neon_dot_isa
