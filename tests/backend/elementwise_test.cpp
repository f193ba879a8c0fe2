#include <limits>

#include "backend/cpu/isa/prelude.h"
#include "backend/kernel_tables.h"

namespace puna::backend::cpu {
namespace {

namespace words {
#include "backend/cpu/isa/vec_scalar.inl.h"

#include "backend/cpu/kernels/simd.inl.h"

#include "backend/cpu/kernels/math.inl.h"
}  // namespace words

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

// Values from `low` to `high` in steps too odd to meet only round numbers.
std::vector<float> sweep(float low, float high, int n = 40'000) {
  std::vector<float> out;
  for (int i = 0; i <= n; ++i) out.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(n));
  while (out.size() % 16) out.push_back(high);
  return out;
}

template <class Function>
float one(Function function, float x) {
  return function(words::splat(x)).lane[3];
}

template <class Function, class Exact>
double worst_ulps(const std::vector<float>& xs, Function function, Exact exact) {
  double worst = 0;
  for (std::size_t i = 0; i < xs.size(); i += 16) {
    const words::Vec y = function(words::load(&xs[i]));
    for (std::size_t lane = 0; lane < 16; ++lane)
      worst = std::max(worst, ulps(y.lane[lane], exact(static_cast<double>(xs[i + lane]))));
  }
  return worst;
}

TEST(Math, ExpOfNegativeValuesIsWithinOneUlp) {
  const auto exact = [](double x) { return std::exp(x); };
  EXPECT_LE(worst_ulps(sweep(-87.3f, 0.0f), words::exp_negative, exact), 1.0);
  EXPECT_LE(worst_ulps(sweep(-0.5f, 0.0f), words::exp_negative, exact), 1.0);
}

TEST(Math, ExpIsOneAtZeroAndZeroFarBelow) {
  EXPECT_EQ(one(words::exp_negative, 0.0f), 1.0f);
  EXPECT_EQ(one(words::exp_negative, -0.0f), 1.0f);
  EXPECT_EQ(one(words::exp_negative, -88.0f), 0.0f);
  EXPECT_EQ(one(words::exp_negative, -1e30f), 0.0f);
  EXPECT_EQ(one(words::exp_negative, -kInfinity), 0.0f);
  EXPECT_TRUE(std::isnan(one(words::exp_negative, kNotANumber)));
}

TEST(Math, TanhIsWithinTwoUlp) {
  const auto exact = [](double x) { return std::tanh(x); };
  EXPECT_LE(worst_ulps(sweep(-12.0f, 12.0f), words::tanh, exact), 2.0);
  EXPECT_LE(worst_ulps(sweep(-1.0f, 1.0f), words::tanh, exact), 2.0);
  EXPECT_LE(worst_ulps(sweep(-1e-6f, 1e-6f), words::tanh, exact), 1.0);
}

TEST(Math, TanhEndsAtOne) {
  EXPECT_EQ(one(words::tanh, kInfinity), 1.0f);
  EXPECT_EQ(one(words::tanh, -kInfinity), -1.0f);
  EXPECT_EQ(one(words::tanh, 3e38f), 1.0f);
  EXPECT_EQ(one(words::tanh, 0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(one(words::tanh, kNotANumber)));
}

TEST(Math, SiluIsWithinThreeUlp) {
  const auto exact = [](double x) { return x / (1 + std::exp(-x)); };
  EXPECT_LE(worst_ulps(sweep(-80.0f, 80.0f), words::silu, exact), 3.0);
}

TEST(Math, GeluIsTheTanhFormInItsWholeRange) {
  const auto exact = [](double x) {
    const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * u));
  };
  // The argument of the exponential carries its own rounding, which its size multiplies.
  EXPECT_LE(worst_ulps(sweep(-3.0f, 10.0f), words::gelu_tanh, exact), 16.0);
  for (float x : sweep(-12.0f, 12.0f)) EXPECT_NEAR(one(words::gelu_tanh, x), exact(x), 4e-7 * std::max(1.0f, std::fabs(x)));
}

TEST(Math, ActivationsKeepTheirEnds) {
  EXPECT_EQ(one(words::silu, -kInfinity), 0.0f);
  EXPECT_EQ(one(words::silu, kInfinity), kInfinity);
  EXPECT_EQ(one(words::silu, -1e20f), 0.0f);
  EXPECT_EQ(one(words::gelu_tanh, -kInfinity), 0.0f);
  EXPECT_EQ(one(words::gelu_tanh, kInfinity), kInfinity);
  EXPECT_EQ(one(words::gelu_tanh, -1e30f), 0.0f);
  EXPECT_TRUE(std::isnan(one(words::silu, kNotANumber)));
  EXPECT_TRUE(std::isnan(one(words::gelu_tanh, kNotANumber)));
}

