// The reference dequantization against floats that PyPI's gguf computed (tools/make_tensor_cases.py), bit for bit.
#include "tensor/dequantize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tensor/blocks.h"
#include "tensor/half.h"

namespace puna::tensor {
namespace {

std::vector<std::byte> read_data(const std::string& name) {
  std::ifstream file(std::string(PUNA_TEST_DATA) + "/tensor/" + name, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

class BlockType : public testing::TestWithParam<DType> {};

TEST_P(BlockType, means_the_floats_that_gguf_s_own_code_makes_of_it) {
  const DTypeTraits& type = traits(GetParam());
  const std::vector<std::byte> data = read_data(std::string(type.name) + ".bin");
  const std::size_t n_blocks = data.size() / (type.block_bytes + type.block_size * sizeof(float));
  ASSERT_EQ(n_blocks * type.block_size, 2048u);
  std::vector<float> wanted(2048), found(2048);
  std::memcpy(wanted.data(), data.data() + n_blocks * type.block_bytes, wanted.size() * sizeof(float));
  dequantize_row(type.type, data.data(), 2048, found.data());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_EQ(bits(found[i]), bits(wanted[i])) << "weight " << i << ": " << found[i] << " for " << wanted[i];
}

TEST_P(BlockType, may_lie_at_any_address) {
  const DTypeTraits& type = traits(GetParam());
  const std::vector<std::byte> data = read_data(std::string(type.name) + ".bin");
  std::vector<std::byte> shifted(data.size() + 1);
  std::memcpy(shifted.data() + 1, data.data(), data.size());
  std::vector<float> straight(type.block_size), odd(type.block_size);
  dequantize_row(type.type, data.data(), type.block_size, straight.data());
  dequantize_row(type.type, shifted.data() + 1, type.block_size, odd.data());
  EXPECT_EQ(straight, odd);
}

INSTANTIATE_TEST_SUITE_P(Types, BlockType,
                         testing::Values(DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0, DType::Q2_K,
                                         DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS),
                         [](const auto& one) { return std::string(name(one.param)); });

TEST(Halves, every_f16_means_what_the_standard_says) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float found = f16_to_f32(half);
    EXPECT_EQ(std::signbit(found), (half & 0x8000) != 0);
    if (exponent == 31) {
      EXPECT_EQ(std::isinf(found), mantissa == 0);
      EXPECT_EQ(std::isnan(found), mantissa != 0);
    } else {
      const double wanted = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
      ASSERT_EQ(std::fabs(static_cast<double>(found)), wanted) << pattern;
    }
  }
}

TEST(Halves, every_half_float_survives_the_way_to_float_and_back) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const auto quiet_f16 = static_cast<std::uint16_t>((half & 0x7fff) > 0x7c00 ? half | 0x200 : half);
    const auto quiet_bf16 = static_cast<std::uint16_t>((half & 0x7fff) > 0x7f80 ? half | 0x40 : half);
    ASSERT_EQ(f32_to_f16(f16_to_f32(half)), quiet_f16);
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(half)), quiet_bf16);
  }
}

TEST(Halves, floats_round_to_nearest_even_as_numpy_rounds_them) {
  const std::vector<std::byte> data = read_data("halves.bin");
  ASSERT_GT(data.size(), 8u * 2000);
  for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
    float value = 0;
    std::uint16_t f16 = 0, bf16 = 0;
    std::memcpy(&value, data.data() + i, 4);
    std::memcpy(&f16, data.data() + i + 4, 2);
    std::memcpy(&bf16, data.data() + i + 6, 2);
    ASSERT_EQ(f32_to_f16(value), f16) << value;
    ASSERT_EQ(f32_to_bf16(value), bf16) << value;
  }
}

TEST(Rows, of_floats_are_copied) {
  const std::vector<float> row{1.5f, -0.0f, INFINITY, 1e-45f};
  std::vector<float> out(row.size());
  dequantize_row(DType::F32, reinterpret_cast<const std::byte*>(row.data()), 4, out.data());
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(bits(out[i]), bits(row[i]));
}

TEST(Rows, of_halves_are_widened) {
  const std::vector<std::uint16_t> row{0x3c00, 0xc000, 0x0001};
  std::vector<float> out(3);
  dequantize_row(DType::F16, reinterpret_cast<const std::byte*>(row.data()), 3, out.data());
  EXPECT_EQ(out, (std::vector<float>{1.0f, -2.0f, 0x1p-24f}));
  dequantize_row(DType::BF16, reinterpret_cast<const std::byte*>(row.data()), 3, out.data());
  EXPECT_EQ(out, (std::vector<float>{0x1p-7f, -2.0f, 0x1p-133f}));
}

}  // namespace
}  // namespace puna::tensor
