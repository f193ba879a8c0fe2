// Matrix products, on every table that this machine can execute: near the exact value, and the same bits whatever the
// table, the number of columns and the range of rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/weights.h"

namespace puna::backend::cpu {
namespace {

using tensor::DType;

constexpr DType kBlockTypes[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0,   DType::Q2_K,
                                 DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS};

bool is_super_block(DType type) { return tensor::traits(type).block_size == 256; }

// Activations [n_cols, k], as floats and as int8 rows.
struct Activations {
  Activations(std::int64_t n_cols, std::int64_t width, std::uint64_t seed, bool in_two_parts = false)
      : fine(in_two_parts),
        cols(n_cols),
        k(width),
        floats(Numbers(seed).take(n_cols * width)),
        stride(activation_row_bytes(width) * (fine ? 2 : 1)),
        storage(static_cast<std::size_t>(n_cols) * stride + 64) {
    if (k % kActivationGroup != 0) return;
    const auto quantize = fine ? plain_table().quantize_row_fine : plain_table().quantize_row;
    for (std::int64_t t = 0; t < cols; ++t) quantize(&floats[static_cast<std::size_t>(t * k)], k, row(t));
  }
  std::byte* row(std::int64_t t) const {
    auto* p = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64);
    return p + static_cast<std::size_t>(t) * stride;
  }
  // What the integers of one of a row's parts mean.
  double part(const std::byte* part, std::int64_t i) const {
    const auto* groups = reinterpret_cast<const ActivationGroup*>(part + k);
    return static_cast<double>(static_cast<std::int8_t>(part[i])) * static_cast<double>(groups[i / 32].scale);
  }
  double rounded(std::int64_t t, std::int64_t i) const {
    return part(row(t), i) + (fine ? part(row(t) + activation_row_bytes(k), i) : 0.0);
  }
  bool fine;
  std::int64_t cols, k;
  std::vector<float> floats;
  std::size_t stride;
  mutable std::vector<std::byte> storage;
};

struct Call {
  std::int64_t row_begin = 0, row_end = 0, first_col = 0, n_cols = 0;
  const float* bias = nullptr;
  bool in_float = false;
};

// Scratch that is aligned, full of not-a-number and guarded behind.
struct Scratch {
  explicit Scratch(std::int64_t k) : bytes((linear_scratch(k) + 63) / 64 * 64) { std::memset(bytes.data(), 0xff, bytes.size()); }
  GuardedBytes bytes;
};

// The product with the call's rows as that table packs them.
void int8_product(const KernelTable& table, const Weights& w, LinearArgs args) {
  const std::int64_t n_rows = args.row_end - args.row_begin;
  GuardedBytes packed(packed_bytes(w.type, w.k, n_rows));
  const std::size_t row_bytes = tensor::row_bytes(w.type, static_cast<std::size_t>(w.k));
  table.pack_rows({.type = w.type,
                   .weight = w.bytes.data() + static_cast<std::size_t>(args.row_begin) * row_bytes,
                   .k = w.k,
                   .n_rows = n_rows,
                   .out = packed.data()});
  args.weight = packed.data();
  table.linear_int8(args);
}

// y [n_cols, rows of the call], with a gap between rows that must stay as it is.
std::vector<float> product(const KernelTable& table, const Weights& w, const Activations& x, Call call) {
  const std::int64_t n = call.row_end - call.row_begin, stride = w.rows + 3;
  const Scratch scratch(w.k);
  std::vector<float> y(static_cast<std::size_t>(call.n_cols * stride), 1234.5f);
  const auto* floats = reinterpret_cast<const std::byte*>(&x.floats[static_cast<std::size_t>(call.first_col * x.k)]);
  const LinearArgs args{.type = w.type,
                        .weight = w.bytes.data(),
                        .k = w.k,
                        .row_begin = call.row_begin,
                        .row_end = call.row_end,
                        .x = call.in_float ? floats : x.row(call.first_col),
                        .x_stride = call.in_float ? static_cast<std::size_t>(x.k) * sizeof(float) : x.stride,
                        .n_cols = call.n_cols,
                        .y = y.data(),
                        .y_stride = stride,
                        .bias = call.bias,
                        .scratch = scratch.bytes.data(),
                        .fine = x.fine && !call.in_float};
  if (call.in_float)
    table.linear_float(args);
  else
    int8_product(table, w, args);
  std::vector<float> out;
  for (std::int64_t t = 0; t < call.n_cols; ++t)
    for (std::int64_t r = 0; r < stride; ++r) {
      const float value = y[static_cast<std::size_t>(t * stride + r)];
      if (r >= call.row_begin && r < call.row_end)
        out.push_back(value);
      else
        EXPECT_EQ(value, 1234.5f) << "row " << r << " is not the call's";
    }
  EXPECT_EQ(out.size(), static_cast<std::size_t>(n * call.n_cols));
  return out;
}

std::vector<float> whole(const KernelTable& table, const Weights& w, const Activations& x, bool in_float) {
  return product(table, w, x, {.row_end = w.rows, .n_cols = x.cols, .in_float = in_float});
}

// The exact sum of one output element, and how far float32 may stray from it: one rounding for each of the chain's
// steps, of sums no larger than what is added up. A group's weights are made of parts (scale · integer, minimum) that
// may be larger than they are; their spread and size in the group bound the parts.
struct Exact {
  double value = 0, allowed = 0;
};
Exact exact_int8(const std::vector<float>& weights, const Activations& x, std::int64_t t) {
  Exact out;
  const std::int64_t k = x.k;
  double magnitude = 0;
  for (std::int64_t g = 0; g < k; g += 16) {
    const auto group = std::minmax_element(weights.begin() + g, weights.begin() + g + 16);
    const double part = 2.0 * (*group.second - *group.first) + std::max(std::fabs(*group.first), std::fabs(*group.second));
    for (std::int64_t i = g; i < g + 16; ++i) {
      out.value += static_cast<double>(weights[static_cast<std::size_t>(i)]) * x.rounded(t, i);
      magnitude += part * std::fabs(x.rounded(t, i));
    }
  }
  out.allowed = magnitude * (2.0 * static_cast<double>(k) / 16 + 3) * 0x1p-24;
  return out;
}
Exact exact_float(const std::vector<float>& weights, const Activations& x, std::int64_t t) {
  Exact out;
  double magnitude = 0;
  for (std::int64_t i = 0; i < x.k; ++i) {
    const double term = static_cast<double>(weights[static_cast<std::size_t>(i)]) *
                        static_cast<double>(x.floats[static_cast<std::size_t>(t * x.k + i)]);
    out.value += term;
    magnitude += std::fabs(term);
  }
  out.allowed = magnitude * (static_cast<double>(x.k) / 16 + 6) * 0x1p-24;
  return out;
}

void expect_near(const std::vector<float>& y, const Weights& w, const Activations& x, bool in_float) {
  for (std::int64_t r = 0; r < w.rows; ++r) {
    const std::vector<float> weights = w.row(r);
    for (std::int64_t t = 0; t < x.cols; ++t) {
      const Exact exact = in_float ? exact_float(weights, x, t) : exact_int8(weights, x, t);
      ASSERT_NEAR(y[static_cast<std::size_t>(t * w.rows + r)], exact.value, exact.allowed)
          << tensor::name(w.type) << " k " << w.k << " row " << r << " column " << t;
    }
  }
}

// ---- activations -----------------------------------------------------------------------------------------------------

class QuantizeRow : public OnEveryTable {
 protected:
  std::vector<std::byte> quantized(const KernelTable& by, const std::vector<float>& x) const {
    std::vector<std::byte> out(activation_row_bytes(static_cast<std::int64_t>(x.size())));
    by.quantize_row(x.data(), static_cast<std::int64_t>(x.size()), out.data());
    return out;
  }
};

TEST_P(QuantizeRow, keeps_each_value_within_half_a_step_of_its_group_s_scale) {
  std::vector<float> x = Numbers(1).take(640);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= std::ldexp(1.0f, static_cast<int>(i / 32) - 10);
  const std::vector<std::byte> row = quantized(table(), x);
  const auto* groups = reinterpret_cast<const ActivationGroup*>(row.data() + x.size());
  for (std::size_t g = 0; g < x.size() / 32; ++g) {
    const float most = std::fabs(*std::max_element(x.begin() + 32 * static_cast<std::ptrdiff_t>(g),
                                                   x.begin() + 32 * static_cast<std::ptrdiff_t>(g + 1),
                                                   [](float a, float b) { return std::fabs(a) < std::fabs(b); }));
    EXPECT_EQ(groups[g].scale, most / 127);
    std::int32_t sums[2] = {};
    for (std::size_t i = 0; i < 32; ++i) {
      const int q = static_cast<std::int8_t>(row[32 * g + i]);
      EXPECT_NEAR(static_cast<double>(x[32 * g + i]), q * static_cast<double>(groups[g].scale),
                  0.5001 * static_cast<double>(groups[g].scale));
      EXPECT_LE(std::abs(q), 127);
      sums[i / 16] += q;
    }
    EXPECT_EQ(groups[g].half_offset[0], -128 * sums[0]);
    EXPECT_EQ(groups[g].half_offset[1], -128 * sums[1]);
    EXPECT_EQ(groups[g].offset, -128 * (sums[0] + sums[1]));
    EXPECT_EQ(groups[g].scaled_sum, groups[g].scale * static_cast<float>(sums[0] + sums[1]));
  }
}

TEST_P(QuantizeRow, keeps_what_the_first_part_leaves_in_a_second_one) {
  const Activations x(1, 256, 3, true);
  std::vector<std::byte> row(2 * activation_row_bytes(256) + 64);
  table().quantize_row_fine(x.floats.data(), 256, row.data());
  const std::byte* second = row.data() + activation_row_bytes(256);
  const auto* groups = reinterpret_cast<const ActivationGroup*>(row.data() + 256);
  const auto* fine_groups = reinterpret_cast<const ActivationGroup*>(second + 256);
  std::int32_t sums[8] = {};
  for (std::int64_t i = 0; i < 256; ++i) {
    const double unit = static_cast<double>(groups[i / 32].scale) / 256, coarse = x.part(row.data(), i);
    EXPECT_EQ(static_cast<double>(fine_groups[i / 32].scale), unit);
    const auto wanted = static_cast<double>(x.floats[static_cast<std::size_t>(i)]);
    // What is more than 127.5 units away, half the coarse ones, has at most the 127th.
    const double allowed = std::fabs(wanted - coarse) > 127.5 * unit ? 1.01 : 0.51;
    EXPECT_NEAR(coarse + x.part(second, i), wanted, allowed * unit) << i;
    sums[i / 32] += 256 * static_cast<std::int8_t>(row[static_cast<std::size_t>(i)]) + static_cast<std::int8_t>(second[i]);
  }
  for (std::size_t g = 0; g < 8; ++g) EXPECT_EQ(fine_groups[g].scaled_sum, fine_groups[g].scale * static_cast<float>(sums[g]));
  EXPECT_EQ(std::memcmp(row.data(), x.row(0), 2 * activation_row_bytes(256)), 0) << "not the plain table's bits";
}

TEST_P(QuantizeRow, computes_the_plain_table_s_bits) {
  std::vector<float> x = Numbers(2).take(576);
  for (std::size_t i = 0; i < 32; ++i) {
    x[i] = 0;                                           // nothing at all
    x[32 + i] = static_cast<float>(i) - 15.5f;          // halves that round to even
    x[64 + i] = static_cast<float>(i) * 1e-40f;         // subnormal
    x[96 + i] = i % 2 == 0 ? 3e38f : -1.0f;             // near the end
    x[128 + i] = i == 5 ? INFINITY : 1.0f;              // beyond it
    x[160 + i] = i == 7 ? NAN : static_cast<float>(i);  // none
  }
  EXPECT_EQ(quantized(table(), x), quantized(plain_table(), x));
}

PUNA_ON_EVERY_TABLE(QuantizeRow);

// ---- single rows -----------------------------------------------------------------------------------------------------

using Dequantize = OnEveryTable;

TEST_P(Dequantize, gives_every_type_s_reference_bit_for_bit) {
  for (const tensor::DTypeTraits& type : tensor::all_dtypes()) {
    const Weights w(type.type, 1, 2560, 3);
    std::vector<float> found(2560);
    table().dequantize_row(type.type, w.bytes.data(), 2560, found.data());
    EXPECT_TRUE(same_bits(found, w.row(0))) << type.name;
  }
}

TEST_P(Dequantize, knows_every_half_float) {
  GuardedBytes halves(2 * 65535);
  for (std::uint32_t i = 0; i < 65535; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    std::memcpy(halves.data() + 2 * i, &half, 2);
  }
  for (const DType type : {DType::F16, DType::BF16}) {
    std::vector<float> found(65535), wanted(65535);
    table().dequantize_row(type, halves.data(), 65535, found.data());
    tensor::dequantize_row(type, halves.data(), 65535, wanted.data());
    EXPECT_TRUE(same_bits(found, wanted)) << tensor::name(type);
  }
}

PUNA_ON_EVERY_TABLE(Dequantize);

// ---- int8 products ---------------------------------------------------------------------------------------------------

using LinearInt8 = OnEveryTable;

TEST_P(LinearInt8, comes_near_the_exact_product_of_what_the_blocks_mean) {
  for (const DType type : kBlockTypes)
    for (const std::int64_t k : {256, 576, 640, 1536}) {
      if (is_super_block(type) && k % 256 != 0) continue;
      const Weights w(type, 21, k, 4);
      for (const bool fine : {false, true}) {
        const Activations x(5, k, 5, fine);
        expect_near(whole(table(), w, x, false), w, x, false);
      }
    }
}

TEST_P(LinearInt8, computes_the_plain_table_s_bits) {
  for (const DType type : kBlockTypes)
    for (const std::int64_t k : {256, 576, 640, 1280, 8960}) {
      if (is_super_block(type) && k % 256 != 0) continue;
      const Weights w(type, 19, k, 6);
      for (const bool fine : {false, true}) {
        const Activations x(3, k, 7, fine);
        EXPECT_TRUE(same_bits(whole(table(), w, x, false), whole(plain_table(), w, x, false)))
            << tensor::name(type) << " k " << k << (fine ? ", fine" : "");
      }
    }
}

TEST_P(LinearInt8, gives_a_column_the_same_bits_among_any_number_of_others) {
  constexpr std::int64_t kCols = 70;
  for (const DType type : kBlockTypes)
    for (const bool fine : {false, true}) {
      const Weights w(type, 19, 2304, 8);  // wider than what is unpacked at a time
      const Activations x(kCols, w.k, 9, fine);
      const std::vector<float> all = whole(table(), w, x, false);
      for (std::int64_t n = 1; n < kCols; n += n < 20 ? 1 : 7) {
        const std::int64_t first = kCols - n;
        const std::vector<float> some = product(table(), w, x, {.row_end = w.rows, .first_col = first, .n_cols = n});
        EXPECT_TRUE(same_bits(some, {all.begin() + first * w.rows, all.end()})) << tensor::name(type) << ", " << n << " columns";
      }
    }
}

TEST_P(LinearInt8, gives_a_row_the_same_bits_in_any_range) {
  for (const DType type : kBlockTypes)
    for (const std::int64_t n_cols : {1, 2, 9}) {
      const Weights w(type, 53, 256, 10);
      const Activations x(n_cols, w.k, 11);
      const std::vector<float> all = whole(table(), w, x, false);
      for (const auto& [begin, end] :
           {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, 48}, {32, 53}, {48, 53}, {48, 49}, {0, 7}}) {
        const std::vector<float> part = product(table(), w, x, {.row_begin = begin, .row_end = end, .n_cols = n_cols});
        for (std::int64_t t = 0; t < n_cols; ++t)
          EXPECT_TRUE(same_bits({part.begin() + t * (end - begin), part.begin() + (t + 1) * (end - begin)},
                                {all.begin() + t * w.rows + begin, all.begin() + t * w.rows + end}))
              << tensor::name(type) << " rows " << begin << " to " << end;
      }
    }
}

