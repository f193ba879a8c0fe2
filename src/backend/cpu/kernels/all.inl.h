// Every kernel, and the table of them. Included inside the namespace of the set, after its isa/ files.

#include "backend/cpu/kernels/simd.inl.h"

#include "backend/cpu/kernels/dequantize.inl.h"
#include "backend/cpu/kernels/quantize_row.inl.h"
#include "backend/cpu/kernels/unpack.inl.h"

#include "backend/cpu/kernels/linear_float.inl.h"
#include "backend/cpu/kernels/linear_int8.inl.h"
#if __has_include("backend/cpu/kernels/math.inl.h")
#include "backend/cpu/kernels/math.inl.h"
#endif
#if __has_include("backend/cpu/kernels/norm.inl.h")
#include "backend/cpu/kernels/norm.inl.h"
#endif
#if __has_include("backend/cpu/kernels/elementwise.inl.h")
#include "backend/cpu/kernels/elementwise.inl.h"
#endif
#if __has_include("backend/cpu/kernels/rope.inl.h")
#include "backend/cpu/kernels/rope.inl.h"
#endif
#if __has_include("backend/cpu/kernels/kv_write.inl.h")
#include "backend/cpu/kernels/kv_write.inl.h"
#endif
#if __has_include("backend/cpu/kernels/attention.inl.h")
#include "backend/cpu/kernels/attention.inl.h"
#endif

constexpr KernelTable make_table(std::string_view name) {
  KernelTable table{};
  table.name = name;
  table.quantize_row = quantize_row;
  table.quantize_row_fine = quantize_row_fine;
  table.linear_int8 = linear_int8;
  table.linear_float = linear_float;
  table.dequantize_row = dequantize_row;
#if __has_include("backend/cpu/kernels/norm.inl.h")
  table.rms_norm = rms_norm;
#endif
#if __has_include("backend/cpu/kernels/elementwise.inl.h")
  table.add = add_rows;
  table.scale = scale_rows;
  table.soft_cap = soft_cap_rows;
  table.gated = gated_rows;
#endif
#if __has_include("backend/cpu/kernels/rope.inl.h")
  table.rope = rope;
#endif
#if __has_include("backend/cpu/kernels/kv_write.inl.h")
  table.kv_write = kv_write;
#endif
#if __has_include("backend/cpu/kernels/attention.inl.h")
  table.attend = attend;
#endif
  return table;
}
