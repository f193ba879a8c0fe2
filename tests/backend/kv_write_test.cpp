#include <array>
#include <limits>

#include "backend/paged_store.h"

namespace puna::backend::cpu {
namespace {

using tensor::DType;

class KvWrite : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(KvWrite);

// How far a stored value may be from x, where the largest of its 32 has this magnitude.
double rounding_of(DType type, double x, double largest) {
  constexpr double kScale = 1 + 0x1p-11;  // the scale's own rounding
  switch (type) {
    case DType::F32:
      return 0;
    case DType::F16:
      return std::fabs(x) * 0x1p-11;
    case DType::BF16:
      return std::fabs(x) * 0x1p-8;
    case DType::Q8_0:
      return largest / 127 * 0.5001 * kScale + largest * 0x1p-11;  // at the end of the range the scale's rounding shows
    default:
      return largest / 8 * 1.0001 * kScale;  // 8 · scale of the other sign is cut to 7
  }
}

TEST_P(KvWrite, PutsValuesWhereTheLayoutSays) {
  for (const TypePair& types : type_pairs())
    for (std::int64_t head_dim : {16, 40, 64}) {
      PagedStore store({2, head_dim, 32}, types.k, types.v, 3);
      Numbers numbers(9);
      const std::vector<float> k = numbers.take(2 * head_dim, 3.0f), v = numbers.take(2 * head_dim, 0.1f);
      table().kv_write(store.view, 1, 7, k.data(), v.data());
      for (std::int64_t head = 0; head < 2; ++head)
        for (std::int64_t d = 0; d < head_dim; ++d) {
          const auto at = static_cast<std::size_t>(head * head_dim + d);
          EXPECT_NEAR(store.key({1, head, 7}, d), k[at], rounding_of(types.k, k[at], 3.0)) << name_of(types) << ", " << d;
          EXPECT_NEAR(store.value({1, head, 7}, d), v[at], rounding_of(types.v, v[at], 0.1)) << name_of(types) << ", " << d;
        }
    }
}

TEST_P(KvWrite, TouchesNothingElse) {
  for (const TypePair& types : type_pairs())
    for (std::int64_t head_dim : {16, 24, 32}) {
      PagedStore store({2, head_dim, 16}, types.k, types.v, 2, std::byte{0});
      std::vector<float> numbers = Numbers(4).take(2 * head_dim);
      const auto write = [&](std::uint32_t block, std::int64_t slot) {
        table().kv_write(store.view, block, slot, numbers.data(), numbers.data());
      };
      write(0, 14);
      write(1, 0);
      const PagedStore before = [&] {
        PagedStore copy({2, head_dim, 16}, types.k, types.v, 2);
        std::memcpy(copy.keys.data(), store.keys.data(), store.keys.size());
        std::memcpy(copy.values.data(), store.values.data(), store.values.size());
        return copy;
      }();
      for (float& x : numbers) x = -2 * x;
      write(0, 15);
      for (std::int64_t head = 0; head < 2; ++head)
        for (const Place& place : {Place{0, head, 14}, Place{0, head, 13}, Place{1, head, 0}})
          for (std::int64_t d = 0; d < head_dim; ++d) {
            EXPECT_EQ(store.key(place, d), before.key(place, d)) << name_of(types);
            EXPECT_EQ(store.value(place, d), before.value(place, d)) << name_of(types);
          }
    }
}

TEST_P(KvWrite, RoundsHalvesToEven) {
  // Halfway between two halves, just beside it, the largest half, beyond it, subnormals, ends.
  const std::array<std::pair<float, std::uint16_t>, 12> cases{{
      {1.0f, 0x3C00},
      {1.0f + 0x1p-11f, 0x3C00},
      {1.0f + 3 * 0x1p-11f, 0x3C02},
      {1.0f + 0x1p-11f + 0x1p-20f, 0x3C01},
      {-1.0f - 0x1p-11f, 0xBC00},
      {65504.0f, 0x7BFF},
      {65519.9f, 0x7BFF},
      {65520.0f, 0x7C00},
      {0x1p-24f, 0x0001},
      {0x1p-25f, 0x0000},
      {0x1p-25f * 1.0001f, 0x0001},
      {-0.0f, 0x8000},
  }};
  PagedStore store({1, 12, 16}, DType::F16, DType::F16, 1);
  std::vector<float> x;
  for (const auto& [value, _] : cases) x.push_back(value);
  table().kv_write(store.view, 0, 3, x.data(), x.data());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto d = static_cast<std::int64_t>(i);
    EXPECT_EQ(store.key({0, 0, 3}, d), tensor::f16_to_f32(cases[i].second)) << cases[i].first;
    EXPECT_EQ(store.value({0, 0, 3}, d), tensor::f16_to_f32(cases[i].second)) << cases[i].first;
  }
}

TEST_P(KvWrite, ScalesAreTheTypesOwn) {
  // Q8_0: the largest magnitude is 127 steps. Q4_0: the largest is 8 steps down from zero, whatever its sign.
  std::vector<float> x(32, 0.0f);
  x[3] = -12.7f;
  x[5] = 6.35f;
  PagedStore eight({1, 32, 16}, DType::Q8_0, DType::Q8_0, 1);
  table().kv_write(eight.view, 0, 0, x.data(), x.data());
  const double step = tensor::f16_to_f32(tensor::f32_to_f16(0.1f));
  EXPECT_EQ(eight.key({0, 0, 0}, 3), -127 * step);
  EXPECT_NEAR(eight.value({0, 0, 0}, 5), 63.5 * step, 0.51 * step);
  PagedStore four({1, 32, 16}, DType::Q4_0, DType::Q4_0, 1);
  table().kv_write(four.view, 0, 0, x.data(), x.data());
  const double coarse = tensor::f16_to_f32(tensor::f32_to_f16(12.7f / 8));
  EXPECT_EQ(four.key({0, 0, 0}, 3), -8 * coarse);
  EXPECT_EQ(four.value({0, 0, 0}, 5), 4 * coarse);
  EXPECT_EQ(four.value({0, 0, 0}, 0), 0.0);
}

TEST_P(KvWrite, ZerosStayZero) {
  const std::vector<float> zeros(64, 0.0f);
  for (const TypePair& types : type_pairs()) {
    PagedStore store({1, 64, 32}, types.k, types.v, 1);
    table().kv_write(store.view, 0, 31, zeros.data(), zeros.data());
    for (std::int64_t d = 0; d < 64; ++d) {
      EXPECT_EQ(store.key({0, 0, 31}, d), 0.0) << name_of(types);
      EXPECT_EQ(store.value({0, 0, 31}, d), 0.0) << name_of(types);
    }
  }
}

TEST_P(KvWrite, EveryTableWritesTheSameBits) {
  Numbers numbers(21);
  std::vector<float> x(4096);
  for (float& value : x) value = std::ldexp(numbers.next(), static_cast<int>(numbers.bits() % 48) - 30);
  x[7] = std::numeric_limits<float>::infinity();
  x[70] = -std::numeric_limits<float>::infinity();
  for (const DType type : kKvTypes) {
    PagedStore wanted({64, 64, 16}, type, type, 1), found({64, 64, 16}, type, type, 1);
    plain_table().kv_write(wanted.view, 0, 5, x.data(), x.data());
    table().kv_write(found.view, 0, 5, x.data(), x.data());
    EXPECT_TRUE(wanted.keys == found.keys) << tensor::name(type);
    EXPECT_TRUE(wanted.values == found.values) << tensor::name(type);
  }
}

}  // namespace
}  // namespace puna::backend::cpu
