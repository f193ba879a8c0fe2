#include "backend/kv_view.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/checked.h"

namespace puna::backend {
namespace {

std::int64_t head_bytes(const KvShape& shape, tensor::DType type) {
  const std::size_t group = tensor::traits(type).block_size;
  const std::size_t width = round_up(static_cast<std::size_t>(shape.head_dim), group);
  const std::size_t bytes = tensor::row_bytes(type, width * static_cast<std::size_t>(shape.block_tokens));
  return static_cast<std::int64_t>(round_up(bytes, std::size_t{64}));
}

}  // namespace

bool is_kv_type(tensor::DType type) { return std::ranges::find(kKvTypes, type) != std::end(kKvTypes); }

KvView kv_view(const KvShape& shape, tensor::DType k_type, tensor::DType v_type) {
  PUNA_CHECK(is_kv_type(k_type) && is_kv_type(v_type));
  const std::int64_t k_head_bytes = head_bytes(shape, k_type), v_head_bytes = head_bytes(shape, v_type);
  return {.k_type = k_type,
          .v_type = v_type,
          .n_kv_heads = shape.n_kv_heads,
          .head_dim = shape.head_dim,
          .block_tokens = shape.block_tokens,
          .k_head_bytes = k_head_bytes,
          .v_head_bytes = v_head_bytes,
          .k_block_stride = shape.n_kv_heads * k_head_bytes,
          .v_block_stride = shape.n_kv_heads * v_head_bytes};
}

}  // namespace puna::backend
