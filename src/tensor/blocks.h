// The blocks of the quantized types, byte for byte as GGUF files hold them (little-endian). Under each drawing: which
// bits make weight i of the block, and its value. Half floats are raw bits (half.h reads them); nothing is aligned
// beyond a byte, so a block can be read where it lies in the file.
#pragma once

#include <cstdint>

namespace puna::tensor {

// A 16-bit field at any address.
struct Packed16 {
  std::uint8_t low, high;
  constexpr std::uint16_t bits() const { return static_cast<std::uint16_t>(low | high << 8); }
};

// The sixteen values of the non-linear 4-bit types, closer together around zero.
constexpr std::int8_t kIq4Values[16]{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// ---- blocks of 32 ----------------------------------------------------------------------------------------------------

// | d: f16 | qs: 16 bytes |                      q[i]    = low nibble of qs[i]      i < 16
//                                                q[i+16] = high nibble of qs[i]
// weight = d · (q - 8)
struct BlockQ4_0 {
  Packed16 d;
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

// | d: f16 | m: f16 | qs: 16 bytes as Q4_0 |
// weight = d · q + m
struct BlockQ4_1 {
  Packed16 d, m;
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

// | d: f16 | qh: 32 bits | qs: 16 bytes as Q4_0 |    bit 4 of q[i] = bit i of qh
// weight = d · (q - 16)
struct BlockQ5_0 {
  Packed16 d;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

// | d: f16 | m: f16 | qh: 32 bits | qs: 16 bytes |   q as Q5_0
// weight = d · q + m
struct BlockQ5_1 {
  Packed16 d, m;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

// | d: f16 | qs: 32 signed bytes |
// weight = d · q
struct BlockQ8_0 {
  Packed16 d;
  std::int8_t qs[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

// | d: f16 | qs: 16 bytes as Q4_0 |
// weight = d · kIq4Values[q]
struct BlockIQ4_NL {
  Packed16 d;
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18);

// ---- super-blocks of 256 ---------------------------------------------------------------------------------------------

// Sixteen groups of 16, each with a 4-bit scale and a 4-bit minimum.
// | scales: 16 × (scale: low nibble, min: high) | qs: 64 bytes | d: f16 | dmin: f16 |
// qs: two halves of 32 bytes for 128 weights each; in half h, for j = 0…3:
//   q[128h + 32j + i] = bits 2j, 2j+1 of qs[32h + i]       i < 32
// weight = d · scale · q - dmin · min
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  Packed16 d, dmin;
};
static_assert(sizeof(BlockQ2_K) == 84);

// Sixteen groups of 16, each with a 6-bit scale, biased by 32.
// | hmask: 32 bytes | qs: 64 bytes as Q2_K | scales: 12 bytes | d: f16 |
// bit 2 of q[128h + 32j + i] = bit 4h + j of hmask[i]
// scale g: bits 0–3 = nibble of scales[g mod 8] (low for g < 8, high above);
//          bits 4–5 = bits 2(g div 4), +1 of scales[8 + g mod 4]
// weight = d · (scale - 32) · (q - 4)
struct BlockQ3_K {
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  Packed16 d;
};
static_assert(sizeof(BlockQ3_K) == 110);

// Eight groups of 32, each with a 6-bit scale and a 6-bit minimum.
// | d: f16 | dmin: f16 | scales: 12 bytes | qs: 128 bytes |
// scales: g < 4:  scale = bits 0–5 of scales[g], min = bits 0–5 of scales[g + 4]
//         g ≥ 4:  scale = low nibble of scales[g + 4] | bits 6–7 of scales[g - 4] as bits 4–5
//                 min   = high nibble of scales[g + 4] | bits 6–7 of scales[g] as bits 4–5
// qs: four quarters of 32 bytes for 64 weights each:
//   q[64j + i] = low nibble of qs[32j + i], q[64j + 32 + i] = high nibble        i < 32
// weight = d · scale · q - dmin · min
struct BlockQ4_K {
  Packed16 d, dmin;
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

// | d: f16 | dmin: f16 | scales: 12 bytes as Q4_K | qh: 32 bytes | qs: 128 bytes as Q4_K |
// bit 4 of q[32g + i] = bit g of qh[i]           i < 32
// weight = d · scale · q - dmin · min
struct BlockQ5_K {
  Packed16 d, dmin;
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

// Sixteen groups of 16, each with a signed 8-bit scale.
// | ql: 128 bytes | qh: 64 bytes | scales: 16 signed bytes | d: f16 |
// two halves h of 128 weights (64 bytes of ql, 32 of qh), in each for j = 0…3, i < 32:
//   bits 0–3 of q[128h + 32j + i] = nibble of ql[64h + 32(j mod 2) + i]: low for j < 2, high above
//   bits 4–5                      = bits 2j, 2j+1 of qh[32h + i]
// weight = d · scale · (q - 32)
struct BlockQ6_K {
  std::uint8_t ql[128];
  std::uint8_t qh[64];
  std::int8_t scales[16];
  Packed16 d;
};
static_assert(sizeof(BlockQ6_K) == 210);

// Eight groups of 32, each with a 6-bit scale, biased by 32.
// | d: f16 | scales_h: 16 bits | scales_l: 4 bytes | qs: 128 bytes |
// scale g: bits 0–3 = nibble of scales_l[g div 2] (low for even g); bits 4–5 = bits 2g, 2g+1 of scales_h
// qs: 16 bytes for each group, nibbles as Q4_0
// weight = d · (scale - 32) · kIq4Values[q]
struct BlockIQ4_XS {
  Packed16 d, scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136);

}  // namespace puna::tensor
