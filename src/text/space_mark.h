// SentencePiece writes a space as U+2581 (▁); in a text the two mean the same.
#pragma once

#include <string>
#include <string_view>

namespace puna::text {

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

inline std::string with_marked_spaces(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  for (const char byte : text) {
    if (byte == ' ') {
      out += kSpaceMark;
    } else {
      out += byte;
    }
  }
  return out;
}

inline std::string with_plain_spaces(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool mark = text.substr(at).starts_with(kSpaceMark);
    out += mark ? ' ' : text[at];
    at += mark ? kSpaceMark.size() : 1;
  }
  return out;
}

}  // namespace puna::text
