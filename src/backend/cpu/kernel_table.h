// The kernels of one instruction set, chosen once at start (dispatch.h). Each table is filled from kernels/*.inl.h,
// compiled once per set, with slots replaced by intrinsics where that is faster; all tables obey one written order of
// arithmetic, so that they agree bit for bit:
//   int8 products   int32 exactly within a scale group, groups ascending, one float32 fma chain per output element
//   float products  16 partial sums by k mod 16, each an fma chain with k ascending, then added as a tree: i + (i+8),
//                   i + (i+4), i + (i+2), i + (i+1)
//   attention       chunks of 256 positions from position 0; see kernels/attention.inl.h
// Row counts, row ranges and threads therefore can't be seen in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backend/kv_view.h"
#include "tensor/dtype.h"

namespace puna::backend::cpu {

// Activations as int8, one row of K values (K a multiple of 32):  int8 q[K] | ActivationGroup[K/32], 64-byte aligned.
// scale = max|x| / 127 per 32 values; q = round-to-even(x · (127 / max|x|)); all zero where max|x| is below 2^-100.
constexpr std::int64_t kActivationGroup = 32;
struct ActivationGroup {
  float scale;                  // x ≈ q · scale
  float scaled_sum;             // scale · Σ q, for minima
  std::int32_t offset;          // -128 · Σ q, for zero points
  std::int32_t half_offset[2];  // the same of the first and of the last 16
};
static_assert(sizeof(ActivationGroup) == 20);
constexpr std::size_t activation_row_bytes(std::int64_t k) {
  const auto bytes = static_cast<std::size_t>(k) + static_cast<std::size_t>(k / kActivationGroup) * sizeof(ActivationGroup);
  return (bytes + 63) / 64 * 64;
}

// Fine activations are two such rows, one behind the other: x ≈ (256 · q + fine_q) · fine_scale, with fine_scale = scale / 256
// and fine_q = round-to-even of what the first row leaves, in that unit, at most ±127. The second row's scaled_sum is that of
// both. Products with them cost two of the others.

// Rows of a block type, rearranged for linear_int8 (kernels/pack.inl.h). Whole panels of 16 rows come out.
struct PackArgs {
  tensor::DType type;
  const std::byte* weight;  // [n_rows, K] as the file stores it
  std::int64_t k, n_rows;
  std::byte* out;  // packed_bytes(type, k, n_rows) of them
};
std::size_t packed_bytes(tensor::DType type, std::int64_t k, std::int64_t n_rows);

// So many bytes before their turn, what is read in one stream is asked from memory into the second cache.
constexpr std::ptrdiff_t kWeightsAhead = 4 << 10;

// y[t, r] = Σ_k weight[r, k] · x[t, k] (+ bias[r]) for r in [row_begin, row_end), t in [0, n_cols).
struct LinearArgs {
  tensor::DType type;
  const std::byte* weight;  // linear_int8: packed, from row_begin on; linear_float: [n_rows, K] as the file stores it, from row 0
  std::int64_t k;
  std::int64_t row_begin, row_end;  // row_begin a multiple of 16
  const std::byte* x;               // [n_cols, K]: int8 rows (above), pairs of them where `fine`, or float32 rows
  std::size_t x_stride;             // bytes from one row of x to the next
  std::int64_t n_cols;
  float* y;               // [n_cols, …]
  std::int64_t y_stride;  // floats from one row of y to the next
  const float* bias;      // [n_rows] or null
  std::byte* scratch;     // this thread's, linear_scratch(k) bytes, 64-byte aligned
  bool fine = false;
  // From each byte of `weight` to one that is wanted soon, which is asked for from memory meanwhile: kWeightsAhead where the
  // weight itself comes from there.
  std::ptrdiff_t ahead = kWeightsAhead;
};

// Scaled dot product attention of the rows of one sequence for one KV head and its group of query heads, over the
// paged store. Row i (position start + i) sees positions max(0, start + i - window + 1) … start + i (window 0: all before).
struct AttendArgs {
  KvView store;
  const std::uint32_t* blocks;  // block ids by position / block_tokens
  SequenceRows rows;
  std::int64_t kv_head;
  std::int64_t group;       // query heads per KV head: heads kv_head·group … +group-1
  const float* q;           // [T, heads, head_dim]
  float* out;               // [T, heads, head_dim]
  std::int64_t row_floats;  // heads · head_dim
  float scale;              // on q·k
  float soft_cap;           // s → cap · tanh(s / cap); 0: none
  std::int64_t window;      // 0: none
  std::byte* scratch;       // this thread's, attend_scratch(head_dim, group) bytes
  // Where set, instead of `out`: the chunks first_chunk … + n_chunks - 1 each for itself, for attend_merge.
  float* partials = nullptr;  // [n_chunks][rows.n_rows · group][attend_partial_floats(head_dim)]
  std::int64_t first_chunk = 0, n_chunks = 0;
};
constexpr std::int64_t kAttendChunk = 256;  // positions
// Of one row and head in one chunk: head_dim sums in whole 16s, the largest score, the sum of the probabilities, room.
constexpr std::int64_t attend_partial_floats(std::int64_t head_dim) { return (head_dim + 15) / 16 * 16 + 16; }

// Merges the chunks of one row and head, left to right, into the first.
struct AttendMergeArgs {
  float* partials;  // of the first chunk
  std::int64_t n;
  std::int64_t stride;  // floats from one chunk to the next
  std::int64_t head_dim;
  float* out;  // [head_dim], the quotient; null: more chunks come
};

struct RopeArgs {
  float* x;  // [heads, head_dim] of one token, changed in place
  std::int64_t heads, head_dim;
  const float* table;     // [rope_dim]: cos of rope_dim/2 angles, then their sin (attention factor included)
  std::int64_t rope_dim;  // ≤ head_dim; the rest passes through
  bool interleaved;       // pairs (2i, 2i+1) as llama's GGUF files; else (i, i + rope_dim/2) as NeoX
};

enum class Activation : std::uint8_t { silu, gelu_tanh };

struct KernelTable {
  std::string_view name;  // "scalar", "avx2", "avxvnni", "avx512"

