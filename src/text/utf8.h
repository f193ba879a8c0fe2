// UTF-8, one character at a time, strict: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace puna::text {

inline constexpr char32_t kNotACharacter = 0xFFFFFFFF;

struct Utf8Step {
  char32_t code = kNotACharacter;  // or what no character can be, where the bytes are not UTF-8
  std::uint8_t length = 1;         // bytes of the character; of what is not one, the longest part that could have begun one
  bool cut = false;                // not a character, but only because the text ends inside it
};

// The character at `at`, which lies inside `text`.
inline Utf8Step utf8_at(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, false};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const unsigned length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t code = lead & (0x7Fu >> length);
  for (unsigned i = 1; i < length; ++i) {
    if (at + i == text.size()) return {kNotACharacter, static_cast<std::uint8_t>(i), true};
    const unsigned next = byte(i);
    if (next < (i == 1 ? low : 0x80u) || next > (i == 1 ? high : 0xBFu)) {
      return {kNotACharacter, static_cast<std::uint8_t>(i), false};
    }
    code = code << 6 | (next & 0x3F);
  }
  return {code, static_cast<std::uint8_t>(length), false};
}

// `code` is a character (no surrogate, at most U+10FFFF).
inline void append_utf8(char32_t code, std::string& out) {
  auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// Each character of `text` through `one`, which appends what becomes of it. Bytes that are no character stay.
template <class One>
std::string each_character(std::string_view text, One&& one) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    if (step.code == kNotACharacter) {
      out.append(text, at, step.length);
    } else {
      one(step.code, out);
    }
    at += step.length;
  }
  return out;
}

}  // namespace puna::text
