// What the kernel tests share: every table that this machine can execute, and numbers that are the same in each run.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "backend/cpu/kernel_table.h"

namespace puna::backend::cpu {

// Runs a test on each runnable table; the parameter is the table.
class OnEveryTable : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& table() const { return *GetParam(); }
};

#define PUNA_ON_EVERY_TABLE(suite)                                                                              \
  INSTANTIATE_TEST_SUITE_P(Table, suite, testing::ValuesIn(runnable_tables().begin(), runnable_tables().end()), \
                           [](const auto& param) { return std::string(param.param->name); })

// The plainest table, which is the meaning of all others.
inline const KernelTable& plain_table() { return *runnable_tables().front(); }

// Numbers in [-1, 1), the same everywhere (splitmix64).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  float next() { return static_cast<float>(static_cast<std::int64_t>(bits()) >> 40) / static_cast<float>(1 << 23); }
  std::vector<float> take(std::int64_t n, float magnitude = 1.0f) {
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = magnitude * next();
    return out;
  }

 private:
  std::uint64_t state_;
};

// Equal bit for bit (a not-a-number equals itself, +0 is not -0).
inline testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " values against " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]))
      return testing::AssertionFailure() << "value " << i << ": " << a[i] << " against " << b[i];
  return testing::AssertionSuccess();
}

// Distance from the exact value in units of float32's last place there.
inline double ulps(float found, double exact) {
  const float near = static_cast<float>(exact);
  const float magnitude = std::max(std::fabs(near), 1.17549435e-38f);
  const double unit = std::ldexp(1.0, std::ilogb(magnitude) - 23);
  return std::fabs(found - exact) / unit;
}

}  // namespace puna::backend::cpu
