// A grammar without what no word uses.
#pragma once

#include "text/grammar/grammar.h"

namespace puna::text::grammar {

// Drops options that no word can take, such as a rule that calls itself for ever, and rules that nothing calls; so that in
// what is left every beginning can be finished. The parts of nodes must have lower numbers than the nodes. The language
// stays; where it is empty the root is left with a choice of nothing.
Grammar pruned(const Grammar& grammar);
// Whether the root of a pruned grammar has a word.
bool has_word(const Grammar& pruned);

}  // namespace puna::text::grammar
