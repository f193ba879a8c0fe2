#include "backend/cpu/kernel_table.h"

namespace puna::backend::cpu {
namespace {
#include "backend/cpu/kernels/attention_scratch.inl.h"
}  // namespace

std::size_t attend_scratch(std::int64_t head_dim, std::int64_t group) {
  return static_cast<std::size_t>(attend_scratch_layout(head_dim, group).end) * sizeof(float);
}

}  // namespace puna::backend::cpu
