// Every kernel, and the table of them. Included inside the namespace of the set, after its isa/ files; a block of
// includes may use those above it.

#include "backend/cpu/kernels/simd.inl.h"

#include "backend/cpu/kernels/dequantize.inl.h"
#include "backend/cpu/kernels/lines_behind.inl.h"
#include "backend/cpu/kernels/math.inl.h"
#include "backend/cpu/kernels/pack.inl.h"
#include "backend/cpu/kernels/quantize_row.inl.h"
#include "backend/cpu/kernels/row_panel.inl.h"
#include "backend/cpu/kernels/unpack.inl.h"

#include "backend/cpu/kernels/attention.inl.h"
#include "backend/cpu/kernels/ceiling.inl.h"
#include "backend/cpu/kernels/elementwise.inl.h"
#include "backend/cpu/kernels/kv_write.inl.h"
#include "backend/cpu/kernels/linear_float.inl.h"
#include "backend/cpu/kernels/linear_int8.inl.h"
#include "backend/cpu/kernels/norm.inl.h"
#include "backend/cpu/kernels/rope.inl.h"

constexpr KernelTable make_table(std::string_view name) {
  return {.name = name,
          .quantize_row = quantize_row,
          .quantize_row_fine = quantize_row_fine,
          .pack_rows = pack_rows,
          .linear_int8 = linear_int8,
          .linear_float = linear_float,
          .dequantize_row = dequantize_row,
          .rms_norm = rms_norm,
          .add = add_rows,
          .scale = scale_rows,
          .soft_cap = soft_cap_rows,
          .gated = gated_rows,
          .rope = rope,
          .kv_write = kv_write,
          .attend = attend,
          .attend_merge = attend_merge,
          .int8_peak = int8_peak,
          .read_bytes = read_bytes};
}