TEST_P(LinearInt8, adds_the_bias_last) {
  const std::vector<float> bias = Numbers(12).take(40);
  for (const std::int64_t n_cols : {1, 2, 7}) {
    const Weights w(DType::Q4_K, 40, 2304, 13);
    const Activations x(n_cols, w.k, 14);
    std::vector<float> wanted = whole(table(), w, x, false);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += bias[i % 40];
    EXPECT_TRUE(same_bits(product(table(), w, x, {.row_end = 40, .n_cols = n_cols, .bias = bias.data()}), wanted));
  }
}

TEST_P(LinearInt8, is_exact_for_the_largest_integers) {
  // Every weight byte 0xff and every activation ±127: where 16-bit sums would overflow, they do here.
  for (const DType type : kBlockTypes) {
    const Weights w(type, 16, 512, 15);
    const tensor::DTypeTraits& traits = tensor::traits(type);
    for (std::size_t i = 0; i < w.bytes.size(); i += traits.block_bytes) {
      std::memset(w.bytes.data() + i, i / traits.block_bytes % 2 == 0 ? 0xff : 0x80, traits.block_bytes);
      for (const std::size_t offset : half_offsets(type)) std::memcpy(w.bytes.data() + i + offset, "\0\x3c", 2);  // 1.0
    }
    Activations x(4, w.k, 16);
    for (std::size_t i = 0; i < x.floats.size(); ++i) x.floats[i] = i < 512 || (i < 1536 && i % 2 == 0) ? 1.0f : -1.0f;
    for (std::int64_t t = 0; t < x.cols; ++t) table().quantize_row(&x.floats[static_cast<std::size_t>(t * x.k)], x.k, x.row(t));
    expect_near(whole(table(), w, x, false), w, x, false);
  }
}

