#include "text/tool_calls/literals.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace puna::text::tool_calls {

namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool is_word(char c) {
  return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

struct Style {
  char assign = '=';            // between a keyword and its value
  std::string_view quote = {};  // around strings, instead of ' and "
};

class Reader {
 public:
  Reader(std::string_view text, Style style) : text_(text), style_(style) {}

  // NAME assign VALUE, … up to `end` (0: the end of the text).
  Result<Value> members(char end, int depth) {
    Value object = Value::object();
    for (bool is_first = true;; is_first = false) {
      if (at_end(end)) return object;
      if (!is_first && !take(',')) return wrong("a comma");
      if (at_end(end)) return object;
      std::string key;
      skip_space();
      if (starts_string()) {
        key = PUNA_TRY(string());
      } else {
        key = std::string(word());
      }
      if (key.empty()) return wrong("a name");
      if (!take(style_.assign)) return wrong("a value");
      object.set(key, PUNA_TRY(value(depth + 1)));
    }
  }

  Result<Value> value(int depth) {
    if (depth > kDeepest) return fail("nested deeper than {}", kDeepest);
    skip_space();
    if (starts_string()) {
      std::string text = PUNA_TRY(string());
      while (skip_space(), style_.quote.empty() && starts_string()) text += PUNA_TRY(string());  // "a" 'b' is one string
      return Value(std::move(text));
    }
    if (take('[')) return items(']', depth);
    if (take('(')) return items(')', depth);
    if (take('{')) {
      if (!style_.quote.empty()) return members('}', depth);
      const Style outer = style_;
      style_.assign = ':';
      Result<Value> object = members('}', depth);
      style_ = outer;
      return object;
    }
    return plain();
  }

  bool at_end(char end) {
    skip_space();
    if (end == 0) return at_ == text_.size();
    return take(end);
  }

 private:
  std::unexpected<Error> wrong(std::string_view wanted) const { return fail("wanted {} at byte {}", wanted, at_); }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '+')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool starts_string() const {
    if (at_ == text_.size()) return false;
    if (!style_.quote.empty()) return text_.substr(at_).starts_with(style_.quote);
    return text_[at_] == '"' || text_[at_] == '\'';
  }

  Result<std::string> string() {
    if (!style_.quote.empty()) {
      const std::size_t begin = at_ + style_.quote.size();
      const std::size_t end = text_.find(style_.quote, begin);
      if (end == text_.npos) return wrong("the end of a string");
      at_ = end + style_.quote.size();
      return std::string(text_.substr(begin, end - begin));
    }
    const char quote = text_[at_++];
    std::string out;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
      } else if (!escape(out)) {
        return wrong("an escape");
      }
    }
    if (at_ == text_.size()) return wrong("the end of a string");
    ++at_;
    return out;
  }

  std::optional<std::uint32_t> hex(std::size_t n_digits) {
    std::uint32_t code = 0;
    const char* begin = text_.data() + at_ + 1;
    if (at_ + 1 + n_digits > text_.size()) return std::nullopt;
    const auto [end, failure] = std::from_chars(begin, begin + n_digits, code, 16);
    if (failure != std::errc() || end != begin + n_digits || code > 0x10FFFF) return std::nullopt;
    at_ += n_digits;
    return code;
  }

  // Stands at the backslash, and on the last byte of the escape afterwards.
  bool escape(std::string& out) {
    if (++at_ == text_.size()) return false;
    const char c = text_[at_];
    constexpr std::string_view kNames = "nrtbf0", kBytes("\n\r\t\b\f\0", 6);
    if (const std::size_t i = kNames.find(c); i != kNames.npos) {
      out += kBytes[i];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      std::optional<std::uint32_t> code = hex(c == 'x' ? 2 : c == 'u' ? 4 : 8);
      if (!code) return false;
      if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_ + 1).starts_with("\\u")) {
        at_ += 2;
        const std::optional<std::uint32_t> low = hex(4);
        if (!low || *low < 0xDC00 || *low > 0xDFFF) return false;
        code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
      }
      append_utf8(out, *code >= 0xD800 && *code <= 0xDFFF ? 0xFFFD : *code);
    } else if (c == '\\' || c == '\'' || c == '"') {
      out += c;
    } else if (c != '\n') {
      out += '\\';
      out += c;
    }
    return true;
  }

  Result<Value> items(char end, int depth) {
    Value array = Value::array();
    for (bool is_first = true;; is_first = false) {
      if (at_end(end)) return array;
      if (!is_first && !take(',')) return wrong("a comma");
      if (at_end(end)) return array;
      array.push_back(PUNA_TRY(value(depth + 1)));
    }
  }

  Result<Value> plain() {
    const std::size_t begin = at_;
    const std::string_view text = word();
    if (text == "True" || text == "true") return Value(true);
    if (text == "False" || text == "false") return Value(false);
    if (text == "None" || text == "null") return Value();
    const bool is_number = !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    std::string spelled(text.starts_with('.') ? "0" : "");
    spelled += text;
    if (spelled.ends_with('.')) spelled += '0';
    if (is_number)
      if (Result<Value> number = json::parse(spelled); number && number->is_number()) return number;
    at_ = begin;
    return wrong("a value");
  }

  std::string_view text_;
  Style style_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Value> parse_keywords(std::string_view text) { return Reader(text, {}).members(0, 0); }

Result<Value> parse_constant(std::string_view text) {
  Reader reader(text, {});
  Value value = PUNA_TRY(reader.value(0));
  if (!reader.at_end(0)) return fail("more than one value");
  return value;
}

Result<Value> parse_braces(std::string_view text, std::string_view quote) {
  return Reader(text, {.assign = ':', .quote = quote}).members(0, 0);
}

}  // namespace puna::text::tool_calls
