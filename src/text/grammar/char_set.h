// Sets of characters, and how a character is written: in UTF-8, or inside of a JSON string.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/grammar/dfa.h"
#include "text/grammar/grammar.h"
#include "text/grammar/nfa.h"

namespace puna::text::grammar {

// Characters as ascending, disjoint ranges without surrogates.
class CharSet {
 public:
  CharSet() = default;
  static CharSet all();
  static CharSet of(char32_t first, char32_t last);

  CharSet& add(char32_t first, char32_t last);
  CharSet& add(const CharSet& other);
  CharSet inverse() const;

  const std::vector<CodePoints::Range>& ranges() const { return ranges_; }
  bool operator<(const CharSet& other) const;

 private:
  std::vector<CodePoints::Range> ranges_;
};

// The characters of a Unicode property as \p{…} writes it: a general category by its short or long name ("L", "Letter",
// "gc=Lu"), "Any" or "ASCII". None where it is not known here.
std::optional<CharSet> unicode_property(std::string_view name);

enum class Spelling {
  utf8,
  json,  // as inside of a JSON string: the shortest escape where one must be, else UTF-8
};

// `text` as the inside of a JSON string, without quotes.
std::string json_escaped(std::string_view text);

// One character out of the set, from `from` to `to`.
void add_char(Nfa& nfa, const CharSet& set, Spelling spelling, Nfa::State from, Nfa::State to);

}  // namespace puna::text::grammar
