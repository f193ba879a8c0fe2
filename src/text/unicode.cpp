#include "text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace puna::text {

CharClass char_class_beyond_ascii(char32_t code) {
  if (code > 0x10FFFF) return CharClass::other;
  switch (code) {  // White_Space holds more than the categories Z*
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return CharClass::space;
    default:
      if (code >= 0x2000 && code <= 0x200A) return CharClass::space;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::number;
    default:
      return CharClass::other;
  }
}

namespace {

using CodePoints = std::vector<utf8proc_int32_t>;

void append_decomposed(char32_t code, CodePoints& out) {
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE);
  utf8proc_int32_t parts[16];  // canonical decompositions have at most 4
  const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 16, kOptions, nullptr);
  if (n < 1 || n > 16) {
    out.push_back(static_cast<utf8proc_int32_t>(code));
  } else {
    out.insert(out.end(), parts, parts + n);
  }
}

// The reference (Hugging Face's normalizer, which the models were trained through) has the tables of Unicode 9: it leaves
// marks that are younger where they stand, and composes nothing across them. First and last of each range.
struct Range {
  char32_t first, last;
};
constexpr Range kYoungMarks[] = {
    {0x07FD, 0x07FD},   {0x0898, 0x089F},   {0x08CA, 0x08D3},   {0x09FE, 0x09FE},   {0x0C3C, 0x0C3C},   {0x0D3B, 0x0D3C},
    {0x0EBA, 0x0EBA},   {0x0ECE, 0x0ECE},   {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},
    {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070},
    {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11930}, {0x1193D, 0x1193E}, {0x11943, 0x11943},
    {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42}, {0x11D44, 0x11D45},
    {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
    {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
};

bool is_young_mark(char32_t code) {
  const auto* range = std::upper_bound(std::begin(kYoungMarks), std::end(kYoungMarks), code,
                                       [](char32_t c, const Range& r) { return c < r.first; });
  return range != std::begin(kYoungMarks) && code <= (range - 1)->last;
}

int combining_class(utf8proc_int32_t code) { return utf8proc_get_property(code)->combining_class; }

// Canonical order: each run of marks sorted by its combining class, equal ones as they stood. utf8proc does this by
// insertion, which is quadratic for a long run of marks.
void sort_marks(CodePoints& codes) {
  auto is_mark = [](utf8proc_int32_t code) { return combining_class(code) != 0; };
  std::vector<std::uint64_t> run;  // class: 8 bits, place: 35, code point: 21
  for (auto at = codes.begin(); at != codes.end();) {
    const auto begin = std::find_if(at, codes.end(), is_mark);
    const auto end = std::find_if_not(begin, codes.end(), is_mark);
    run.clear();
    for (auto mark = begin; mark != end; ++mark) {
      const auto order = static_cast<std::uint64_t>(combining_class(*mark)) << 35 | static_cast<std::uint64_t>(mark - begin);
      run.push_back(order << 21 | static_cast<std::uint64_t>(*mark));
    }
    std::sort(run.begin(), run.end());
    std::transform(run.begin(), run.end(), begin,
                   [](std::uint64_t mark) { return static_cast<utf8proc_int32_t>(mark & 0x1FFFFF); });
    at = end;
  }
}

void append_composed(CodePoints& codes, std::string& out) {
  if (codes.empty()) return;
  sort_marks(codes);
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  const auto n = utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()), kOptions);
  for (utf8proc_ssize_t i = 0; i < n; ++i) append_utf8(static_cast<char32_t>(codes[static_cast<std::size_t>(i)]), out);
  codes.clear();
}

}  // namespace

std::string nfc(std::string_view text) {
  // Below U+0300 nothing combines, and everything is composed already.
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0xCC; });
  if (plain) return std::string(text);
  std::string out;
  out.reserve(text.size());
  CodePoints codes;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    if (step.code == kNotACharacter || is_young_mark(step.code)) {
      append_composed(codes, out);
      out.append(text, at, step.length);
    } else {
      append_decomposed(step.code, codes);
    }
    at += step.length;
  }
  append_composed(codes, out);
  return out;
}

}  // namespace puna::text
