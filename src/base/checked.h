// Arithmetic on numbers that came from outside: empty where it would wrap.
#pragma once

#include <concepts>
#include <optional>

namespace puna {

template <std::integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::integral T>
constexpr std::optional<T> checked_mul(T a, T b) {
  T product{};
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The least multiple of `unit` (> 0) that is not below `value`.
template <std::integral T>
constexpr std::optional<T> checked_round_up(T value, T unit) {
  auto padded = checked_add(value, static_cast<T>(unit - 1));
  if (!padded) return std::nullopt;
  return static_cast<T>(*padded - *padded % unit);
}

// For numbers of our own that cannot wrap.
template <std::integral T>
constexpr T round_up(T value, T unit) {
  return static_cast<T>((value + unit - 1) / unit * unit);
}

}  // namespace puna
