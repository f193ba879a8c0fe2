#include "backend/cpu/rope_table.h"
#include "backend/kernel_tables.h"
#include "base/os.h"
#include "base/value.h"

namespace puna::backend::cpu {
namespace {

using graph::RopeParams;
using graph::RopeScaling;

double number(const Value& object, std::string_view key, double missing) {
  const Value* value = object.find(key);
  if (!value) return missing;
  return value->if_double() ? *value->if_double() : static_cast<double>(*value->if_int());
}

std::vector<float> floats(const Value& array) {
  std::vector<float> out;
  for (const Value& item : *array.if_array()) out.push_back(static_cast<float>(*item.if_double()));
  return out;
}

// Expected frequencies come from transformers (tools/make_rope_cases.py), in float32.
TEST(RopeTable, TurnsAsTransformersDoes) {
  const auto text = os::read_file(PUNA_TEST_DATA "/rope/cases.json");
  ASSERT_TRUE(text) << text.error().message;
  const auto cases = json::parse(*text);
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_GE(cases->if_array()->size(), 9u);
  for (const Value& c : *cases->if_array()) {
    SCOPED_TRACE(*c.find("name")->if_string());
    RopeParams params{.rope_dim = static_cast<std::int64_t>(number(c, "rope_dim", 0)),
                      .freq_base = static_cast<float>(number(c, "freq_base", 0)),
                      .freq_scale = static_cast<float>(number(c, "freq_scale", 1)),
                      .beta_fast = static_cast<float>(number(c, "beta_fast", 32)),
                      .beta_slow = static_cast<float>(number(c, "beta_slow", 1)),
                      .original_context = static_cast<std::int64_t>(number(c, "original_context", 0))};
    if (const Value* scaling = c.find("scaling"))
      params.scaling = *scaling->if_string() == "yarn" ? RopeScaling::yarn : RopeScaling::linear;
    if (const Value* wanted = c.find("wanted_magnitude"))
      params.attn_factor = static_cast<float>(*wanted->if_double() / (1 + 0.1 * std::log(1 / params.freq_scale)));
    std::vector<float> factors;
    if (const Value* array = c.find("freq_factors")) {
      factors = floats(*array);
      params.freq_factors = factors.data();
    }
    const std::vector<float> frequencies = floats(*c.find("frequencies"));
    const double magnitude = number(c, "attention_factor", 1);
    const std::size_t half = frequencies.size();
    ASSERT_EQ(static_cast<std::int64_t>(2 * half), params.rope_dim);
    std::vector<float> row(2 * half);
    for (std::int64_t position : {0, 1, 17, 1000, 30000}) {
      fill_rope_row(params, position, row.data());
      for (std::size_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position) * static_cast<double>(frequencies[i]);
        const double bound = magnitude * (angle * 6e-7 + 2e-7);  // a few roundings of the oracle's frequency
        EXPECT_NEAR(row[i], magnitude * std::cos(angle), bound) << "pair " << i << " at " << position;
        EXPECT_NEAR(row[half + i], magnitude * std::sin(angle), bound) << "pair " << i << " at " << position;
      }
    }
  }
}

TEST(RopeTable, FarPositionsAreExactToTheLastPlace) {
  const RopeParams params{.rope_dim = 64, .freq_base = 10000.0f};
  std::vector<float> row(64);
  for (std::int64_t position : {1'000'000, 16'777'217}) {
    fill_rope_row(params, position, row.data());
    for (std::size_t i = 0; i < 32; ++i) {
      const long double angle =
          static_cast<long double>(position) * std::pow(10000.0L, -2.0L * static_cast<long double>(i) / 64.0L);
      EXPECT_NEAR(row[i], static_cast<double>(std::cos(angle)), 7e-8) << i;
      EXPECT_NEAR(row[32 + i], static_cast<double>(std::sin(angle)), 7e-8) << i;
    }
  }
}

TEST(RopeTable, ScalingNoneDoesNotLookAtTheScale) {
  const RopeParams plain{.rope_dim = 16}, odd{.rope_dim = 16, .freq_scale = 0.125f};
  std::vector<float> a(16), b(16);
  fill_rope_row(plain, 100, a.data());
  fill_rope_row(odd, 100, b.data());
  EXPECT_TRUE(same_bits(a, b));
}

TEST(RopeTable, YarnWithoutItsRampIsLinear) {
  const RopeParams linear{.rope_dim = 16, .freq_scale = 0.5f, .scaling = RopeScaling::linear};
  RopeParams yarn = linear;
  yarn.scaling = RopeScaling::yarn;
  yarn.ext_factor = 0;
  yarn.original_context = 1024;
  std::vector<float> a(16), b(16);
  fill_rope_row(linear, 77, a.data());
  fill_rope_row(yarn, 77, b.data());
  EXPECT_TRUE(same_bits(a, b));
}

class Rope : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(Rope);

struct Turned {
  std::int64_t heads, head_dim, rope_dim;
  bool interleaved;
};

std::vector<float> turn(const KernelTable& table, const Turned& t, std::vector<float> x, const std::vector<float>& row) {
  table.rope({x.data(), t.heads, t.head_dim, row.data(), t.rope_dim, t.interleaved});
  return x;
}

TEST_P(Rope, TurnsEachPairOfEachHeadAndNothingElse) {
  for (const Turned& t : {Turned{3, 64, 64, false}, Turned{3, 64, 64, true}, Turned{2, 80, 20, false}, Turned{2, 80, 20, true},
                          Turned{1, 256, 256, false}, Turned{5, 40, 40, true}, Turned{2, 48, 2, false}}) {
    Numbers numbers(5);
    const std::vector<float> x = numbers.take(t.heads * t.head_dim);
    std::vector<float> row(static_cast<std::size_t>(t.rope_dim));
    fill_rope_row({.rope_dim = t.rope_dim}, 12, row.data());
    const std::vector<float> y = turn(table(), t, x, row);
    const auto half = static_cast<std::size_t>(t.rope_dim / 2);
    std::vector<bool> turned(x.size(), false);
    for (std::size_t head = 0; head < static_cast<std::size_t>(t.heads); ++head)
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t base = head * static_cast<std::size_t>(t.head_dim);
        const std::size_t a = base + (t.interleaved ? 2 * i : i), b = base + (t.interleaved ? 2 * i + 1 : half + i);
        const double c = row[i], s = row[half + i];
        EXPECT_NEAR(y[a], x[a] * c - x[b] * s, 2e-7);
        EXPECT_NEAR(y[b], x[a] * s + x[b] * c, 2e-7);
        turned[a] = turned[b] = true;
      }
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_TRUE(turned[i] || x[i] == y[i]) << i;
    }
    EXPECT_TRUE(same_bits(turn(plain_table(), t, x, row), y));
  }
}

TEST_P(Rope, BothLayoutsTurnTheSamePairs) {
  Numbers numbers(8);
  const std::vector<float> halves = numbers.take(64);
  std::vector<float> neighbours(64), row(64);
  for (std::size_t i = 0; i < 32; ++i) neighbours[2 * i] = halves[i], neighbours[2 * i + 1] = halves[32 + i];
  fill_rope_row({.rope_dim = 64}, 99, row.data());
  const std::vector<float> a = turn(table(), {1, 64, 64, false}, halves, row),
                           b = turn(table(), {1, 64, 64, true}, neighbours, row);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(a[i], b[2 * i]);
    EXPECT_EQ(a[32 + i], b[2 * i + 1]);
  }
}

}  // namespace
}  // namespace puna::backend::cpu
