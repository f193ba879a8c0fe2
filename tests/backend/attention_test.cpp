#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/kernel_tables.h"
#include "tensor/half.h"

namespace puna::backend::cpu {
namespace {

struct Shape {
  std::int64_t head_dim = 64, kv_heads = 1, group = 3;
  std::int64_t start = 0, n_rows = 1;  // the rows stand at start …; everything before is in the store
  tensor::DType type = tensor::DType::F16;
  std::int64_t block_tokens = 32;
  std::int64_t window = 0;
  float soft_cap = 0;
  float magnitude = 2;  // of q and k

  std::int64_t heads() const { return kv_heads * group; }
  std::int64_t length() const { return start + n_rows; }
  std::int64_t row_floats() const { return heads() * head_dim; }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(head_dim)); }
};

// A sequence in a paged store whose blocks lie in a random order; all that the sequence does not use is not-a-number.
struct Sequence {
  Shape shape;
  std::vector<float> q, k, v;  // [n_rows, heads, head_dim], [length, kv_heads, head_dim]
  std::vector<std::byte> keys, values, scratch;
  std::vector<std::uint32_t> blocks;
  KvView view;

  explicit Sequence(const Shape& s, std::uint64_t seed = 1) : shape(s) {
    Numbers numbers(seed);
    k = numbers.take(s.length() * s.kv_heads * s.head_dim, s.magnitude);
    v = numbers.take(s.length() * s.kv_heads * s.head_dim);
    q = numbers.take(s.n_rows * s.row_floats(), s.magnitude);
    view = {.type = s.type, .n_kv_heads = s.kv_heads, .head_dim = s.head_dim, .block_tokens = s.block_tokens};
    const std::int64_t n_blocks = (s.length() + s.block_tokens - 1) / s.block_tokens;
    blocks.resize(static_cast<std::size_t>(n_blocks));
    std::iota(blocks.begin(), blocks.end(), 0u);
    for (std::size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[numbers.bits() % i]);
    const std::size_t element = s.type == tensor::DType::F16 ? 2 : 4;
    keys.assign(static_cast<std::size_t>(n_blocks * view.block_elements()) * element, std::byte{0xFF});
    values = keys;
    view.k = keys.data();
    view.v = values.data();
    for (std::int64_t p = 0; p < s.length(); ++p) {
      const std::size_t at = static_cast<std::size_t>(p * s.kv_heads * s.head_dim);
      plain_table().kv_write(view, blocks[static_cast<std::size_t>(p / s.block_tokens)], p % s.block_tokens, &k[at], &v[at]);
    }
    scratch.resize(attend_scratch(s.head_dim, s.group) + 64);
  }

  AttendArgs args(std::int64_t kv_head, float* out) {
    return {.store = view,
            .blocks = blocks.data(),
            .rows = {0, shape.n_rows, shape.start},
            .kv_head = kv_head,
            .group = shape.group,
            .q = q.data(),
            .out = out,
            .row_floats = shape.row_floats(),
            .scale = shape.scale(),
            .soft_cap = shape.soft_cap,
            .window = shape.window,
            .scratch = scratch.data()};
  }

  // All rows and heads, at most `step` rows in one call.
  std::vector<float> attend(const KernelTable& table, std::int64_t step = 1 << 30) {
    std::vector<float> out(q.size(), std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t head = 0; head < shape.kv_heads; ++head)
      for (std::int64_t row = 0; row < shape.n_rows; row += step) {
        AttendArgs some = args(head, out.data());
        some.rows = {row, std::min(step, shape.n_rows - row), shape.start + row};
        table.attend(some);
      }
    return out;
  }

  double stored(float x) const { return shape.type == tensor::DType::F16 ? tensor::f16_to_f32(tensor::f32_to_f16(x)) : x; }
};

// What the definition says, in double precision, and how far float32 may be from it.
struct Exact {
  std::vector<double> out;
  std::vector<double> bound;
};

