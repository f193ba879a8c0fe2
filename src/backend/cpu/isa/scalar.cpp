// The kernels in plain C++, for machines without the others; also the meaning of every kernel.
#include "backend/cpu/isa/prelude.h"

namespace puna::backend::cpu::scalar_isa {
namespace {

#include "backend/cpu/isa/vec_scalar.inl.h"
#include "backend/cpu/kernels/quads.inl.h"

#include "backend/cpu/isa/quads_scalar.inl.h"

#include "backend/cpu/isa/panel_plain.inl.h"

#include "backend/cpu/kernels/dots.inl.h"

#include "backend/cpu/kernels/all.inl.h"

}  // namespace

extern const KernelTable kTable;
constinit const KernelTable kTable = make_table("scalar");

}  // namespace puna::backend::cpu::scalar_isa
