// An automaton on its way from fragments to its final form, and the passes between.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "text/grammar/automaton.h"
#include "text/grammar/fragments.h"

namespace puna::text::grammar {

struct Draft {
  struct State {
    std::vector<Automaton::Edge> edges;
    std::vector<Automaton::Call> calls;
    RuleId rule = 0;  // whose state it is
    bool is_final = false;
  };
  struct Rule {
    StateId start = 0;
    bool has_counter = false;  // as in Fragments::Rule
    RuleId body = 0;
    std::uint32_t min = 0, max = 0;
  };
  std::vector<State> states;
  std::vector<Rule> rules;
  std::size_t n_arcs = 0;  // edges and calls, for the limit
};

// By rule: whether it may match the empty text.
std::vector<bool> find_nullable(const Fragments& fragments);

// No empty transition any more, and no rule that matches the empty text; a rule's start is entered only by a call.
Result<Draft> without_empty(const Fragments& fragments, const std::vector<bool>& nullable);

// Takes away every edge and call that leads to where no rule can end.
void prune(Draft& draft);

// Whether a rule can end at all; of a pruned draft.
bool can_end(const Draft& draft, RuleId rule);

// What a rule calls before it has read anything.
std::vector<std::vector<RuleId>> first_calls(const Draft& draft);

// A ::= A x | y is y x*. Rules that begin with each other are copied into each other, so each ends up with loops of its own.
Result<void> remove_left_recursion(Draft& draft);

// A state with the same edges, calls and end as another of its rule gives way to that.
void merge_equal_states(Draft& draft);

inline std::unexpected<Error> too_large() {
  return std::unexpected(error(ErrorKind::unsupported, "the grammar is too large: more than {} transitions", kMostArcs)
                             .with_hint("repeat a rule by name rather than its text"));
}

}  // namespace puna::text::grammar
