// The element types of tensors: one traits line each. Numbers and names are ggml's, as GGUF files store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace puna::tensor {

enum class DType : std::uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q2_K = 10,
  Q3_K = 11,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  IQ4_NL = 20,
  IQ4_XS = 23,
  BF16 = 30,
};

struct DTypeTraits {
  DType type;
  std::string_view name;
  std::uint32_t block_size;   // weights in a block; a row is a whole number of blocks
  std::uint32_t block_bytes;  // bytes in a block
};

// All supported types, in the order of their numbers.
std::span<const DTypeTraits> all_dtypes();
const DTypeTraits& traits(DType type);

// The type of that GGUF number; empty where this engine does not have it.
std::optional<DType> dtype_from_number(std::uint32_t number);
// What the format calls that number, also where the engine does not have it ("IQ2_XXS"); "unknown" beyond the format.
std::string_view dtype_name(std::uint32_t number);

inline std::string_view name(DType type) { return traits(type).name; }

// Bytes of a row of `n` elements (n is a multiple of the block size).
inline std::size_t row_bytes(DType type, std::size_t n) {
  const DTypeTraits& t = traits(type);
  return n / t.block_size * t.block_bytes;
}

}  // namespace puna::tensor
