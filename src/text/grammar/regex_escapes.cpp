#include "text/grammar/regex_escapes.h"

#include <fmt/core.h>

#include <algorithm>

namespace puna::text::grammar {
namespace {

CharSet digits() { return CharSet::of('0', '9'); }
CharSet word_chars() { return CharSet::of('0', '9').add('A', 'Z').add('_', '_').add('a', 'z'); }

// ECMA-262's WhiteSpace and LineTerminator.
CharSet spaces() {
  return CharSet::of(9, 13)
      .add(' ', ' ')
      .add(0xA0, 0xA0)
      .add(0x1680, 0x1680)
      .add(0x2000, 0x200A)
      .add(0x2028, 0x2029)
      .add(0x202F, 0x202F)
      .add(0x205F, 0x205F)
      .add(0x3000, 0x3000)
      .add(0xFEFF, 0xFEFF);
}

RegexEscape one(char32_t code) { return {CharSet::of(code, code), code, false}; }

Result<RegexEscape> property(RegexInput& in, bool inverted) {
  if (!in.take('{')) return in.wrong("\\p without its {…}");
  std::string name;
  while (!in.at_end() && in.peek() != '}' && name.size() < 64) append_utf8(in.next(), name);
  if (!in.take('}')) return in.wrong("\\p{ without its }");
  const auto set = unicode_property(name);
  if (!set)
    return in.wrong(fmt::format("the Unicode property '{}', of which only general categories, Any and ASCII are known", name));
  return RegexEscape{inverted ? set->inverse() : *set, 0, true};
}

// What \d and its kind stand for.
std::optional<CharSet> class_named(char32_t c) {
  switch (c) {
    case 'd':
      return digits();
    case 'D':
      return digits().inverse();
    case 'w':
      return word_chars();
    case 'W':
      return word_chars().inverse();
    case 's':
      return spaces();
    case 'S':
      return spaces().inverse();
    default:
      return std::nullopt;
  }
}

Result<RegexEscape> unicode_escape(RegexInput& in) {
  if (in.take('{')) {
    char32_t code = 0;
    bool any = false;
    while (const auto digit = in.hex(1)) {
      any = true;
      code = std::min<char32_t>(code * 16 + *digit, 0x110000);
    }
    if (!any || !in.take('}') || code > 0x10FFFF) return in.wrong("\\u{…} that is no character");
    return one(code);
  }
  const auto code = in.hex(4);
  if (!code) return in.wrong("\\u without four hexadecimal digits");
  if (*code < 0xD800 || *code > 0xDFFF) return one(*code);
  const auto before = in.place();
  if (*code < 0xDC00 && in.take('\\') && in.take('u')) {
    const auto low = in.hex(4);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) return one(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00));
  }
  in.go_back(before);
  return in.wrong("half of a surrogate pair, which is no character");
}

}  // namespace

Result<void> RegexInput::check_utf8() {
  for (std::size_t at = 0; at < text_.size();) {
    const auto step = utf8_at(text_, at);
    if (step.code == kNotACharacter) return at_ = at, wrong("bytes that are not UTF-8");
    at += step.length;
  }
  return {};
}

char32_t RegexInput::next() {
  const auto step = utf8_at(text_, at_);
  at_ += step.length;
  return step.code;
}

bool RegexInput::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::optional<std::uint32_t> RegexInput::number(std::uint32_t most) {
  std::optional<std::uint32_t> value;
  for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    const std::uint64_t more = std::uint64_t{value.value_or(0)} * 10 + static_cast<unsigned>(text_[at_] - '0');
    value = static_cast<std::uint32_t>(std::min<std::uint64_t>(more, most));
  }
  return value;
}

std::optional<char32_t> RegexInput::hex(int digits) {
  if (text_.size() - at_ < static_cast<std::size_t>(digits)) return std::nullopt;
  char32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = text_[at_ + static_cast<std::size_t>(i)];
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) return std::nullopt;
    code = code * 16 + static_cast<char32_t>(value);
  }
  at_ += static_cast<std::size_t>(digits);
  return code;
}

std::unexpected<Error> RegexInput::wrong(std::string_view what) const {
  std::size_t character = 1;
  for (std::size_t at = 0; at < at_; at += utf8_at(text_, at).length) ++character;
  const std::string shown = text_.size() <= 200 ? std::string(text_) : "";
  return fail(ErrorKind::unsupported, "regular expression {}, before character {}: {}", shown, character, what);
}

Result<RegexEscape> read_escape(RegexInput& in, bool in_brackets) {
  if (in.at_end()) return in.wrong("a backslash at the end");
  const char32_t c = in.next();
  if (const auto set = class_named(c)) return RegexEscape{*set, 0, true};
  switch (c) {
    case 'p':
      return property(in, false);
    case 'P':
      return property(in, true);
    case 't':
      return one('\t');
    case 'n':
      return one('\n');
    case 'v':
      return one('\v');
    case 'f':
      return one('\f');
    case 'r':
      return one('\r');
    case 'u':
      return unicode_escape(in);
    case 'b':
      if (in_brackets) return one('\b');
      return in.wrong("a word boundary, which is not supported");
    case 'B':
      return in.wrong("a word boundary, which is not supported");
    case 'k':
      return in.wrong("a back reference, which no automaton can run");
    default:
      break;
  }
  if (c == 'x') {
    const auto code = in.hex(2);
    if (!code) return in.wrong("\\x without two hexadecimal digits");
    return one(*code);
  }
  if (c == 'c') {
    const char32_t letter = in.peek() | 0x20;
    if (letter < 'a' || letter > 'z') return in.wrong("\\c without a letter");
    in.next();
    return one(letter & 0x1F);
  }
  if (c >= '0' && c <= '9') {
    if (c == '0' && !(in.peek() >= '0' && in.peek() <= '9')) return one(0);
    return in.wrong(in_brackets || c == '0' ? "an octal escape" : "a back reference, which no automaton can run");
  }
  if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') {
    return in.wrong(fmt::format("the escape '\\{}', which ECMA-262 does not know", static_cast<char>(c)));
  }
  return one(c);
}

CharSet line_ends() { return CharSet::of('\n', '\n').add('\r', '\r').add(0x2028, 0x2029); }

}  // namespace puna::text::grammar