class Elementwise : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(Elementwise);

TEST_P(Elementwise, EveryLengthGivesThePlainTablesBits) {
  for (std::int64_t n : {1, 5, 15, 16, 17, 31, 32, 33, 576, 1000}) {
    Numbers numbers(static_cast<std::uint64_t>(n));
    const std::vector<float> a = numbers.take(n, 6.0f), b = numbers.take(n, 3.0f);
    const auto both = [&](auto&& kernel) {
      std::vector<float> expected(a.size()), found(a.size() + 1, 77.0f);
      kernel(plain_table(), expected.data());
      kernel(table(), found.data());
      EXPECT_EQ(found.back(), 77.0f) << "wrote beyond " << n;
      found.pop_back();
      EXPECT_TRUE(same_bits(expected, found)) << "length " << n;
    };
    both([&](const KernelTable& t, float* y) { t.add(a.data(), b.data(), n, y); });
    both([&](const KernelTable& t, float* y) { t.scale(a.data(), 0.3f, n, y); });
    both([&](const KernelTable& t, float* y) { t.soft_cap(a.data(), 5.0f, n, y); });
    both([&](const KernelTable& t, float* y) { t.gated(Activation::silu, a.data(), b.data(), n, y); });
    both([&](const KernelTable& t, float* y) { t.gated(Activation::gelu_tanh, a.data(), b.data(), n, y); });
    both([&](const KernelTable& t, float* y) { t.rms_norm(a.data(), b.data(), 1e-5f, n, y); });
    both([&](const KernelTable& t, float* y) { t.rms_norm(a.data(), nullptr, 1e-5f, n, y); });
  }
}

TEST_P(Elementwise, ComputesWhatItsNameSays) {
  const std::vector<float> a{1.0f, -2.0f, 3.0f}, b{0.5f, 4.0f, -1.0f};
  std::vector<float> y(3);
  table().add(a.data(), b.data(), 3, y.data());
  EXPECT_EQ(y, (std::vector<float>{1.5f, 2.0f, 2.0f}));
  table().scale(a.data(), 2.0f, 3, y.data());
  EXPECT_EQ(y, (std::vector<float>{2.0f, -4.0f, 6.0f}));
  table().soft_cap(a.data(), 2.0f, 3, y.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], 2 * std::tanh(a[i] / 2.0), 1e-6);
  table().gated(Activation::silu, a.data(), b.data(), 3, y.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], a[i] / (1 + std::exp(-a[i])) * b[i], 1e-6);
}

TEST_P(Elementwise, WritesOverItsInput) {
  Numbers numbers(3);
  const std::vector<float> a = numbers.take(100), b = numbers.take(100);
  std::vector<float> expected(100), y = a;
  table().add(a.data(), b.data(), 100, expected.data());
  table().add(y.data(), b.data(), 100, y.data());
  EXPECT_TRUE(same_bits(expected, y));
  y = a;
  table().rms_norm(a.data(), b.data(), 1e-6f, 100, expected.data());
  table().rms_norm(y.data(), b.data(), 1e-6f, 100, y.data());
  EXPECT_TRUE(same_bits(expected, y));
}

TEST_P(Elementwise, RmsNormIsNearTheExactOne) {
  for (std::int64_t n : {1, 7, 64, 576, 1536, 5000})
    for (float magnitude : {30.0f, 1e-3f}) {  // the second is of eps's size
      Numbers numbers(static_cast<std::uint64_t>(n));
      const std::vector<float> x = numbers.take(n, magnitude), weight = numbers.take(n);
      std::vector<float> y(x.size());
      table().rms_norm(x.data(), weight.data(), 1e-5f, n, y.data());
      double squares = 0;
      for (float value : x) squares += static_cast<double>(value) * value;
      const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(1e-5f));
      // Half of the relative error of the sum, one rounding each for the division, the root, the quotient, two products.
      const double bound = (static_cast<double>(n) / 32 + 7) * 0x1p-24;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = x[i] * factor * weight[i];
        ASSERT_LE(std::fabs(y[i] - exact), bound * std::fabs(exact) + 1e-30) << n << " values, number " << i;
      }
    }
}

TEST_P(Elementwise, RmsNormOfZerosIsZero) {
  const std::vector<float> x(40, 0.0f);
  std::vector<float> y(40, 1.0f);
  table().rms_norm(x.data(), nullptr, 1e-6f, 40, y.data());
  EXPECT_TRUE(same_bits(x, y));
}

}  // namespace
}  // namespace puna::backend::cpu
