// How a layer's keys and values lie in memory, for those who write and read them. The blocks are the kv room's: a block
// holds `block_tokens` consecutive positions of one sequence; which block is where is the block table's to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace puna::backend {

// Keys lie transposed, so that a block's tokens are neighbours and one query value meets them all at once; values lie in
// rows, so that one probability meets a whole row.
//   k: [block][kv_head][head_dim][block_tokens]      v: [block][kv_head][block_tokens][head_dim]
struct KvView {
  tensor::DType type = tensor::DType::F16;  // F32 or F16, both of k and v
  std::byte* k = nullptr;
  std::byte* v = nullptr;
  std::int64_t n_kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t block_tokens = 0;

  std::int64_t head_elements() const { return head_dim * block_tokens; }              // of one head in one block
  std::int64_t block_elements() const { return n_kv_heads * head_elements(); }  // of one block
};

// The rows of a step that belong to one sequence: row `first_row + i` stands at position `start + i`.
struct SequenceRows {
  std::int64_t first_row = 0;
  std::int64_t n_rows = 0;
  std::int64_t start = 0;
};

}  // namespace puna::backend
