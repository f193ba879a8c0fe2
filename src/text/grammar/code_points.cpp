#include "text/grammar/code_points.h"

#include <algorithm>
#include <string>

#include "text/utf8.h"

namespace puna::text::grammar {
namespace {

constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

// The range in pieces that have one length in UTF-8 and no surrogates.
template <class Take>
void split_at_lengths(CodePoints::Range range, const Take& take) {
  constexpr char32_t kLasts[] = {0x7F, 0x7FF, 0xFFFF, kLastCodePoint};
  char32_t first = range.first;
  for (const char32_t last : kLasts) {
    if (first > range.last) return;
    if (first > last) continue;
    take(CodePoints::Range{first, std::min(last, range.last)});
    first = last + 1;
  }
}

// Splits until all but the leading differing byte run through their whole range, which is then a product of byte ranges.
void split_to_products(CodePoints::Range range, std::vector<ByteRanges>& out) {
  std::vector<CodePoints::Range> rest{range};
  while (!rest.empty()) {
    const auto [first, last] = rest.back();
    rest.pop_back();
    bool is_product = true;
    for (int shift = 6; shift <= 18 && is_product; shift += 6) {
      const char32_t low = (char32_t{1} << shift) - 1;
      if ((first & ~low) == (last & ~low)) break;  // the upper bytes agree
      if ((first & low) != 0) {
        rest.push_back({(first | low) + 1, last});
        rest.push_back({first, first | low});
        is_product = false;
      } else if ((last & low) != low) {
        rest.push_back({last & ~low, last});
        rest.push_back({first, (last & ~low) - 1});
        is_product = false;
      }
    }
    if (!is_product) continue;
    std::string from, to;
    append_utf8(first, from);
    append_utf8(last, to);
    ByteRanges& bytes = out.emplace_back();
    bytes.length = static_cast<std::uint8_t>(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      bytes.first[i] = static_cast<std::uint8_t>(from[i]);
      bytes.last[i] = static_cast<std::uint8_t>(to[i]);
    }
  }
}

}  // namespace

CodePoints normalized(std::vector<CodePoints::Range> ranges) {
  std::vector<CodePoints::Range> whole;  // without surrogates
  for (const auto& [first, last] : ranges) {
    if (first < kFirstSurrogate) whole.push_back({first, std::min<char32_t>(last, kFirstSurrogate - 1)});
    if (last > kLastSurrogate) whole.push_back({std::max<char32_t>(first, kLastSurrogate + 1), std::min(last, kLastCodePoint)});
  }
  std::ranges::sort(whole, {}, &CodePoints::Range::first);
  CodePoints result;
  for (const auto& range : whole) {
    if (range.first > range.last) continue;
    auto& joined = result.ranges;
    if (!joined.empty() && range.first <= joined.back().last + 1)
      joined.back().last = std::max(joined.back().last, range.last);
    else
      joined.push_back(range);
  }
  return result;
}

CodePoints negated(const CodePoints& points) {
  std::vector<CodePoints::Range> rest;
  char32_t next = 0;
  for (const auto& [first, last] : points.ranges) {
    if (first > next) rest.push_back({next, first - 1});
    next = last + 1;
  }
  if (next <= kLastCodePoint) rest.push_back({next, kLastCodePoint});
  return normalized(std::move(rest));
}

std::vector<ByteRanges> utf8_ranges(CodePoints::Range range) {
  std::vector<ByteRanges> out;
  split_at_lengths(range, [&](CodePoints::Range piece) { split_to_products(piece, out); });
  return out;
}

}  // namespace puna::text::grammar
