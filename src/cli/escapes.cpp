#include "cli/escapes.h"

#include <fmt/core.h>

namespace puna::cli {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string shown_byte(char c) { return fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c))); }

}  // namespace

std::string decode_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 'r') {
      out += '\r';
    } else if (c == 't') {
      out += '\t';
    } else if (c == '\'' || c == '"' || c == '\\') {
      out += c;
    } else if (c == 'x' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

std::string encode_escapes(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (is_control(c))
      out += shown_byte(c);
    else
      out += c;
  }
  return out;
}

std::string harmless(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // U+0080 to U+009F are control characters too; UTF-8 writes them C2 80 to C2 9F.
    const bool is_c1 = c == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_c1)
      out += shown_byte(c) + shown_byte(text[++i]);
    else if (is_control(c) && c != '\n' && c != '\r' && c != '\t')
      out += shown_byte(c);
    else
      out += c;
  }
  return out;
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 1000;
  std::string_view rest;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // no half character
    text = text.substr(0, end);
    rest = "…";
  }
  std::string out;
  for (const char c : harmless(text)) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out.append(rest);
}

}  // namespace puna::cli
