// Sets of characters, and characters as the byte sequences that UTF-8 has for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/grammar/grammar.h"

namespace puna::text::grammar {

inline constexpr char32_t kLastCodePoint = 0x10FFFF;

// Ascending and disjoint, without surrogates; neighbours are joined.
CodePoints normalized(std::vector<CodePoints::Range> ranges);
// Every character that is not among them. `points` is normalized.
CodePoints negated(const CodePoints& points);

// The characters whose UTF-8 has `length` bytes, the i-th of them between first[i] and last[i].
struct ByteRanges {
  std::uint8_t length = 0;
  std::array<std::uint8_t, 4> first{}, last{};
};
// Together exactly the characters from `range`, which holds no surrogates; in ascending order.
std::vector<ByteRanges> utf8_ranges(CodePoints::Range range);

}  // namespace puna::text::grammar
