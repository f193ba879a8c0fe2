// What a character is, and the composed form of a text (Unicode's own tables, by utf8proc).
#pragma once

#include <array>
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

// What patterns tell apart, finer: one bit for each, none for controls, unassigned and bytes that are no character.
enum CharFlags : std::uint8_t {
  kUpper = 1,     // \p{Lu}, \p{Lt}
  kLower = 2,     // \p{Ll}
  kCaseless = 4,  // \p{Lm}, \p{Lo}
  kMark = 8,      // \p{M}
  kNumber = 16,
  kSpace = 32,
  kPunctuation = 64,  // \p{P}
  kSymbol = 128,      // \p{S}
  kLetter = kUpper | kLower | kCaseless,
};

std::uint8_t char_flags_beyond_ascii(char32_t code);
extern const std::array<std::uint8_t, 128> kAsciiFlags;

inline std::uint8_t char_flags(char32_t code) { return code < 0x80 ? kAsciiFlags[code] : char_flags_beyond_ascii(code); }

inline CharClass char_class(char32_t code) {
  const unsigned flags = char_flags(code);
  if ((flags & kLetter) != 0) return CharClass::letter;
  if ((flags & kNumber) != 0) return CharClass::number;
  return (flags & kSpace) != 0 ? CharClass::space : CharClass::other;
}

// \p{P} and every ASCII symbol, as Hugging Face's splitters see it, by the tables of Unicode 9.
bool is_punctuation(char32_t code);
// The categories C*: controls, formats, private use, unassigned; a byte that is no character is not one of them.
bool is_other(char32_t code);
// \p{Nd}
bool is_digit(char32_t code);
// What \w is in the tokenizers' files: letters, marks, digits, \p{Pc} and a few more.
bool is_word_character(char32_t code);
// \p{M} by the tables of Unicode 9, \p{Mn} by those of Unicode 8, as the reference has them.
bool is_mark(char32_t code);
bool is_nonspacing_mark(char32_t code);
// \p{Han}, of Unicode 14
bool is_han(char32_t code);
// The ideographs around which BERT's normalizer puts spaces.
bool is_ideograph(char32_t code);

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

// Normalization as Hugging Face's tokenizers compute it, by the tables of Unicode 9; time n log n for any input. Bytes that
// are not UTF-8 stay, and nothing composes across them.
std::string normalized(std::string_view text, NormalForm form);
inline std::string nfc(std::string_view text) { return normalized(text, NormalForm::nfc); }

// Each character by itself; what is not UTF-8 stays.
std::string lowercase(std::string_view text);

}  // namespace puna::text