PUNA_ON_EVERY_TABLE(LinearInt8);

// ---- float products --------------------------------------------------------------------------------------------------

using LinearFloat = OnEveryTable;

TEST_P(LinearFloat, comes_near_the_exact_product_for_every_type) {
  for (const tensor::DTypeTraits& type : tensor::all_dtypes())
    for (const std::int64_t k : {256, 576, 1536}) {
      if (k % type.block_size != 0) continue;
      const Weights w(type.type, 21, k, 20);
      const Activations x(3, k, 21);
      expect_near(whole(table(), w, x, true), w, x, true);
    }
}

TEST_P(LinearFloat, computes_the_plain_table_s_bits) {
  for (const tensor::DTypeTraits& type : tensor::all_dtypes())
    for (const std::int64_t k : {48, 100, 256, 576, 1536}) {
      if (k % type.block_size != 0) continue;
      const Weights w(type.type, 19, k, 22);
      const Activations x(7, k, 23);
      EXPECT_TRUE(same_bits(whole(table(), w, x, true), whole(plain_table(), w, x, true))) << type.name << " k " << k;
    }
}

TEST_P(LinearFloat, gives_a_column_the_same_bits_among_any_number_of_others) {
  constexpr std::int64_t kCols = 133;  // more than share a panel
  for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q6_K}) {
    const Weights w(type, 18, 768, 24);
    const Activations x(kCols, w.k, 25);
    const std::vector<float> all = whole(table(), w, x, true);
    for (std::int64_t n = 1; n < kCols; n += n < 14 ? 1 : 17) {
      const std::int64_t first = kCols - n;
      const std::vector<float> some =
          product(table(), w, x, {.row_end = w.rows, .first_col = first, .n_cols = n, .in_float = true});
      EXPECT_TRUE(same_bits(some, {all.begin() + first * w.rows, all.end()})) << tensor::name(type) << ", " << n << " columns";
    }
  }
}

