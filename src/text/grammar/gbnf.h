// GBNF, the notation of llama.cpp's grammars:
//
//   # a comment
//   root ::= item ("," item)* | ""        alternatives, groups; newlines within parentheses and after |
//   item ::= "text\n" [a-z_] [^"\\] .     literals, characters out of a set, of its complement, any character
//   many ::= item{3} item{2,} item{0,5} item? item+
//   tool ::= <think> !</think>* <[1001]>  tokens by text or number, and any token but one
#pragma once

#include <string_view>

#include "base/result.h"
#include "text/grammar/grammar.h"

namespace puna::text::grammar {

inline constexpr std::size_t kLongestGbnf = std::size_t{16} << 20;  // bytes

// Time and memory grow with the length of the text and with nothing else, however deep its parentheses nest.
// Errors say line and column: what is no GBNF, a rule that is missing or there twice, more than kLongestGbnf bytes.
Result<Grammar> parse_gbnf(std::string_view text);

}  // namespace puna::text::grammar
