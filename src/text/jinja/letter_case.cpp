#include "text/jinja/letter_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "text/jinja/letter_tables.h"

namespace puna::text::jinja {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool in_ranges(std::span<const CodeRange> ranges, char32_t c) {
  const auto found =
      std::upper_bound(ranges.begin(), ranges.end(), c, [](char32_t code, const CodeRange& range) { return code < range.first; });
  return found != ranges.begin() && c <= std::prev(found)->last;
}

const LongCase* find_long_case(char32_t c) {
  const auto found = std::lower_bound(std::begin(kLongCase), std::end(kLongCase), c,
                                      [](const LongCase& one, char32_t code) { return one.code < code; });
  return found != std::end(kLongCase) && found->code == c ? found : nullptr;
}

using Mapped = std::array<char32_t, 4>;  // ends at 0

Mapped map_one(char32_t c, Case how) {
  const auto code = static_cast<utf8proc_int32_t>(c);
  if (how == Case::swap) how = is_upper(c) ? Case::lower : is_lower(c) ? Case::upper : Case::swap;
  Mapped out{c};
  if (how == Case::upper || how == Case::title) {
    if (const LongCase* found = find_long_case(c)) {
      std::copy(std::begin(found->upper), std::end(found->upper), out.begin());
      if (how == Case::title) std::copy(std::begin(found->title), std::end(found->title), out.begin());
    } else {
      out[0] = static_cast<char32_t>(how == Case::upper ? utf8proc_toupper(code) : utf8proc_totitle(code));
    }
  } else if (how == Case::lower) {
    out[0] = static_cast<char32_t>(utf8proc_tolower(code));
    if (c == 0x130) out = {'i', 0x307};
  } else if (how == Case::fold) {
    utf8proc_int32_t folded[4] = {};
    int boundary = 0;
    const auto n = utf8proc_decompose_char(code, folded, 4, UTF8PROC_CASEFOLD, &boundary);
    if (n >= 1 && n <= 3) {
      out = {};
      std::copy(folded, folded + n, out.begin());
    }
  }
  return out;
}

bool is_cased(char32_t c) { return is_lower(c) || is_upper(c) || is_title(c); }

// Between two letters of a word, these do not count: what Unicode calls case-ignorable.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      break;
  }
  constexpr std::u32string_view kMidWord =
      U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  return kMidWord.find(c) != std::u32string_view::npos;
}

// Capital sigma becomes ς at the end of a word: a letter before it, none after it.
bool ends_word(std::string_view bytes, Span at) {
  bool before = false;
  for (std::size_t end = at.begin; end > 0;) {
    const std::size_t begin = char_begin(bytes, end);
    const char32_t c = decode(bytes.substr(begin, end - begin));
    end = begin;
    if (is_case_ignorable(c)) continue;
    before = is_cased(c);
    break;
  }
  if (!before) return false;
  for (std::size_t begin = at.end; begin < bytes.size();) {
    const std::size_t end = char_end(bytes, begin);
    const char32_t c = decode(bytes.substr(begin, end - begin));
    begin = end;
    if (is_case_ignorable(c)) continue;
    return !is_cased(c);
  }
  return true;
}

// Maps a text character by character; `how_of` says which mapping the next character gets.
template <class HowOf>
Text map_text(const Text& text, HowOf how_of) {
  TextBuilder out;
  out.reserve(text.bytes.size());
  OriginCursor origin(text);
  const std::string_view bytes = text.bytes;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const std::string_view one = bytes.substr(at, end - at);
    const char32_t c = decode(one);
    const Case how = how_of(c);
    std::string mapped;
    if (c == 0x3A3 && how == Case::lower) {
      append_utf8(mapped, ends_word(bytes, {at, end}) ? 0x3C2 : 0x3C3);
    } else if (c == 0xFFFD) {
      mapped = one;
    } else {
      for (const char32_t code : map_one(c, how)) {
        if (code == 0 && c != 0) break;
        append_utf8(mapped, code);
        if (c == 0) break;
      }
    }
    out.add(mapped, origin.is_literal(at));
    at = end;
  }
  return out.take(text.markup);
}

}  // namespace

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 9 && c <= 13) || (c >= 28 && c <= 32);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_line_break(char32_t c) { return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029; }

bool is_alpha(char32_t c) {
  const auto found = category(c);
  return found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }
bool is_digit(char32_t c) { return is_decimal(c) || in_ranges(kDigitNotDecimal, c); }

bool is_numeric(char32_t c) {
  const auto found = category(c);
  return found == UTF8PROC_CATEGORY_ND || found == UTF8PROC_CATEGORY_NL || found == UTF8PROC_CATEGORY_NO ||
         in_ranges(kNumericLetter, c);
}

bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL || in_ranges(kOtherLowercase, c); }
bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU || in_ranges(kOtherUppercase, c); }
bool is_title(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }

bool is_printable(char32_t c) {
  if (c == ' ') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_word(char32_t c) { return c == '_' || is_alpha(c) || is_numeric(c); }
bool is_name_start(char32_t c) { return c == '_' || is_alpha(c) || category(c) == UTF8PROC_CATEGORY_NL; }

int decimal_value(char32_t c) {
  if (!is_decimal(c)) return -1;
  if (c < 0x80) return static_cast<int>(c - '0');
  // Decimal digits come in runs of ten that begin at a zero: the mathematical ones at 0x1D7CE, all others at …0 or …6.
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<int>((c - 0x1D7CE) % 10);
  const char32_t low = c & 0xFU;
  return static_cast<int>(low >= 6 && !is_decimal(c - low) ? low - 6 : low);
}

Text map_case(const Text& text, Case how) {
  return map_text(text, [how](char32_t) { return how; });
}

Text capitalize(const Text& text) {
  bool first = true;
  return map_text(text, [&](char32_t) { return std::exchange(first, false) ? Case::title : Case::lower; });
}

Text title_words(const Text& text) {
  bool in_word = false;
  return map_text(text, [&](char32_t c) {
    const Case how = in_word ? Case::lower : Case::title;
    in_word = is_cased(c);
    return how;
  });
}

bool is_title_cased(const Text& text) {
  bool in_word = false;
  bool any = false;
  const std::string_view bytes = text.bytes;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const char32_t c = decode(bytes.substr(at, end - at));
    at = end;
    if (is_upper(c) || is_title(c)) {
      if (in_word) return false;
      in_word = any = true;
    } else if (is_lower(c)) {
      if (!in_word) return false;
      any = true;
    } else {
      in_word = false;
    }
  }
  return any;
}

Span strip_span(const Text& text, const Text* chars, bool left, bool right) {
  const std::string_view bytes = text.bytes;
  const auto strips = [&](std::string_view one) {
    if (chars == nullptr) return is_space(decode(one));
    const std::string_view set = chars->bytes;
    for (std::size_t at = 0; at < set.size();) {
      const std::size_t end = char_end(set, at);
      if (set.substr(at, end - at) == one) return true;
      at = end;
    }
    return false;
  };
  Span kept{0, bytes.size()};
  while (left && kept.begin < kept.end) {
    const std::size_t end = char_end(bytes, kept.begin);
    if (!strips(bytes.substr(kept.begin, end - kept.begin))) break;
    kept.begin = end;
  }
  while (right && kept.begin < kept.end) {
    const std::size_t begin = char_begin(bytes, kept.end);
    if (!strips(bytes.substr(begin, kept.end - begin))) break;
    kept.end = begin;
  }
  return kept;
}

}  // namespace puna::text::jinja