  void (*quantize_row)(const float* x, std::int64_t k, std::byte* out);
  void (*quantize_row_fine)(const float* x, std::int64_t k, std::byte* out);
  void (*pack_rows)(const PackArgs&);       // block types
  void (*linear_int8)(const LinearArgs&);   // block types; x int8
  void (*linear_float)(const LinearArgs&);  // every type, block types dequantized on the way; x float32
  void (*dequantize_row)(tensor::DType type, const std::byte* row, std::int64_t n, float* out);

  void (*rms_norm)(const float* x, const float* weight, float eps, std::int64_t n, float* y);  // weight may be null; y may be x
  void (*add)(const float* a, const float* b, std::int64_t n, float* y);
  void (*scale)(const float* x, float factor, std::int64_t n, float* y);
  void (*soft_cap)(const float* x, float cap, std::int64_t n, float* y);
  void (*gated)(Activation act, const float* gate, const float* up, std::int64_t n, float* y);  // y = act(gate) · up
  void (*rope)(const RopeArgs&);

  // One token's keys and values, [kv_heads, head_dim] each, to position `slot` of block `block`.
  void (*kv_write)(const KvView& store, std::uint32_t block, std::int64_t slot, const float* k, const float* v);
  void (*attend)(const AttendArgs&);
  void (*attend_merge)(const AttendMergeArgs&);

  // For measuring the machine, not for answers (ceiling.h). int8 products and sums as quick as this set's instructions allow;
  // returns how many operations `rounds` rounds are (a product and its sum are two). sink: 16 floats that hold nothing of use.
  std::int64_t (*int8_peak)(std::int64_t rounds, float* sink);
  // Reads n bytes (a multiple of 512, aligned to 64). sink: 512 bytes that hold nothing of use, aligned to 64.
  void (*read_bytes)(const std::byte* p, std::size_t n, std::uint8_t* sink);
};

std::size_t linear_scratch(std::int64_t k);
std::size_t attend_scratch(std::int64_t head_dim, std::int64_t group);

}  // namespace puna::backend::cpu
