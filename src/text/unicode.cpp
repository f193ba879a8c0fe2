#include "text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace puna::text {

namespace {

utf8proc_category_t category(char32_t code) {
  return code > 0x10FFFF ? UTF8PROC_CATEGORY_CN : utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

// White_Space holds more than the categories Z*.
constexpr bool is_space(char32_t code) {
  return (code >= '\t' && code <= '\r') || code == ' ' || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

std::uint8_t flags_of(char32_t code) {
  if (is_space(code)) return kSpace;
  const utf8proc_category_t c = category(code);
  if (c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LT) return kUpper;
  if (c == UTF8PROC_CATEGORY_LL) return kLower;
  if (c == UTF8PROC_CATEGORY_LM || c == UTF8PROC_CATEGORY_LO) return kCaseless;
  if (c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME) return kMark;
  if (c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO) return kNumber;
  if (c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO) return kPunctuation;
  return c >= UTF8PROC_CATEGORY_SM && c <= UTF8PROC_CATEGORY_SO ? kSymbol : 0;
}

constexpr std::array<std::uint8_t, 128> make_ascii_flags() {
  std::array<std::uint8_t, 128> flags{};
  for (char32_t c = 0; c < 128; ++c) {
    const bool symbol = c == '$' || c == '+' || c == '<' || c == '=' || c == '>' || c == '^' || c == '`' || c == '|' || c == '~';
    flags[c] = is_space(c)            ? kSpace
               : c >= 'A' && c <= 'Z' ? kUpper
               : c >= 'a' && c <= 'z' ? kLower
               : c >= '0' && c <= '9' ? kNumber
               : c < ' ' || c == 0x7F ? 0
               : symbol               ? kSymbol
                                      : kPunctuation;
  }
  return flags;
}

}  // namespace

constexpr std::array<std::uint8_t, 128> kAsciiFlags = make_ascii_flags();

std::uint8_t char_flags_beyond_ascii(char32_t code) {
  // Almost all text is in the first plane, where a byte for each character makes this a load.
  static const std::vector<std::uint8_t> kPlane = [] {
    std::vector<std::uint8_t> plane(0x10000);
    for (char32_t c = 0; c < plane.size(); ++c) plane[c] = flags_of(c);
    return plane;
  }();
  return code < kPlane.size() ? kPlane[code] : flags_of(code);
}

namespace {

// The reference (Hugging Face's normalizer, which the models were trained through) has the tables of Unicode 9: it leaves
// marks that are younger where they stand, and composes nothing across them. First and last of each range.
struct Range {
  char32_t first, last;
};

// The ranges ascend.
template <std::size_t n>
bool is_in(char32_t code, const Range (&ranges)[n]) {
  const auto* range = std::upper_bound(ranges, ranges + n, code, [](char32_t c, const Range& r) { return c < r.first; });
  return range != ranges && code <= (range - 1)->last;
}

constexpr Range kYoungMarks[] = {
    {0x07FD, 0x07FD},   {0x0898, 0x089F},   {0x08CA, 0x08D3},   {0x09FE, 0x09FE},   {0x0AFA, 0x0AFF},   {0x0B55, 0x0B55},
    {0x0C04, 0x0C04},   {0x0C3C, 0x0C3C},   {0x0D00, 0x0D00},   {0x0D3B, 0x0D3C},   {0x0D81, 0x0D81},   {0x0EBA, 0x0EBA},
    {0x0ECE, 0x0ECE},   {0x1715, 0x1715},   {0x180F, 0x180F},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},
    {0xA8FF, 0xA8FF},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
    {0x11070, 0x11070}, {0x11073, 0x11074}, {0x110C2, 0x110C2}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF}, {0x1133B, 0x1133B},
    {0x1145E, 0x1145E}, {0x1182F, 0x11837}, {0x11839, 0x1183A}, {0x11930, 0x11930}, {0x1193B, 0x1193E}, {0x11943, 0x11943},
    {0x119D4, 0x119D7}, {0x119DA, 0x119DB}, {0x119E0, 0x119E0}, {0x11A01, 0x11A0A}, {0x11A33, 0x11A38}, {0x11A3B, 0x11A3E},
    {0x11A47, 0x11A47}, {0x11A51, 0x11A56}, {0x11A59, 0x11A5B}, {0x11A8A, 0x11A96}, {0x11A98, 0x11A99}, {0x11D31, 0x11D36},
    {0x11D3A, 0x11D3A}, {0x11D3C, 0x11D3D}, {0x11D3F, 0x11D45}, {0x11D47, 0x11D47}, {0x11D90, 0x11D91}, {0x11D95, 0x11D95},
    {0x11D97, 0x11D97}, {0x11EF3, 0x11EF4}, {0x11F41, 0x11F42}, {0x16F4F, 0x16F4F}, {0x16FE4, 0x16FE4}, {0x16FF0, 0x16FF1},
    {0x1CF00, 0x1CF2D}, {0x1CF30, 0x1CF46}, {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF},
    {0x1E4EC, 0x1E4EF}};

// Of the characters that decompose those that are younger.
constexpr Range kYoungDecompositions[] = {{0x32FF, 0x32FF},   {0xA7F2, 0xA7F4},   {0xAB69, 0xAB69},
                                          {0x10781, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA},
                                          {0x11938, 0x11938}, {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

using CodePoints = std::vector<utf8proc_int32_t>;

bool is_compatible(NormalForm form) { return form == NormalForm::nfkc || form == NormalForm::nfkd; }
bool is_composed(NormalForm form) { return form == NormalForm::nfc || form == NormalForm::nfkc; }

void append_decomposed(char32_t code, NormalForm form, CodePoints& out) {
  constexpr int kMost = 32;  // decompositions have at most 18
  utf8proc_int32_t parts[kMost];
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | (is_compatible(form) ? UTF8PROC_COMPAT : 0));
  const bool young = is_in(code, kYoungDecompositions) && !(code == 0x11938 && is_composed(form));
  const auto n = young ? 0 : utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, kMost, options, nullptr);
  if (n < 1 || n > kMost) {
    out.push_back(static_cast<utf8proc_int32_t>(code));
  } else {
    out.insert(out.end(), parts, parts + n);
  }
}

bool is_young_mark(char32_t code) { return is_in(code, kYoungMarks); }

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

void append_normalized(CodePoints& codes, NormalForm form, std::string& out) {
  if (codes.empty()) return;
  sort_marks(codes);
  auto n = static_cast<utf8proc_ssize_t>(codes.size());
  constexpr auto kCompose = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  if (is_composed(form)) n = utf8proc_normalize_utf32(codes.data(), n, kCompose);
  for (utf8proc_ssize_t i = 0; i < n; ++i) append_utf8(static_cast<char32_t>(codes[static_cast<std::size_t>(i)]), out);
  codes.clear();
}

// Whether no byte can begin a character that the form changes.
bool is_plain(std::string_view text, NormalForm form) {
  // Below U+0300 nothing combines, and everything is composed already; the other forms change some of Latin-1.
  const unsigned char first = form == NormalForm::nfc ? 0xCC : 0x80;
  return std::all_of(text.begin(), text.end(), [first](char c) { return static_cast<unsigned char>(c) < first; });
}

}  // namespace