Exact exact_attention(const Sequence& sequence) {
  const Shape& s = sequence.shape;
  constexpr double kUnit = 0x1p-24;
  Exact exact;
  for (std::int64_t row = 0; row < s.n_rows; ++row)
    for (std::int64_t head = 0; head < s.heads(); ++head) {
      const std::int64_t last = s.start + row, first = s.window > 0 ? std::max<std::int64_t>(0, last - s.window + 1) : 0;
      const float* q = &sequence.q[static_cast<std::size_t>((row * s.heads() + head) * s.head_dim)];
      const auto at = [&](std::int64_t p) { return static_cast<std::size_t>((p * s.kv_heads + head / s.group) * s.head_dim); };
      std::vector<double> scores;
      double score_error = 0;
      for (std::int64_t p = first; p <= last; ++p) {
        double dot = 0, size = 0;
        for (std::int64_t d = 0; d < s.head_dim; ++d) {
          const double term = q[d] * sequence.stored(sequence.k[at(p) + static_cast<std::size_t>(d)]);
          dot += term;
          size += std::fabs(term);
        }
        double score = dot * s.scale();
        // A chain of head_dim roundings, then the scale; the cap's slope is at most 1, its own error some units of it.
        double error = kUnit * static_cast<double>(s.head_dim + 2) * size * s.scale();
        if (s.soft_cap > 0) {
          score = s.soft_cap * std::tanh(score / s.soft_cap);
          error += 8 * kUnit * s.soft_cap;
        }
        scores.push_back(score);
        score_error = std::max(score_error, error);
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double total = 0;
      for (double& score : scores) total += score = std::exp(score - largest);
      for (std::int64_t d = 0; d < s.head_dim; ++d) {
        double sum = 0, size = 0;
        for (std::int64_t p = first; p <= last; ++p) {
          const double term = scores[static_cast<std::size_t>(p - first)] / total *
                              sequence.stored(sequence.v[at(p) + static_cast<std::size_t>(d)]);
          sum += term;
          size += std::fabs(term);
        }
        exact.out.push_back(sum);
        // Each probability moves by e^±2·score_error; then exp, a chain of 256, the merges and the quotient.
        exact.bound.push_back(size * (2.5 * score_error + kUnit * (256 + 6 * static_cast<double>(scores.size() / 256 + 2))));
      }
    }
  return exact;
}

class Attention : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(Attention);

void expect_exact(const KernelTable& table, const Shape& shape, const char* what) {
  Sequence sequence(shape);
  const std::vector<float> out = sequence.attend(table);
  const Exact exact = exact_attention(sequence);
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_LE(std::fabs(out[i] - exact.out[i]), exact.bound[i]) << what << ", value " << i;
}

TEST_P(Attention, AgreesWithDoublePrecision) {
  for (tensor::DType type : {tensor::DType::F16, tensor::DType::F32}) {
    expect_exact(table(), {.type = type}, "one position");
    expect_exact(table(), {.start = 299, .type = type}, "one row over two chunks");
    expect_exact(table(), {.n_rows = 70, .type = type}, "rows from the start");
    expect_exact(table(), {.kv_heads = 2, .group = 2, .start = 250, .n_rows = 20, .type = type}, "rows across a chunk's edge");
  }
}

TEST_P(Attention, AgreesForEveryWidthOfAHead) {
  for (std::int64_t head_dim : {8, 16, 40, 48, 72, 80, 96, 128, 192, 256})
    expect_exact(table(), {.head_dim = head_dim, .group = 2, .start = 260, .n_rows = 3}, "head_dim");
}

TEST_P(Attention, AgreesForEveryGroup) {
  for (std::int64_t group : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16})
    expect_exact(table(), {.head_dim = 32, .group = group, .start = 40, .n_rows = 5}, "group");
}

TEST_P(Attention, SeesOnlyItsWindow) {
  for (std::int64_t window : {1, 5, 16, 33, 256, 300}) {
    expect_exact(table(), {.head_dim = 32, .start = 520, .n_rows = 30, .window = window}, "window");
    expect_exact(table(), {.head_dim = 32, .n_rows = 40, .window = window}, "window from the start");
  }
}

TEST_P(Attention, CapsItsScores) {
  expect_exact(table(), {.start = 300, .n_rows = 4, .soft_cap = 3.0f, .magnitude = 6}, "soft cap");
}

TEST_P(Attention, LargeScoresDoNotOverflow) {
  expect_exact(table(), {.type = tensor::DType::F32, .magnitude = 1e4f}, "one position");
  Sequence sequence({.start = 400, .n_rows = 2, .type = tensor::DType::F32, .magnitude = 1e6f});
  for (float x : sequence.attend(table())) ASSERT_LE(std::fabs(x), 1.0f);
}

const Shape kShapes[] = {
    {.start = 0, .n_rows = 45},
    {.kv_heads = 2, .group = 1, .start = 230, .n_rows = 50},
    {.head_dim = 48, .kv_heads = 2, .group = 6, .start = 500, .n_rows = 21},
    {.head_dim = 40, .group = 2, .start = 300, .n_rows = 17},
    {.head_dim = 32, .group = 4, .start = 600, .n_rows = 30, .window = 100, .soft_cap = 20.0f},
    {.head_dim = 32, .group = 5, .start = 255, .n_rows = 30, .type = tensor::DType::F32},
    {.head_dim = 16, .group = 13, .start = 500, .n_rows = 30, .window = 7},
};

