#include "text/grammar/char_set.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace puna::text::grammar {
namespace {

constexpr char32_t kLast = 0x10FFFF;
constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

struct Category {
  std::string_view code;   // as utf8proc writes it, or its first letter alone
  std::string_view name;   // as Unicode's PropertyValueAliases writes it
  std::string_view alias;  // may be empty
};
constexpr Category kCategories[] = {
    {"L", "Letter", ""},
    {"Lu", "Uppercase_Letter", ""},
    {"Ll", "Lowercase_Letter", ""},
    {"Lt", "Titlecase_Letter", ""},
    {"Lm", "Modifier_Letter", ""},
    {"Lo", "Other_Letter", ""},
    {"M", "Mark", "Combining_Mark"},
    {"Mn", "Nonspacing_Mark", ""},
    {"Mc", "Spacing_Mark", ""},
    {"Me", "Enclosing_Mark", ""},
    {"N", "Number", ""},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", ""},
    {"No", "Other_Number", ""},
    {"P", "Punctuation", "punct"},
    {"Pc", "Connector_Punctuation", ""},
    {"Pd", "Dash_Punctuation", ""},
    {"Ps", "Open_Punctuation", ""},
    {"Pe", "Close_Punctuation", ""},
    {"Pi", "Initial_Punctuation", ""},
    {"Pf", "Final_Punctuation", ""},
    {"Po", "Other_Punctuation", ""},
    {"S", "Symbol", ""},
    {"Sm", "Math_Symbol", ""},
    {"Sc", "Currency_Symbol", ""},
    {"Sk", "Modifier_Symbol", ""},
    {"So", "Other_Symbol", ""},
    {"Z", "Separator", ""},
    {"Zs", "Space_Separator", ""},
    {"Zl", "Line_Separator", ""},
    {"Zp", "Paragraph_Separator", ""},
    {"C", "Other", ""},
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", ""},
    {"Co", "Private_Use", ""},
    {"Cn", "Unassigned", ""},
};

// Appends the escape that JSON wants for `code`, or its UTF-8.
void append_json(char32_t code, std::string& out) {
  switch (code) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (code < 0x20)
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  else
    append_utf8(code, out);
}

// The ranges of one length of UTF-8, byte by byte; tails of any continuation bytes are shared.
class Utf8Edges {
 public:
  Utf8Edges(Nfa& nfa, Nfa::State from, Nfa::State to) : nfa_(nfa), from_(from) { tails_[0] = to, has_tail_[0] = true; }

  void add(char32_t first, char32_t last) {
    for (const char32_t end : {char32_t{0x7F}, char32_t{0x7FF}, char32_t{0xFFFF}, kLast}) {
      if (first > last) return;
      if (first > end) continue;
      std::string low, high;
      append_utf8(first, low);
      append_utf8(std::min(last, end), high);
      add_bytes(from_, low, high);
      first = end + 1;
    }
  }

 private:
  static unsigned char byte(std::string_view text) { return static_cast<unsigned char>(text[0]); }
  static bool all(std::string_view text, char c) { return text.find_first_not_of(c) == text.npos; }

  Nfa::State tail(std::size_t length) {
    if (!has_tail_[length]) {
      tails_[length] = nfa_.add();
      has_tail_[length] = true;
      nfa_.edge(tails_[length], 0x80, 0xBF, tail(length - 1));
    }
    return tails_[length];
  }

  // At most four deep: the bytes of a character.
  void add_bytes(Nfa::State from, std::string_view low, std::string_view high) {
    unsigned char first = byte(low), last = byte(high);
    const auto rest_low = low.substr(1), rest_high = high.substr(1);
    if (first == last && !(all(rest_low, '\x80') && all(rest_high, '\xBF'))) {
      const auto next = nfa_.add();
      nfa_.edge(from, first, first, next);
      add_bytes(next, rest_low, rest_high);
      return;
    }
    if (!all(rest_low, '\x80')) {
      const auto next = nfa_.add();
      nfa_.edge(from, first, first, next);
      add_bytes(next, rest_low, std::string(rest_low.size(), '\xBF'));
      ++first;
    }
    if (!all(rest_high, '\xBF')) {
      const auto next = nfa_.add();
      nfa_.edge(from, last, last, next);
      add_bytes(next, std::string(rest_high.size(), '\x80'), rest_high);
      --last;
    }
    if (first <= last) nfa_.edge(from, first, last, tail(rest_low.size()));
  }