std::string normalized(std::string_view text, NormalForm form) {
  if (is_plain(text, form)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  CodePoints codes;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    if (step.code == kNotACharacter || is_young_mark(step.code)) {
      append_normalized(codes, form, out);
      out.append(text, at, step.length);
    } else {
      append_decomposed(step.code, form, codes);
    }
    at += step.length;
  }
  append_normalized(codes, form, out);
  return out;
}

std::string lowercase(std::string_view text) {
  return each_character(text, [](char32_t code, std::string& out) {
    if (code == 0x130) {  // the one character whose small form is two
      out += "i\u0307";
    } else {
      append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))), out);
    }
  });
}

bool is_punctuation(char32_t code) {
  if (code < 0x80) return (kAsciiFlags[code] & (kPunctuation | kSymbol)) != 0;
  static constexpr Range kYoung[] = {
      {0x061D, 0x061D},   {0x09FD, 0x09FD},   {0x0A76, 0x0A76},   {0x0C77, 0x0C77},   {0x0C84, 0x0C84},   {0x1B7D, 0x1B7E},
      {0x2E43, 0x2E4F},   {0x2E52, 0x2E5D},   {0x10EAD, 0x10EAD}, {0x10F55, 0x10F59}, {0x10F86, 0x10F89}, {0x1144B, 0x1144F},
      {0x1145A, 0x1145B}, {0x1145D, 0x1145D}, {0x11660, 0x1166C}, {0x116B9, 0x116B9}, {0x1183B, 0x1183B}, {0x11944, 0x11946},
      {0x119E2, 0x119E2}, {0x11A3F, 0x11A46}, {0x11A9A, 0x11A9C}, {0x11A9E, 0x11AA2}, {0x11C41, 0x11C45}, {0x11C70, 0x11C71},
      {0x11EF7, 0x11EF8}, {0x11FFF, 0x11FFF}, {0x12FF1, 0x12FF2}, {0x16E97, 0x16E9A}, {0x16FE2, 0x16FE2}, {0x1E95E, 0x1E95F}};
  // U+166D and U+111C9 were punctuation once.
  return code == 0x166D || code == 0x111C9 || ((char_flags(code) & kPunctuation) != 0 && !is_in(code, kYoung));
}

bool is_other(char32_t code) {
  const utf8proc_category_t c = category(code);
  return code <= 0x10FFFF && (c == UTF8PROC_CATEGORY_CN || c >= UTF8PROC_CATEGORY_CC);
}