TEST_P(Attention, HasThePlainTablesBits) {
  for (const Shape& shape : kShapes) {
    Sequence sequence(shape);
    EXPECT_TRUE(same_bits(sequence.attend(plain_table()), sequence.attend(table())));
  }
}

TEST_P(Attention, DoesNotSeeHowManyRowsGoTogether) {
  for (const Shape& shape : kShapes) {
    Sequence sequence(shape);
    const std::vector<float> together = sequence.attend(table());
    for (std::int64_t step : {1, 2, 7, 16}) EXPECT_TRUE(same_bits(together, sequence.attend(table(), step))) << step << " rows";
  }
}

TEST_P(Attention, DoesNotSeeHowManyHeadsGoTogether) {
  for (const Shape& shape : kShapes) {
    Sequence sequence(shape);
    const std::vector<float> together = sequence.attend(table());
    std::vector<float> alone(together.size());
    for (std::int64_t head = 0; head < shape.heads(); ++head) {
      AttendArgs args = sequence.args(head / shape.group, alone.data());
      const std::int64_t shift = (head - args.kv_head) * shape.head_dim;  // as if the group had one head
      args.group = 1;
      args.q += shift;
      args.out += shift;
      table().attend(args);
    }
    EXPECT_TRUE(same_bits(together, alone));
  }
}

TEST_P(Attention, DoesNotSeeTheSizeOfBlocks) {
  for (Shape shape : kShapes) {
    shape.block_tokens = 16;
    const std::vector<float> expected = Sequence(shape).attend(table());
    for (std::int64_t size : {32, 64, 256}) {
      shape.block_tokens = size;
      EXPECT_TRUE(same_bits(expected, Sequence(shape).attend(table()))) << size << " positions in a block";
    }
  }
}

TEST_P(Attention, ARowDoesNotChangeWhenLaterRowsAreStored) {
  Sequence before({.start = 280, .n_rows = 1}), after({.start = 280, .n_rows = 60});
  std::copy(before.q.begin(), before.q.end(), after.q.begin());
  for (std::int64_t p = 0; p <= 280; ++p) {
    const auto at = static_cast<std::size_t>(p * 64);
    plain_table().kv_write(after.view, after.blocks[static_cast<std::size_t>(p / 32)], p % 32, &before.k[at], &before.v[at]);
  }
  const std::vector<float> expected = before.attend(table());
  std::vector<float> found = after.attend(table());
  found.resize(expected.size());
  EXPECT_TRUE(same_bits(expected, found));
}

TEST_P(Attention, ANotANumberBehindARowStaysThere) {
  Sequence sequence({.start = 100, .n_rows = 40});
  const std::vector<float> clean = sequence.attend(table());
  const std::vector<float> poison(64, std::numeric_limits<float>::infinity());
  plain_table().kv_write(sequence.view, sequence.blocks[120 / 32], 120 % 32, poison.data(), poison.data());
  const std::vector<float> found = sequence.attend(table());
  const std::size_t before = 20 * static_cast<std::size_t>(sequence.shape.row_floats());
  EXPECT_TRUE(same_bits({clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(before)},
                        {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before)}));
  EXPECT_TRUE(std::isnan(found[before]));
}

TEST_P(Attention, BlocksBehindTheWindowNeedNotExist) {
  Sequence sequence({.start = 700, .n_rows = 10, .window = 64});
  const std::vector<float> expected = sequence.attend(table());
  for (std::int64_t block = 0; (block + 1) * 32 <= 700 - 63; ++block)
    sequence.blocks[static_cast<std::size_t>(block)] = 0xFFFFFFFF;
  EXPECT_TRUE(same_bits(expected, sequence.attend(table())));
}

TEST_P(Attention, StaysWithinItsScratch) {
  for (Shape shape : {Shape{.head_dim = 40, .group = 7, .start = 300, .n_rows = 60},
                      Shape{.head_dim = 256, .group = 13, .start = 300, .n_rows = 9}}) {
    Sequence sequence(shape);
    std::fill(sequence.scratch.end() - 64, sequence.scratch.end(), std::byte{0x11});
    sequence.attend(table());
    EXPECT_TRUE(
        std::all_of(sequence.scratch.end() - 64, sequence.scratch.end(), [](std::byte b) { return b == std::byte{0x11}; }));
  }
}

}  // namespace
}  // namespace puna::backend::cpu
