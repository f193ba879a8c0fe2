#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/paged_store.h"

namespace puna::backend::cpu {
namespace {

struct Shape {
  std::int64_t head_dim = 64, kv_heads = 1, group = 3;
  std::int64_t start = 0, n_rows = 1;  // the rows stand at start …; everything before is in the store
  TypePair types{tensor::DType::F16, tensor::DType::F16};
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
  std::vector<std::byte> scratch;
  std::vector<std::uint32_t> blocks;
  PagedStore store;

  explicit Sequence(const Shape& s, std::uint64_t seed = 1)
      : shape(s),
        blocks(static_cast<std::size_t>((s.length() + s.block_tokens - 1) / s.block_tokens)),
        store({s.kv_heads, s.head_dim, s.block_tokens}, s.types.k, s.types.v, static_cast<std::int64_t>(blocks.size()),
              std::byte{0xFF}) {
    Numbers numbers(seed);
    k = numbers.take(s.length() * s.kv_heads * s.head_dim, s.magnitude);
    v = numbers.take(s.length() * s.kv_heads * s.head_dim);
    q = numbers.take(s.n_rows * s.row_floats(), s.magnitude);
    std::iota(blocks.begin(), blocks.end(), 0u);
    for (std::size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[numbers.bits() % i]);
    for (std::int64_t p = 0; p < s.length(); ++p) {
      const std::size_t at = static_cast<std::size_t>(p * s.kv_heads * s.head_dim);
      write(p, &k[at], &v[at]);
    }
    scratch.resize(attend_scratch(s.head_dim, s.group) + 64);
  }

  Place place(std::int64_t position, std::int64_t kv_head) const {
    return {blocks[static_cast<std::size_t>(position / shape.block_tokens)], kv_head, position % shape.block_tokens};
  }
  void write(std::int64_t position, const float* key, const float* value) {
    const Place at = place(position, 0);
    plain_table().kv_write(store.view, static_cast<std::uint32_t>(at.block), at.slot, key, value);
  }

