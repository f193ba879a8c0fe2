#include "sample/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace puna::sample {
namespace {

// Sum of (seen - expected)² / expected for equally likely cells.
template <std::size_t N>
double chi_square(const std::array<int, N>& seen, double expected) {
  double sum = 0.0;
  for (const int n : seen) sum += (n - expected) * (n - expected) / expected;
  return sum;
}

// With 99 degrees of freedom a good generator exceeds this once in a thousand times. All is fixed, so it never wavers.
constexpr double kBound99 = 148.2;

TEST(Random, these_numbers_are_promised) {
  // The same seed gives the same text in every later version: a change here is a change for every user.
  EXPECT_EQ(random_bits(0, 0, Stream::token), 0xd37690236f2cbf70u);
  EXPECT_EQ(random_bits(42, 7, Stream::token), 0xab6d93913e185d63u);
  EXPECT_EQ(random_bits(42, 7, Stream::xtc), 0x3c0c0b869715ac9cu);
}

TEST(Random, is_in_zero_to_one) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const double u = uniform(i, ~i, Stream::token);
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
}

TEST(Random, positions_of_one_seed_are_spread_evenly) {
  std::array<int, 100> seen{};
  for (std::uint64_t position = 0; position < 100'000; ++position) {
    ++seen[static_cast<std::size_t>(uniform(1, position, Stream::token) * 100)];
  }
  EXPECT_LT(chi_square(seen, 1000.0), kBound99);
}

TEST(Random, seeds_at_one_position_are_spread_evenly) {
  std::array<int, 100> seen{};
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    ++seen[static_cast<std::size_t>(uniform(seed, 3, Stream::token) * 100)];
  }
  EXPECT_LT(chi_square(seen, 1000.0), kBound99);
}

TEST(Random, neighbours_in_position_seed_and_stream_share_nothing) {
  std::array<int, 100> positions{};
  std::array<int, 100> seeds{};
  std::array<int, 100> streams{};
  const auto cell = [](double a, double b) { return static_cast<std::size_t>(a * 10) * 10 + static_cast<std::size_t>(b * 10); };
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const double u = uniform(5, i, Stream::token);
    ++positions[cell(u, uniform(5, i + 1, Stream::token))];
    ++seeds[cell(u, uniform(6, i, Stream::token))];
    ++streams[cell(u, uniform(5, i, Stream::xtc))];
  }
  EXPECT_LT(chi_square(positions, 1000.0), kBound99);
  EXPECT_LT(chi_square(seeds, 1000.0), kBound99);
  EXPECT_LT(chi_square(streams, 1000.0), kBound99);
}

TEST(Random, small_seeds_and_positions_never_meet) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (std::uint64_t position = 0; position < 300; ++position) {
      seen.insert(random_bits(seed, position, Stream::token));
      seen.insert(random_bits(seed, position, Stream::xtc));
    }
  }
  EXPECT_EQ(seen.size(), 2u * 300 * 300);
}

}  // namespace
}  // namespace puna::sample
