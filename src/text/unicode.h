// What a character is, and the composed form of a text (Unicode's own tables, by utf8proc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace puna::text {

enum class CharClass : std::uint8_t {
  other,   // everything else: punctuation, symbols, marks, controls, unassigned, bytes that are no character
  letter,  // \p{L}
  number,  // \p{N}
  space,   // White_Space, which is what \s means here
};

CharClass char_class_beyond_ascii(char32_t code);

inline CharClass char_class(char32_t code) {
  if (code >= 0x80) return char_class_beyond_ascii(code);
  if ((code | 0x20) - 'a' < 26) return CharClass::letter;
  if (code - '0' < 10) return CharClass::number;
  return code == ' ' || code - '\t' < 5 ? CharClass::space : CharClass::other;
}

// Normalization form C as Hugging Face's tokenizers compute it, by the tables of Unicode 9; time n log n for any input.
// Bytes that are not UTF-8 stay, and nothing composes across them.
std::string nfc(std::string_view text);

}  // namespace puna::text
