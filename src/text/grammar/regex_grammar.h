// Regular expressions (regex_syntax.h) as automata: linear, whatever the expression.
#pragma once

#include <string_view>

#include "base/result.h"
#include "text/grammar/char_set.h"
#include "text/grammar/dfa.h"
#include "text/grammar/grammar.h"

namespace puna::text::grammar {

// Where in a text the expression must match.
enum class Reach {
  whole,     // all of the text
  anywhere,  // some part, as JSON Schema's "pattern" searches; ^ and $ bind it
};
struct RegexOptions {
  Reach reach = Reach::whole;
  Spelling spelling = Spelling::utf8;
};

// The texts that match, written in that spelling.
Result<Dfa> regex_dfa(std::string_view pattern, RegexOptions options, Budget& budget);

// The texts of which all matches. An expression that matches no text is an error.
Result<Grammar> regex_grammar(std::string_view pattern);

}  // namespace puna::text::grammar