TEST_P(LinearFloat, gives_a_row_the_same_bits_in_any_range) {
  for (const DType type : {DType::F32, DType::F16, DType::Q4_0}) {
    const Weights w(type, 37, 256, 26);
    const Activations x(2, w.k, 27);
    const std::vector<float> all = whole(table(), w, x, true);
    for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, 37}, {32, 37}, {32, 33}}) {
      const std::vector<float> part = product(table(), w, x, {.row_begin = begin, .row_end = end, .n_cols = 2, .in_float = true});
      for (std::int64_t t = 0; t < 2; ++t)
        EXPECT_TRUE(same_bits({part.begin() + t * (end - begin), part.begin() + (t + 1) * (end - begin)},
                              {all.begin() + t * w.rows + begin, all.begin() + t * w.rows + end}));
    }
  }
}

// The written order: a chain for each k modulo 16, then a tree.
float sum_as_written(const std::vector<float>& weights, const float* x) {
  float lanes[16] = {};
  for (std::size_t i = 0; i < weights.size(); ++i) lanes[i % 16] = std::fma(weights[i], x[i], lanes[i % 16]);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

TEST_P(LinearFloat, sums_by_k_modulo_16_and_then_as_a_tree) {
  const Weights w(DType::F32, 16, 50, 28);
  const Activations x(1, w.k, 29);
  const std::vector<float> bias = Numbers(30).take(16);
  const std::vector<float> y = product(table(), w, x, {.row_end = 16, .n_cols = 1, .bias = bias.data(), .in_float = true});
  for (std::int64_t r = 0; r < 16; ++r)
    EXPECT_EQ(y[static_cast<std::size_t>(r)], sum_as_written(w.row(r), x.floats.data()) + bias[static_cast<std::size_t>(r)]);
}

TEST_P(LinearFloat, keeps_the_order_in_rows_of_several_slices) {
  for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q8_0})
    for (const auto& [k, n_rows] : {std::pair<std::int64_t, std::int64_t>{4096, 32}, {type == DType::Q8_0 ? 5152 : 5156, 149}}) {
      const Weights w(type, n_rows, k, 34);  // 149: more than a block of panels, and a panel that isn't whole
      const Activations x(15, k, 35);
      const std::vector<float> all = whole(table(), w, x, true);
      for (std::int64_t r = 0; r < n_rows; r += r < 120 ? 17 : 1) {
        const std::vector<float> weights = w.row(r);
        for (std::int64_t t = 0; t < x.cols; ++t)
          ASSERT_EQ(all[static_cast<std::size_t>(t * n_rows + r)],
                    sum_as_written(weights, &x.floats[static_cast<std::size_t>(t * k)]))
              << tensor::name(type) << " k " << k << ", row " << r << ", column " << t;
      }
      const std::vector<float> few = product(table(), w, x, {.row_end = n_rows, .n_cols = 3, .in_float = true});
      EXPECT_TRUE(same_bits(few, {all.begin(), all.begin() + 3 * n_rows})) << tensor::name(type) << " k " << k;
    }
}

TEST_P(LinearFloat, adds_the_bias_last) {
  const std::vector<float> bias = Numbers(31).take(20);
  const Weights w(DType::F16, 20, 1536, 32);
  const Activations x(3, w.k, 33);
  std::vector<float> wanted = whole(table(), w, x, true);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += bias[i % 20];
  EXPECT_TRUE(same_bits(product(table(), w, x, {.row_end = 20, .n_cols = 3, .bias = bias.data(), .in_float = true}), wanted));
}

PUNA_ON_EVERY_TABLE(LinearFloat);

}  // namespace
}  // namespace puna::backend::cpu
