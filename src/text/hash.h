// Keyed hashes for tables whose keys come from files: the seed is drawn once per process, so that no file can be made
// whose keys all collide. Nothing that a user sees depends on it.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace puna::text {

inline std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

inline std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b) {
  __extension__ const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kHashOdd1 = 0x9E3779B97F4A7C15;
inline constexpr std::uint64_t kHashOdd2 = 0xD1B54A32D192ED03;

inline std::uint64_t hash_number(std::uint64_t number, std::uint64_t seed) {
  return hash_mix(hash_mix(number ^ seed, kHashOdd1 ^ seed), kHashOdd2);
}

inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = seed ^ text.size() * kHashOdd1;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    hash = hash_mix(hash ^ word, kHashOdd2 ^ seed);
  }
  std::uint64_t word = 0;
  if (at < text.size()) std::memcpy(&word, text.data() + at, text.size() - at);
  return hash_mix(hash_mix(hash ^ word, kHashOdd1 ^ seed), kHashOdd2);
}

}  // namespace puna::text
