#include <array>
#include <limits>

#include "backend/kernel_tables.h"
#include "tensor/half.h"

namespace puna::backend::cpu {
namespace {

class KvWrite : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(KvWrite);

struct Store {
  KvView view;
  std::vector<std::byte> keys, values;

  Store(tensor::DType type, std::int64_t heads, std::int64_t head_dim, std::int64_t block_tokens, std::int64_t blocks) {
    view = {.type = type, .n_kv_heads = heads, .head_dim = head_dim, .block_tokens = block_tokens};
    const auto bytes = static_cast<std::size_t>(blocks * view.block_elements()) * (type == tensor::DType::F16 ? 2 : 4);
    keys.assign(bytes, std::byte{0x5A});
    values.assign(bytes, std::byte{0x5A});
    view.k = keys.data();
    view.v = values.data();
  }
  template <class Element>
  Element key(std::int64_t block, std::int64_t head, std::int64_t d, std::int64_t slot) const {
    return reinterpret_cast<const Element*>(
        keys.data())[((block * view.n_kv_heads + head) * view.head_dim + d) * view.block_tokens + slot];
  }
  template <class Element>
  Element value(std::int64_t block, std::int64_t head, std::int64_t d, std::int64_t slot) const {
    return reinterpret_cast<const Element*>(
        values.data())[((block * view.n_kv_heads + head) * view.block_tokens + slot) * view.head_dim + d];
  }
};

TEST_P(KvWrite, PutsFloatsWhereTheLayoutSays) {
  for (std::int64_t head_dim : {16, 40, 64}) {
    Store store(tensor::DType::F32, 2, head_dim, 32, 3);
    Numbers numbers(9);
    const std::vector<float> k = numbers.take(2 * head_dim), v = numbers.take(2 * head_dim);
    table().kv_write(store.view, 1, 7, k.data(), v.data());
    for (std::int64_t head = 0; head < 2; ++head)
      for (std::int64_t d = 0; d < head_dim; ++d) {
        EXPECT_EQ(store.key<float>(1, head, d, 7), k[static_cast<std::size_t>(head * head_dim + d)]);
        EXPECT_EQ(store.value<float>(1, head, d, 7), v[static_cast<std::size_t>(head * head_dim + d)]);
      }
  }
}

TEST_P(KvWrite, TouchesNothingElse) {
  for (std::int64_t head_dim : {16, 24}) {
    Store before(tensor::DType::F16, 2, head_dim, 16, 2), after(tensor::DType::F16, 2, head_dim, 16, 2);
    const std::vector<float> ones(static_cast<std::size_t>(2 * head_dim), 1.0f);
    table().kv_write(after.view, 0, 15, ones.data(), ones.data());
    std::int64_t changed_keys = 0, changed_values = 0;
    for (std::size_t i = 0; i < before.keys.size(); i += 2) {
      changed_keys += before.keys[i] != after.keys[i];
      changed_values += before.values[i] != after.values[i];
    }
    EXPECT_EQ(changed_keys, 2 * head_dim);
    EXPECT_EQ(changed_values, 2 * head_dim);
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
  Store store(tensor::DType::F16, 1, 12, 16, 1);
  std::vector<float> x;
  for (const auto& [value, _] : cases) x.push_back(value);
  table().kv_write(store.view, 0, 3, x.data(), x.data());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(store.key<std::uint16_t>(0, 0, static_cast<std::int64_t>(i), 3), cases[i].second) << cases[i].first;
    EXPECT_EQ(store.value<std::uint16_t>(0, 0, static_cast<std::int64_t>(i), 3), cases[i].second) << cases[i].first;
  }
}

TEST_P(KvWrite, EveryTableWritesTheSameHalves) {
  Numbers numbers(21);
  std::vector<float> x(4096);
  for (float& value : x) value = std::ldexp(numbers.next(), static_cast<int>(numbers.bits() % 48) - 30);
  Store expected(tensor::DType::F16, 64, 64, 16, 1), found(tensor::DType::F16, 64, 64, 16, 1);
  plain_table().kv_write(expected.view, 0, 5, x.data(), x.data());
  table().kv_write(found.view, 0, 5, x.data(), x.data());
  EXPECT_EQ(expected.keys, found.keys);
  EXPECT_EQ(expected.values, found.values);
}

}  // namespace
}  // namespace puna::backend::cpu
