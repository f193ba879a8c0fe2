// Strings of JSON Schema as automata over what stands between the quotes, in the normal form: escapes only where JSON wants
// them, and the shortest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/grammar/dfa.h"

namespace puna::text::grammar {

Result<Dfa> json_character(Budget& budget);
Result<Dfa> json_text(Budget& budget);  // any number of characters
// Those of `texts`, which are such texts, that have from `min` to `max` characters (Unicode's, as JSON Schema counts).
Result<Dfa> of_length(const Dfa& texts, std::uint64_t min, std::optional<std::uint64_t> max, Budget& budget);

struct StringFormat {
  std::string_view name;
  std::string_view pattern;  // of the whole text; <names> stand for pieces
  bool exact = false;        // has every text of the format; else only its usual ones, so it cannot be negated
};
// None where the format is not known here.
const StringFormat* string_format(std::string_view name);
// Its regular expression.
std::string format_pattern(const StringFormat& format);
// Formats that say how a value is used and nothing about its text ("password").
bool is_loose_format(std::string_view name);
std::string known_formats();  // for messages

}  // namespace puna::text::grammar