  AttendArgs args(std::int64_t kv_head, float* out) {
    return {.store = store.view,
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

  // As one decoding step after another's chunks on other threads: every chunk for itself, merged afterwards.
  std::vector<float> attend_apart(const KernelTable& table, std::int64_t room) {
    std::vector<float> out(q.size(), std::numeric_limits<float>::quiet_NaN());
    const std::int64_t floats = attend_partial_floats(shape.head_dim), pairs = shape.n_rows * shape.group;
    const std::int64_t n_chunks = (shape.length() + kAttendChunk - 1) / kAttendChunk;
    std::vector<float> partials(static_cast<std::size_t>(room * pairs * floats), std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t head = 0; head < shape.kv_heads; ++head)
      for (std::int64_t chunk = 0; chunk < n_chunks;) {
        std::int64_t place = chunk > 0 ? 1 : 0;  // behind the sum so far
        for (; place < room && chunk < n_chunks; ++place, ++chunk) {
          AttendArgs some = args(head, out.data());
          some.partials = partials.data() + place * pairs * floats;
          some.first_chunk = chunk;
          some.n_chunks = 1;
          table.attend(some);
        }
        for (std::int64_t pair = 0; pair < pairs; ++pair) {
          float* to =
              out.data() + pair / shape.group * shape.row_floats() + (head * shape.group + pair % shape.group) * shape.head_dim;
          table.attend_merge(
              {partials.data() + pair * floats, place, pairs * floats, shape.head_dim, chunk == n_chunks ? to : nullptr});
        }
      }
    return out;
  }

  // A head's query as the scores see it: integer keys meet integers (kernel_table.h draws them).
  std::vector<double> query(std::size_t first) const {
    const auto head_dim = static_cast<std::size_t>(shape.head_dim);
    std::vector<double> seen(q.begin() + static_cast<std::ptrdiff_t>(first),
                             q.begin() + static_cast<std::ptrdiff_t>(first + head_dim));
    if (shape.types.k != tensor::DType::Q8_0 && shape.types.k != tensor::DType::Q4_0) return seen;
    std::vector<float> padded(static_cast<std::size_t>(store.width()), 0.0f);
    std::copy_n(q.begin() + static_cast<std::ptrdiff_t>(first), head_dim, padded.begin());
    std::vector<std::byte> row(activation_row_bytes(store.width()));
    plain_table().quantize_row(padded.data(), store.width(), row.data());
    const auto* groups = reinterpret_cast<const ActivationGroup*>(row.data() + store.width());
    for (std::size_t d = 0; d < head_dim; ++d)
      seen[d] = static_cast<double>(groups[d / 32].scale) * static_cast<std::int8_t>(row[d]);
    return seen;
  }
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
  std::vector<double> keys, values;  // [length, kv_heads, head_dim], as stored
  for (std::int64_t p = 0; p < s.length(); ++p)
    for (std::int64_t head = 0; head < s.kv_heads; ++head)
      for (std::int64_t d = 0; d < s.head_dim; ++d) {
        keys.push_back(sequence.store.key(sequence.place(p, head), d));
        values.push_back(sequence.store.value(sequence.place(p, head), d));
      }
  for (std::int64_t row = 0; row < s.n_rows; ++row)
    for (std::int64_t head = 0; head < s.heads(); ++head) {
      const std::int64_t last = s.start + row, first = s.window > 0 ? std::max<std::int64_t>(0, last - s.window + 1) : 0;
      const std::vector<double> q = sequence.query(static_cast<std::size_t>((row * s.heads() + head) * s.head_dim));
      const auto at = [&](std::int64_t p) { return static_cast<std::size_t>((p * s.kv_heads + head / s.group) * s.head_dim); };
      std::vector<double> scores;
      double score_error = 0;
      for (std::int64_t p = first; p <= last; ++p) {
        double dot = 0, size = 0;
        for (std::int64_t d = 0; d < s.head_dim; ++d) {
          const double term = q[static_cast<std::size_t>(d)] * keys[at(p) + static_cast<std::size_t>(d)];
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
          const double term = scores[static_cast<std::size_t>(p - first)] / total * values[at(p) + static_cast<std::size_t>(d)];
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

constexpr TypePair kFloats{tensor::DType::F32, tensor::DType::F32};

class Attention : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(Attention);

void expect_exact(const KernelTable& table, const Shape& shape, const std::string& what) {
  Sequence sequence(shape);
  const std::vector<float> out = sequence.attend(table);
  const Exact exact = exact_attention(sequence);
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_LE(std::fabs(out[i] - exact.out[i]), exact.bound[i]) << what << ", value " << i;
}

TEST_P(Attention, AgreesWithDoublePrecision) {
  for (const TypePair& types : type_pairs()) {
    const std::string name = name_of(types);
    expect_exact(table(), {.types = types}, name + ": one position");
    expect_exact(table(), {.start = 299, .types = types}, name + ": one row over two chunks");
    expect_exact(table(), {.n_rows = 70, .types = types}, name + ": rows from the start");
    expect_exact(table(), {.kv_heads = 2, .group = 2, .start = 250, .n_rows = 20, .types = types},
                 name + ": across a chunk's edge");
  }
}

TEST_P(Attention, AgreesForEveryWidthOfAHead) {
  for (const tensor::DType type : kKvTypes)
    for (std::int64_t head_dim : {8, 16, 40, 48, 72, 80, 96, 128, 192, 256})
      for (std::int64_t n_rows : {3, 60})
        expect_exact(table(), {.head_dim = head_dim, .group = 2, .start = 260 - n_rows, .n_rows = n_rows, .types = {type, type}},
                     std::string(tensor::name(type)) + ", head_dim " + std::to_string(head_dim));
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
  expect_exact(table(), {.types = kFloats, .magnitude = 1e4f}, "one position");
  Sequence sequence({.start = 400, .n_rows = 2, .types = kFloats, .magnitude = 1e6f});
  for (float x : sequence.attend(table())) ASSERT_LE(std::fabs(x), 1.0f);
}

// Each with every type, keys and values of one or of two.
std::vector<Shape> shapes() {
  const Shape of_f16[] = {
      {.start = 0, .n_rows = 45},
      {.kv_heads = 2, .group = 1, .start = 230, .n_rows = 50},
      {.head_dim = 48, .kv_heads = 2, .group = 6, .start = 500, .n_rows = 21},
      {.head_dim = 40, .group = 2, .start = 300, .n_rows = 17},
      {.head_dim = 32, .group = 4, .start = 600, .n_rows = 30, .window = 100, .soft_cap = 20.0f},
      {.head_dim = 32, .group = 5, .start = 255, .n_rows = 30},
      {.head_dim = 16, .group = 13, .start = 500, .n_rows = 30, .window = 7},
  };
  std::vector<Shape> all;
  std::size_t turn = 0;
  for (Shape shape : of_f16)
    for (const tensor::DType type : kKvTypes) {
      shape.types = {type, kKvTypes[(++turn / 3) % std::size(kKvTypes)]};
      all.push_back(shape);
    }
  return all;
}

TEST_P(Attention, HasThePlainTablesBits) {
  for (const Shape& shape : shapes()) {
    Sequence sequence(shape);
    EXPECT_TRUE(same_bits(sequence.attend(plain_table()), sequence.attend(table()))) << name_of(shape.types);
  }
}

TEST_P(Attention, DoesNotSeeHowManyRowsGoTogether) {
  for (const Shape& shape : shapes()) {
    Sequence sequence(shape);
    const std::vector<float> together = sequence.attend(table());
    for (std::int64_t step : {1, 2, 7, 16}) EXPECT_TRUE(same_bits(together, sequence.attend(table(), step))) << step << " rows";
  }
}

TEST_P(Attention, DoesNotSeeThatChunksAreComputedApart) {
  for (const Shape& shape : shapes()) {
    Sequence sequence(shape);
    const std::vector<float> together = sequence.attend(table());
    for (std::int64_t room : {2, 3, 9})
      EXPECT_TRUE(same_bits(together, sequence.attend_apart(table(), room))) << room << " places";
  }
}

TEST_P(Attention, DoesNotSeeHowManyHeadsGoTogether) {
  for (const Shape& shape : shapes()) {
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
  for (Shape shape : shapes()) {
    shape.block_tokens = 16;
    const std::vector<float> expected = Sequence(shape).attend(table());
    for (std::int64_t size : {32, 64, 256}) {
      shape.block_tokens = size;
      EXPECT_TRUE(same_bits(expected, Sequence(shape).attend(table()))) << size << " positions in a block";
    }
  }
}

TEST_P(Attention, ARowDoesNotChangeWhenLaterRowsAreStored) {
  for (const tensor::DType type : kKvTypes) {
    Sequence before({.start = 280, .n_rows = 1, .types = {type, type}}),
        after({.start = 280, .n_rows = 60, .types = {type, type}});
    std::copy(before.q.begin(), before.q.end(), after.q.begin());
    for (std::int64_t p = 0; p <= 280; ++p) {
      const auto at = static_cast<std::size_t>(p * 64);
      after.write(p, &before.k[at], &before.v[at]);
    }
    const std::vector<float> expected = before.attend(table());
    std::vector<float> found = after.attend(table());
    found.resize(expected.size());
    EXPECT_TRUE(same_bits(expected, found)) << tensor::name(type);
  }
}

TEST_P(Attention, ANotANumberBehindARowStaysThere) {
  for (const tensor::DType type : kKvTypes) {
    Sequence sequence({.start = 100, .n_rows = 40, .types = {type, type}});
    const std::vector<float> clean = sequence.attend(table());
    const std::vector<float> poison(64, std::numeric_limits<float>::infinity());
    sequence.write(120, poison.data(), poison.data());
    const std::vector<float> found = sequence.attend(table());
    const std::size_t before = 20 * static_cast<std::size_t>(sequence.shape.row_floats());
    EXPECT_TRUE(same_bits({clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(before)},
                          {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before)}));
    EXPECT_TRUE(std::isnan(found[before])) << tensor::name(type);
  }
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
