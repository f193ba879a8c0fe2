// SentencePiece writes a space as U+2581 (▁); in a text the two mean the same.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

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

// `spans`, where given, are ranges of `text`, ascending; they become the same ranges of the result.
inline std::string with_plain_spaces(std::string_view text, std::vector<Span>* spans = nullptr) {
  std::string out;
  out.reserve(text.size());
  std::vector<std::size_t*> ends;  // positions still to move, the first one last
  if (spans) {
    for (Span& span : *spans) ends.insert(ends.end(), {&span.begin, &span.end});
    std::reverse(ends.begin(), ends.end());
  }
  for (std::size_t at = 0; at < text.size();) {
    const bool mark = text.substr(at).starts_with(kSpaceMark);
    const std::size_t next = at + (mark ? kSpaceMark.size() : 1);
    for (; !ends.empty() && *ends.back() < next; ends.pop_back()) *ends.back() = out.size();
    out += mark ? ' ' : text[at];
    at = next;
  }
  for (std::size_t* end : ends) *end = out.size();
  return out;
}

}  // namespace puna::text
