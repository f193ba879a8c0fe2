#include "tensor/dequantize.h"

#include <cstring>

#include "tensor/blocks.h"
#include "tensor/half.h"

namespace puna::tensor {
namespace {

float value(Packed16 half) { return f16_to_f32(half.bits()); }

int low_nibble(std::uint8_t byte) { return byte & 15; }
int high_nibble(std::uint8_t byte) { return byte >> 4; }
int bit(std::uint8_t byte, int index) { return byte >> index & 1; }
int two_bits(std::uint8_t byte, int index) { return byte >> index & 3; }  // bits index and index + 1

// The nibble of weight i of 32 that lie in 16 bytes.
int nibble_of_32(const std::uint8_t* qs, int i) { return i < 16 ? low_nibble(qs[i]) : high_nibble(qs[i - 16]); }

// ---- weight i of a block ---------------------------------------------------------------------------------------------

float weight(const BlockQ4_0& b, int i) { return value(b.d) * static_cast<float>(nibble_of_32(b.qs, i) - 8); }

float weight(const BlockQ4_1& b, int i) { return value(b.d) * static_cast<float>(nibble_of_32(b.qs, i)) + value(b.m); }

float weight(const BlockQ5_0& b, int i) {
  const int q = nibble_of_32(b.qs, i) | bit(b.qh[i / 8], i % 8) << 4;
  return value(b.d) * static_cast<float>(q - 16);
}

float weight(const BlockQ5_1& b, int i) {
  const int q = nibble_of_32(b.qs, i) | bit(b.qh[i / 8], i % 8) << 4;
  return value(b.d) * static_cast<float>(q) + value(b.m);
}

float weight(const BlockQ8_0& b, int i) { return value(b.d) * static_cast<float>(b.qs[i]); }

float weight(const BlockIQ4_NL& b, int i) { return value(b.d) * static_cast<float>(kIq4Values[nibble_of_32(b.qs, i)]); }

float weight(const BlockQ2_K& b, int i) {
  const int half = i / 128, j = i / 32 % 4, group = i / 16;
  const int q = two_bits(b.qs[32 * half + i % 32], 2 * j);
  const float scale = value(b.d) * static_cast<float>(low_nibble(b.scales[group]));
  const float minimum = value(b.dmin) * static_cast<float>(high_nibble(b.scales[group]));
  return scale * static_cast<float>(q) - minimum;
}

float weight(const BlockQ3_K& b, int i) {
  const int half = i / 128, j = i / 32 % 4, group = i / 16;
  const int q = two_bits(b.qs[32 * half + i % 32], 2 * j) | bit(b.hmask[i % 32], 4 * half + j) << 2;
  const int low = group < 8 ? low_nibble(b.scales[group]) : high_nibble(b.scales[group - 8]);
  const int high = two_bits(b.scales[8 + group % 4], 2 * (group / 4));
  return value(b.d) * static_cast<float>((low | high << 4) - 32) * static_cast<float>(q - 4);
}

struct ScaleAndMinimum {
  int scale, minimum;
};
// Group g of the twelve bytes of Q4_K and Q5_K.
ScaleAndMinimum six_bit_pair(const std::uint8_t* s, int g) {
  if (g < 4) return {s[g] & 63, s[g + 4] & 63};
  return {low_nibble(s[g + 4]) | two_bits(s[g - 4], 6) << 4, high_nibble(s[g + 4]) | two_bits(s[g], 6) << 4};
}

// The nibble of weight i of 256 that lie in quarters of 32 bytes.
int nibble_of_256(const std::uint8_t* qs, int i) {
  const std::uint8_t byte = qs[i / 64 * 32 + i % 32];
  return i % 64 < 32 ? low_nibble(byte) : high_nibble(byte);
}

float weight(const BlockQ4_K& b, int i) {
  const auto [scale, minimum] = six_bit_pair(b.scales, i / 32);
  const float d = value(b.d) * static_cast<float>(scale), m = value(b.dmin) * static_cast<float>(minimum);
  return d * static_cast<float>(nibble_of_256(b.qs, i)) - m;
}

float weight(const BlockQ5_K& b, int i) {
  const auto [scale, minimum] = six_bit_pair(b.scales, i / 32);
  const float d = value(b.d) * static_cast<float>(scale), m = value(b.dmin) * static_cast<float>(minimum);
  const int q = nibble_of_256(b.qs, i) | bit(b.qh[i % 32], i / 32) << 4;
  return d * static_cast<float>(q) - m;
}

float weight(const BlockQ6_K& b, int i) {
  const int half = i / 128, j = i / 32 % 4;
  const std::uint8_t low_byte = b.ql[64 * half + 32 * (j % 2) + i % 32];
  const int low = j < 2 ? low_nibble(low_byte) : high_nibble(low_byte);
  const int q = low | two_bits(b.qh[32 * half + i % 32], 2 * j) << 4;
  return value(b.d) * static_cast<float>(b.scales[i / 16]) * static_cast<float>(q - 32);
}

float weight(const BlockIQ4_XS& b, int i) {
  const int group = i / 32;
  const int low = group % 2 == 0 ? low_nibble(b.scales_l[group / 2]) : high_nibble(b.scales_l[group / 2]);
  const int high = b.scales_h.bits() >> 2 * group & 3;
  return value(b.d) * static_cast<float>((low | high << 4) - 32) *
         static_cast<float>(kIq4Values[nibble_of_32(b.qs + 16 * group, i % 32)]);
}

// ---- rows ------------------------------------------------------------------------------------------------------------

template <class Block, int kSize>
void blocks_to_floats(const std::byte* row, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += kSize, row += sizeof(Block)) {
    Block block;
    std::memcpy(&block, row, sizeof(Block));
    for (int j = 0; j < kSize; ++j) out[i + j] = weight(block, j);
  }
}

template <class Widen>
void halves_to_floats(const std::byte* row, std::int64_t n, float* out, Widen widen) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, row + 2 * i, sizeof(half));
    out[i] = widen(half);
  }
}

}  // namespace

