#include "base/checked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace puna {
namespace {

constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
constexpr auto kSignedMax = std::numeric_limits<std::int64_t>::max();

TEST(Checked, AddsUntilItWouldWrap) {
  EXPECT_EQ(checked_add(kMax - 1, std::uint64_t{1}), kMax);
  EXPECT_EQ(checked_add(kMax, std::uint64_t{1}), std::nullopt);
  EXPECT_EQ(checked_add(kSignedMax, std::int64_t{1}), std::nullopt);
  EXPECT_EQ(checked_add(std::int64_t{-5}, std::int64_t{3}), -2);
}

TEST(Checked, MultipliesUntilItWouldWrap) {
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 31), std::uint64_t{1} << 63);
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(checked_mul(kSignedMax, std::int64_t{-2}), std::nullopt);
  EXPECT_EQ(checked_mul(kMax, std::uint64_t{0}), 0u);
}

TEST(Checked, RoundsUpUntilItWouldWrap) {
  EXPECT_EQ(checked_round_up(std::uint64_t{0}, std::uint64_t{32}), 0u);
  EXPECT_EQ(checked_round_up(std::uint64_t{1}, std::uint64_t{32}), 32u);
  EXPECT_EQ(checked_round_up(std::uint64_t{32}, std::uint64_t{32}), 32u);
  EXPECT_EQ(checked_round_up(std::uint64_t{33}, std::uint64_t{7}), 35u);
  EXPECT_EQ(checked_round_up(kMax, std::uint64_t{32}), std::nullopt);
  EXPECT_EQ(round_up(33, 7), 35);
  EXPECT_EQ(round_up(std::size_t{64}, std::size_t{64}), 64u);
}

}  // namespace
}  // namespace puna
