// How a layer's keys and values lie in memory, for those who write and read them. The blocks are the kv room's: a block
// holds `block_tokens` consecutive positions of one sequence; which block is where is the block table's to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace puna::backend {

// Types of keys and of values, each for itself; the first is the most exact.
inline constexpr tensor::DType kKvTypes[] = {tensor::DType::F32, tensor::DType::F16, tensor::DType::BF16, tensor::DType::Q8_0,
                                             tensor::DType::Q4_0};
bool is_kv_type(tensor::DType type);

struct KvShape {
  std::int64_t n_kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_tokens = 0;  // a multiple of 16
};

// Keys lie transposed, so that a block's tokens are neighbours and one query value meets them all at once; values lie in
// rows, so that one probability meets a whole row. Both are [block][kv_head], each head from a multiple of 64 bytes on as
//   f32 f16 bf16  k: [head_dim][block_tokens]           v: [block_tokens][head_dim]
//   q8_0          k: int8 [width/4][block_tokens][4]    v: int8 [block_tokens][width]
//   q4_0          k: [width/8][block_tokens][4 bytes]   v: [block_tokens][width/32][16 bytes]
//                 k: byte b is value 8i + b in its low nibble, 8i + 4 + b in its high one; v: values i and 16 + i of the 32
//   and behind the integers of both, [width/32][block_tokens]: f16, the scale of 32 values of a token
// with width = head_dim in whole 32s, zeros at the end. A value is scale · q, in q4_0 scale · (q - 8).
struct KvView {
  tensor::DType k_type = tensor::DType::F16;
  tensor::DType v_type = tensor::DType::F16;
  std::byte* k = nullptr;  // at a multiple of 64 bytes, as v
  std::byte* v = nullptr;
  std::int64_t n_kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_tokens = 0;
  std::int64_t k_head_bytes = 0, v_head_bytes = 0;      // of one head in one block
  std::int64_t k_block_stride = 0, v_block_stride = 0;  // bytes from one block to the next

  std::int64_t k_block_bytes() const { return n_kv_heads * k_head_bytes; }
  std::int64_t v_block_bytes() const { return n_kv_heads * v_head_bytes; }
  std::byte* k_head(std::int64_t block, std::int64_t head) const { return k + block * k_block_stride + head * k_head_bytes; }
  std::byte* v_head(std::int64_t block, std::int64_t head) const { return v + block * v_block_stride + head * v_head_bytes; }
};

// Without its memory, the blocks one after the other.
KvView kv_view(const KvShape& shape, tensor::DType k_type, tensor::DType v_type);

// The rows of a step that belong to one sequence: row `first_row + i` stands at position `start + i`.
struct SequenceRows {
  std::int64_t first_row = 0;
  std::int64_t n_rows = 0;
  std::int64_t start = 0;
};

}  // namespace puna::backend