void dequantize_row(DType type, const std::byte* row, std::int64_t n, float* out) {
  switch (type) {
    case DType::F32:
      std::memcpy(out, row, static_cast<std::size_t>(n) * sizeof(float));
      return;
    case DType::F16:
      return halves_to_floats(row, n, out, f16_to_f32);
    case DType::BF16:
      return halves_to_floats(row, n, out, bf16_to_f32);
    case DType::Q4_0:
      return blocks_to_floats<BlockQ4_0, 32>(row, n, out);
    case DType::Q4_1:
      return blocks_to_floats<BlockQ4_1, 32>(row, n, out);
    case DType::Q5_0:
      return blocks_to_floats<BlockQ5_0, 32>(row, n, out);
    case DType::Q5_1:
      return blocks_to_floats<BlockQ5_1, 32>(row, n, out);
    case DType::Q8_0:
      return blocks_to_floats<BlockQ8_0, 32>(row, n, out);
    case DType::IQ4_NL:
      return blocks_to_floats<BlockIQ4_NL, 32>(row, n, out);
    case DType::Q2_K:
      return blocks_to_floats<BlockQ2_K, 256>(row, n, out);
    case DType::Q3_K:
      return blocks_to_floats<BlockQ3_K, 256>(row, n, out);
    case DType::Q4_K:
      return blocks_to_floats<BlockQ4_K, 256>(row, n, out);
    case DType::Q5_K:
      return blocks_to_floats<BlockQ5_K, 256>(row, n, out);
    case DType::Q6_K:
      return blocks_to_floats<BlockQ6_K, 256>(row, n, out);
    case DType::IQ4_XS:
      return blocks_to_floats<BlockIQ4_XS, 256>(row, n, out);
  }
}

}  // namespace puna::tensor