  Nfa& nfa_;
  Nfa::State from_;
  std::array<Nfa::State, 4> tails_{};
  std::array<bool, 4> has_tail_{};
};

}  // namespace

CharSet CharSet::all() { return of(0, kLast); }

CharSet CharSet::of(char32_t first, char32_t last) {
  CharSet set;
  return set.add(first, last);
}

CharSet& CharSet::add(char32_t first, char32_t last) {
  if (first <= kLastSurrogate && last >= kFirstSurrogate) {
    if (last > kLastSurrogate) add(kLastSurrogate + 1, last);
    if (first >= kFirstSurrogate) return *this;
    last = kFirstSurrogate - 1;
  }
  if (first > last) return *this;
  // What overlaps the new range or touches it becomes one with it.
  auto begin =
      std::lower_bound(ranges_.begin(), ranges_.end(), first, [](const auto& range, char32_t at) { return range.last + 1 < at; });
  auto end = begin;
  while (end != ranges_.end() && end->first <= last + 1) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  begin = ranges_.erase(begin, end);
  ranges_.insert(begin, {first, last});
  return *this;
}

CharSet& CharSet::add(const CharSet& other) {
  for (const auto& range : other.ranges_) add(range.first, range.last);
  return *this;
}

CharSet CharSet::inverse() const {
  CharSet result;
  char32_t next = 0;
  for (const auto& range : ranges_) {
    if (range.first > next) result.add(next, range.first - 1);
    next = range.last + 1;
  }
  if (next <= kLast) result.add(next, kLast);
  return result;
}

bool CharSet::operator<(const CharSet& other) const {
  return std::lexicographical_compare(
      ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
      [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.last < b.last; });
}

std::optional<CharSet> unicode_property(std::string_view name) {
  if (name == "Any") return CharSet::all();
  if (name == "ASCII") return CharSet::of(0, 0x7F);
  for (const std::string_view prefix : {"gc=", "General_Category="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const auto* category = std::find_if(std::begin(kCategories), std::end(kCategories), [&](const Category& one) {
    return name == one.code || name == one.name || (!one.alias.empty() && name == one.alias);
  });
  if (category == std::end(kCategories)) return std::nullopt;
  std::vector<CodePoints::Range> found;
  for (char32_t code = 0; code <= kLast; ++code) {
    if (code == kFirstSurrogate) code = kLastSurrogate + 1;
    const char* text = utf8proc_category_string(static_cast<utf8proc_int32_t>(code));
    if (!std::string_view(text).starts_with(category->code)) continue;
    if (!found.empty() && found.back().last + 1 == code)
      found.back().last = code;
    else
      found.push_back({code, code});
  }
  CharSet set;
  for (const auto& range : found) set.add(range.first, range.last);
  return set;
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto step = utf8_at(text, at);
    append_json(step.code == kNotACharacter ? 0xFFFD : step.code, out);
    at += step.length;
  }
  return out;
}

void add_char(Nfa& nfa, const CharSet& set, Spelling spelling, Nfa::State from, Nfa::State to) {
  Utf8Edges edges(nfa, from, to);
  const auto add_raw = [&](char32_t first, char32_t last) {
    if (first <= last) edges.add(first, last);
  };
  for (const auto& range : set.ranges()) {
    char32_t first = range.first;
    if (spelling == Spelling::json) {
      for (; first < 0x20 && first <= range.last; ++first) {
        std::string escape;
        append_json(first, escape);
        nfa.word(from, escape, to);
      }
      for (const char32_t special : {U'"', U'\\'}) {
        if (special < first || special > range.last) continue;
        add_raw(first, special - 1);
        nfa.word(from, special == U'"' ? "\\\"" : "\\\\", to);
        first = special + 1;
      }
    }
    add_raw(first, range.last);
  }
}

}  // namespace puna::text::grammar
