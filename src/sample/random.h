// Random numbers without a state: a token's number is a function of the seed and of the token's position alone, so it
// does not depend on what ran before, on a batch, on a cache or on a restart in the middle.
#pragma once

#include <cstdint>

namespace puna::sample {

// Independent numbers of one position.
enum class Stream : std::uint64_t { token = 0, xtc = 1 };

// Stafford's variant 13 of the 64-bit finalizer, the one of SplitMix64: a bijection in which every input bit changes
// every output bit with a probability near one half.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Seeds, positions and streams are small numbers: each is spread by an odd multiple and mixed in before the next, so that
// neighbours in any of them share nothing.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t position, Stream stream) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  std::uint64_t x = mix(seed + kGolden);
  x = mix(x ^ (position * kGolden + 0xd1b54a32d192ed03u));
  return mix(x + (static_cast<std::uint64_t>(stream) + 1) * kGolden);
}

// In [0, 1), a multiple of 2^-53.
constexpr double uniform(std::uint64_t seed, std::uint64_t position, Stream stream) {
  return static_cast<double>(random_bits(seed, position, stream) >> 11) * 0x1p-53;
}

}  // namespace puna::sample