bool is_digit(char32_t code) { return category(code) == UTF8PROC_CATEGORY_ND; }

bool is_word_character(char32_t code) {
  // Not by their category: some raised digits and fractions, and the circled letters.
  static constexpr Range kMore[] = {{0xB2, 0xB3},       {0xB9, 0xB9},       {0xBC, 0xBE},      {0x24B6, 0x24E9},
                                    {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
  const utf8proc_category_t c = category(code);
  return (char_flags(code) & (kLetter | kMark)) != 0 || c == UTF8PROC_CATEGORY_ND || c == UTF8PROC_CATEGORY_NL ||
         c == UTF8PROC_CATEGORY_PC || is_in(code, kMore);
}

bool is_mark(char32_t code) { return code >= 0x300 && (char_flags(code) & kMark) != 0 && !is_young_mark(code); }

bool is_nonspacing_mark(char32_t code) {
  if (code < 0x300) return false;
  static constexpr Range kYoung[] = {
      {0x07FD, 0x07FD},   {0x0898, 0x089F},   {0x08CA, 0x08E1},   {0x09FE, 0x09FE},   {0x0AFA, 0x0AFF},   {0x0B55, 0x0B55},
      {0x0C04, 0x0C04},   {0x0C3C, 0x0C3C},   {0x0D00, 0x0D00},   {0x0D3B, 0x0D3C},   {0x0D81, 0x0D81},   {0x0EBA, 0x0EBA},
      {0x180F, 0x180F},   {0x1885, 0x1886},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFB},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},
      {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
      {0x11070, 0x11070}, {0x11073, 0x11074}, {0x110C2, 0x110C2}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF}, {0x1123E, 0x1123E},
      {0x1133B, 0x1133B}, {0x11438, 0x1143F}, {0x11442, 0x11444}, {0x11446, 0x11446}, {0x1145E, 0x1145E}, {0x1182F, 0x11837},
      {0x11839, 0x1183A}, {0x1193B, 0x1193C}, {0x1193E, 0x1193E}, {0x11943, 0x11943}, {0x119D4, 0x119D7}, {0x119DA, 0x119DB},
      {0x119E0, 0x119E0}, {0x11A01, 0x11A0A}, {0x11A33, 0x11A38}, {0x11A3B, 0x11A3E}, {0x11A47, 0x11A47}, {0x11A51, 0x11A56},
      {0x11A59, 0x11A5B}, {0x11A8A, 0x11A96}, {0x11A98, 0x11A99}, {0x11C30, 0x11C36}, {0x11C38, 0x11C3D}, {0x11C3F, 0x11C3F},
      {0x11C92, 0x11CA7}, {0x11CAA, 0x11CB0}, {0x11CB2, 0x11CB3}, {0x11CB5, 0x11CB6}, {0x11D31, 0x11D36}, {0x11D3A, 0x11D3A},
      {0x11D3C, 0x11D3D}, {0x11D3F, 0x11D45}, {0x11D47, 0x11D47}, {0x11D90, 0x11D91}, {0x11D95, 0x11D95}, {0x11D97, 0x11D97},
      {0x11EF3, 0x11EF4}, {0x16F4F, 0x16F4F}, {0x16FE4, 0x16FE4}, {0x1CF00, 0x1CF2D}, {0x1CF30, 0x1CF46}, {0x1E000, 0x1E006},
      {0x1E008, 0x1E018}, {0x1E01B, 0x1E021}, {0x1E023, 0x1E024}, {0x1E026, 0x1E02A}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
      {0x1E2EC, 0x1E2EF}, {0x1E944, 0x1E94A}};
  return code == 0x1734 || (category(code) == UTF8PROC_CATEGORY_MN && !is_in(code, kYoung));
}

bool is_han(char32_t code) {
  static constexpr Range kHan[] = {{0x2E80, 0x2E99},   {0x2E9B, 0x2EF3},   {0x2F00, 0x2FD5},   {0x3005, 0x3005},
                                   {0x3007, 0x3007},   {0x3021, 0x3029},   {0x3038, 0x303B},   {0x3400, 0x4DBF},
                                   {0x4E00, 0x9FFF},   {0xF900, 0xFA6D},   {0xFA70, 0xFAD9},   {0x16FE2, 0x16FE3},
                                   {0x16FF0, 0x16FF1}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B738}, {0x2B740, 0x2B81D},
                                   {0x2B820, 0x2CEA1}, {0x2CEB0, 0x2EBE0}, {0x2F800, 0x2FA1D}, {0x30000, 0x3134A}};
  return is_in(code, kHan);
}

bool is_ideograph(char32_t code) {
  static constexpr Range kIdeographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
                                          {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return is_in(code, kIdeographs);
}

}  // namespace puna::text
