#include "text/jinja/lexer.h"

#include <array>
#include <charconv>
#include <cstdlib>

#include "text/jinja/letter_case.h"

namespace puna::text::jinja {
namespace {

constexpr std::size_t kMaxSource = 4U << 20U;
constexpr std::size_t kMaxBrackets = 128;  // as deep as the parser goes

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Line ends become \n; one at the very end is dropped.
std::string normalize_newlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
      continue;
    }
    out += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    while (at_ < source_.size()) PUNA_TRY(root());
    push(TokenKind::eof, at_);
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return source_.substr(at_); }
  bool starts(std::string_view what) const { return rest().starts_with(what); }

  // Positions are asked for in ascending order, so lines are counted once.
  Position position(std::size_t at) {
    for (; counted_ < at; ++counted_) {
      const char c = source_[counted_];
      if (c == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
        ++place_.column;
      }
    }
    return place_;
  }

  Token& push(TokenKind kind, std::size_t at, std::string text = {}) {
    tokens_.push_back({.kind = kind, .at = position(at), .text = std::move(text)});
    return tokens_.back();
  }

  std::size_t skip_space(std::size_t at) const {
    while (at < source_.size()) {
      const std::size_t end = char_end(source_, at);
      if (!is_space(decode(source_.substr(at, end - at)))) break;
      at = end;
    }
    return at;
  }

  void advance_to(std::size_t at) {
    line_starting_ = at > at_ ? source_[at - 1] == '\n' : line_starting_;
    at_ = at;
  }

  // The end of a tag at `at`: `-%}` and the space after it, `+%}`, or `%}` and one newline. 0 where there is none.
  std::size_t tag_end(std::size_t at, std::string_view closing, bool trims_newline) const {
    const std::string_view text = source_.substr(at);
    if (text.starts_with('-') && text.substr(1).starts_with(closing)) return skip_space(at + 1 + closing.size());
    if (trims_newline && text.starts_with('+') && text.substr(1).starts_with(closing)) return at + 1 + closing.size();
    if (!text.starts_with(closing)) return 0;
    const std::size_t end = at + closing.size();
    return trims_newline && end < source_.size() && source_[end] == '\n' ? end + 1 : end;
  }

  // Template text before a tag whose white-space sign is `sign` ('-', '+' or 0).
  void push_data(std::size_t begin, std::size_t end, char sign, bool before_variable) {
    std::string_view text = source_.substr(begin, end - begin);
    if (sign == '-') {
      while (!text.empty()) {
        const std::size_t last = char_begin(text, text.size());
        if (!is_space(decode(text.substr(last)))) break;
        text = text.substr(0, last);
      }
    } else if (sign != '+' && !before_variable) {
      const std::size_t line = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
      if ((line > 0 || line_starting_) && begin + line < end && skip_space(begin + line) >= end) text = text.substr(0, line);
    }
    if (!text.empty()) push(TokenKind::data, begin, std::string(text));
  }

  char sign_at(std::size_t at) const {
    return at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at] : '\0';
  }

  // Where `{%` at `at` opens a raw block: the first byte of its content; else 0.
  std::size_t raw_begin(std::size_t at) const {
    std::size_t name = skip_space(at + 2 + (sign_at(at + 2) != 0 ? 1 : 0));
    if (!source_.substr(name).starts_with("raw")) return 0;
    name = skip_space(name + 3);
    if (source_.substr(name).starts_with("-%}")) return skip_space(name + 3);
    return source_.substr(name).starts_with("%}") ? name + 2 : 0;
  }

  Result<void> root() {
    const std::size_t begin = at_;
    std::size_t tag = begin;
    while (true) {
      tag = source_.find('{', tag);
      if (tag == std::string_view::npos || tag + 1 >= source_.size()) {
        push(TokenKind::data, begin, std::string(source_.substr(begin)));
        at_ = source_.size();
        return {};
      }
      const char next = source_[tag + 1];
      if (next == '%' || next == '{' || next == '#') break;
      ++tag;
    }
    const char sign = sign_at(tag + 2);
    const char type = source_[tag + 1];
    push_data(begin, tag, sign, type == '{');
    if (type == '%') {
      if (const std::size_t content = raw_begin(tag)) return raw(tag, content);
    }
    advance_to(tag + 2 + (sign != 0 ? 1 : 0));
    if (type == '#') return comment(tag);
    push(type == '%' ? TokenKind::block_begin : TokenKind::variable_begin, tag);
    return inside(type == '%');
  }

  Result<void> raw(std::size_t tag, std::size_t content) {
    advance_to(content);
    for (std::size_t at = content; (at = source_.find("{%", at)) != std::string_view::npos; at += 2) {
      const char sign = sign_at(at + 2);
      const std::size_t name = skip_space(at + 2 + (sign != 0 ? 1 : 0));
      if (!source_.substr(name).starts_with("endraw")) continue;
      const std::size_t end = tag_end(skip_space(name + 6), "%}", true);
      if (end == 0) continue;
      push_data(content, at, sign, false);
      advance_to(end);
      return {};
    }
    return fail_at(position(tag), "this raw block has no end", "Close it with {% endraw %}.");
  }

  Result<void> comment(std::size_t tag) {
    const std::size_t at = source_.find("#}", at_);
    if (at != std::string_view::npos) {
      const char before = at > at_ ? source_[at - 1] : '\0';
      advance_to(tag_end(before == '-' || before == '+' ? at - 1 : at, "#}", true));
      return {};
    }
    return fail_at(position(tag), "this comment has no end", "Close it with #}.");
  }

  Result<void> inside(bool is_block) {
    const Position tag = tokens_.back().at;
    const std::string_view closing = is_block ? "%}" : "}}";
    while (true) {
      advance_to(skip_space(at_));
      if (at_ >= source_.size()) {
        return fail_at(tag, is_block ? "this block tag has no end" : "this expression has no end",
                       fmt::format("Close it with {}.", closing));
      }
      if (balance_.empty()) {
        if (const std::size_t end = tag_end(at_, closing, is_block)) {
          push(is_block ? TokenKind::block_end : TokenKind::variable_end, at_);
          advance_to(end);
          return {};
        }
      }
      PUNA_TRY(one_token());
    }
  }

  Result<void> one_token() {
    const char c = source_[at_];
    if (is_ascii_digit(c)) return number();
    if (c == '\'' || c == '"') return string(c);
    const std::size_t end = char_end(source_, at_);
    if (is_word(decode(source_.substr(at_, end - at_)))) return name();
    return op();
  }

  Result<void> name() {
    std::size_t end = at_;
    bool valid = true;
    while (end < source_.size()) {
      const std::size_t next = char_end(source_, end);
      const char32_t c = decode(source_.substr(end, next - end));
      if (!is_word(c)) break;
      valid = valid && (end == at_ ? is_name_start(c) : is_name_start(c) || is_decimal(c));
      end = next;
    }
    if (!valid) return fail_at(position(at_), fmt::format("'{}' is no name", source_.substr(at_, end - at_)));
    push(TokenKind::name, at_, std::string(source_.substr(at_, end - at_)));
    advance_to(end);
    return {};
  }

  // Digits with single underscores between them, from `at`; where they end.
  template <class IsDigit>
  std::size_t digits(std::size_t at, IsDigit is_digit_of, bool may_begin_with_underscore = false) const {
    std::size_t end = at;
    while (end < source_.size()) {
      const bool underscore = source_[end] == '_' && (end > at || may_begin_with_underscore);
      const std::size_t digit = end + (underscore ? 1 : 0);
      if (digit >= source_.size() || !is_digit_of(source_[digit])) break;
      end = digit + 1;
    }
    return end;
  }

  // Where a number with a fraction or an exponent ends; `at_` where it is none.
  std::size_t real_end() const {
    if (at_ > 0 && source_[at_ - 1] == '.') return at_;
    const std::size_t whole = digits(at_, is_ascii_digit);
    std::size_t end = whole;
    if (end + 1 < source_.size() && source_[end] == '.' && is_ascii_digit(source_[end + 1]))
      end = digits(end + 1, is_ascii_digit);
    if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-')) ++exponent;
      if (exponent < source_.size() && is_ascii_digit(source_[exponent])) end = digits(exponent, is_ascii_digit);
    }
    return end == whole ? at_ : end;
  }

  static std::string without_underscores(std::string_view text) {
    std::string out;
    for (char c : text) {
      if (c != '_') out += c;
    }
    return out;
  }

  Result<void> number() {
    if (const std::size_t end = real_end(); end > at_) {
      const std::string text = without_underscores(source_.substr(at_, end - at_));
      push(TokenKind::real, at_).real = std::strtod(text.c_str(), nullptr);
      advance_to(end);
      return {};
    }
    int base = 10;
    std::size_t begin = at_;
    std::size_t end = digits(at_, is_ascii_digit);
    const auto prefixed = [&](char letter, int with_base, auto is_digit_of) {
      if (source_[at_] != '0' || at_ + 1 >= source_.size() || (source_[at_ + 1] | 0x20) != letter) return;
      const std::size_t last = digits(at_ + 2, is_digit_of, true);
      if (last == at_ + 2) return;
      base = with_base;
      begin = at_ + 2;
      end = last;
    };
    prefixed('b', 2, [](char c) { return c == '0' || c == '1'; });
    prefixed('o', 8, [](char c) { return c >= '0' && c <= '7'; });
    prefixed('x', 16, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    if (base == 10 && source_[at_] == '0') end = digits(at_, [](char c) { return c == '0'; });
    Integer value = 0;
    for (char c : without_underscores(source_.substr(begin, end - begin))) {
      const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      if (__builtin_mul_overflow(value, Integer{base}, &value) || __builtin_add_overflow(value, Integer{digit}, &value)) {
        return fail_at(position(at_), "this number is too large");
      }
    }
    push(TokenKind::integer, at_).integer = value;
    advance_to(end);
    return {};
  }

  Result<void> string(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) return fail_at(position(at_), "this string has no end");
    std::string decoded;
    const std::string_view written = source_.substr(at_ + 1, end - at_ - 1);
    for (std::size_t i = 0; i < written.size();) {
      if (written[i] != '\\') {
        decoded += written[i++];
      } else if (!append_escape(decoded, written, i)) {
        return fail_at(position(at_), "this string has an escape that cannot be decoded", "Write a lone backslash as \\\\.");
      }
    }
    push(TokenKind::string, at_, std::move(decoded));
    advance_to(end + 1);
    return {};
  }

  // Decodes the escape at written[i] as Python does, and moves i past it. Unknown ones stay as they are.
  static bool append_escape(std::string& out, std::string_view written, std::size_t& i) {
    const char c = written[i + 1];
    i += 2;
    constexpr std::string_view kLetters = "abfnrtv\\'\"";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
    if (const std::size_t known = kLetters.find(c); known != std::string_view::npos) {
      out += kMeanings[known];
      return true;
    }
    if (c == '\n') return true;
    if (c >= '0' && c <= '7') {
      char32_t code = static_cast<char32_t>(c - '0');
      for (int n = 1; n < 3 && i < written.size() && written[i] >= '0' && written[i] <= '7'; ++n, ++i) {
        code = code * 8 + static_cast<char32_t>(written[i] - '0');
      }
      return append_utf8(out, code);
    }
    if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t n = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      if (i + n > written.size()) return false;
      std::uint32_t code = 0;
      const char* begin = written.data() + i;
      if (std::from_chars(begin, begin + n, code, 16).ptr != begin + n) return false;
      i += n;
      return append_utf8(out, code);
    }
    if (c == 'N') return false;
    out += '\\';
    const std::size_t end = char_end(written, i - 1);
    // Python decodes escapes in an ASCII rendering of the string, where a backslash swallows that of a \x escape.
    out += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : ascii_name(written.substr(i - 1, end - i + 1));
    i = end;
    return true;
  }

  static std::string ascii_name(std::string_view one_char) {
    const auto code = static_cast<std::uint32_t>(decode(one_char));
    if (code < 0x100) return fmt::format("x{:02x}", code);
    return code < 0x10000 ? fmt::format("u{:04x}", code) : fmt::format("U{:08x}", code);
  }

  Result<void> op() {
    constexpr std::array<std::string_view, 6> kLong = {"//", "**", "==", "!=", ">=", "<="};
    constexpr std::string_view kShort = "+-*/%~[](){}<>=.:|,;";
    std::string_view found;
    for (std::string_view one : kLong) {
      if (starts(one)) found = one;
    }
    if (found.empty() && kShort.find(source_[at_]) != std::string_view::npos) found = source_.substr(at_, 1);
    if (found.empty()) {
      const std::size_t end = char_end(source_, at_);
      return fail_at(position(at_), fmt::format("unexpected character '{}'", source_.substr(at_, end - at_)));
    }
    const char c = found.front();
    if (c == '(' || c == '[' || c == '{') {
      if (balance_.size() >= kMaxBrackets) {
        return fail_at(position(at_), fmt::format("brackets are nested more than {} levels deep", kMaxBrackets));
      }
      balance_.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      if (balance_.empty()) return fail_at(position(at_), fmt::format("unexpected '{}'", c));
      if (balance_.back() != c) {
        return fail_at(position(at_), fmt::format("unexpected '{}', expected '{}'", c, balance_.back()));
      }
      balance_.pop_back();
    }
    push(TokenKind::op, at_, std::string(found));
    advance_to(at_ + found.size());
    return {};
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  Position place_;
  bool line_starting_ = true;
  std::vector<char> balance_;  // the closing brackets that are still to come
  std::vector<Token> tokens_;
};

}  // namespace

std::unexpected<Error> fail_at(Position at, std::string_view message, std::string hint) {
  return std::unexpected(
      Error{ErrorKind::invalid, fmt::format("line {}, column {}: {}", at.line, at.column, message), std::move(hint)});
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::data:
      return "text";
    case TokenKind::variable_begin:
      return "'{{'";
    case TokenKind::variable_end:
      return "'}}'";
    case TokenKind::block_begin:
      return "'{%'";
    case TokenKind::block_end:
      return "'%}'";
    case TokenKind::name:
    case TokenKind::op:
      return fmt::format("'{}'", token.text);
    case TokenKind::string:
      return "a string";
    case TokenKind::integer:
    case TokenKind::real:
      return "a number";
    case TokenKind::eof:
      return "the end of the template";
  }
  return {};
}

Result<std::vector<Token>> tokenize(std::string_view source) {
  if (source.size() > kMaxSource) return fail("the template has {} bytes; at most {} are taken", source.size(), kMaxSource);
  std::string text = normalize_newlines(source);
  if (text.ends_with('\n')) text.pop_back();
  return Lexer(text).run();
}

}  // namespace puna::text::jinja
