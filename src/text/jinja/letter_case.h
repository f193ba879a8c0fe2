// Characters as Python's str methods see them: classes and full case mappings (ß becomes SS).
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/text.h"

namespace puna::text::jinja {

bool is_space(char32_t c);  // what strip() removes and \s matches
bool is_line_break(char32_t c);
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);
bool is_title(char32_t c);
bool is_printable(char32_t c);
bool is_word(char32_t c);        // \w
bool is_name_start(char32_t c);  // may begin an identifier
int decimal_value(char32_t c);   // 0…9 of a decimal digit in any script; -1 otherwise

enum class Case { upper, lower, title, fold, swap };
// Every character mapped by its own; `title` and `fold` are per character too (no words are looked at).
Text map_case(const Text& text, Case how);
Text capitalize(const Text& text);      // first character in title case, the rest in lower case
Text title_words(const Text& text);     // str.title(): a letter after a non-letter in title case, other letters in lower case
bool is_title_cased(const Text& text);  // str.istitle()

// The part of `text` without leading (trailing) characters that are white space, or that occur in `chars`.
Span strip_span(const Text& text, const Text* chars, bool left, bool right);

}  // namespace puna::text::jinja
