// A grammar as a pushdown automaton over bytes: one small automaton for each rule, without empty transitions, whose calls push
// where to go on. It never changes; text/grammar/stacks runs it.
//
// What makes it quick and bounded to run, all of it done once here:
// - No rule matches the empty text: where one may, its callers have a way around it.
// - No rule calls itself, by way of whichever others, before it has read a byte: left recursion became loops. So the calls that
//   are made between two bytes form no circle, and Rule::rank puts callers before callees.
// - Every state can be reached and can finish: whatever text the automaton has not refused is the beginning of one it accepts.
// - A repetition by more than a few times is a rule whose only state counts.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "text/grammar/grammar.h"

namespace puna::text::grammar {

using StateId = std::uint32_t;
using Symbol = std::uint16_t;  // a byte; from kFirstToken on, a whole token that the grammar names
inline constexpr Symbol kFirstToken = 256;
inline constexpr std::size_t kMostTokens = 1024;  // that a grammar may name
inline constexpr std::uint32_t kEndless = std::numeric_limits<std::uint32_t>::max();

struct Automaton {
  struct Edge {
    Symbol first = 0, last = 0;  // inclusive
    StateId to = 0;
    auto operator<=>(const Edge&) const = default;
  };
  struct Call {
    RuleId rule = 0;
    StateId to = 0;  // when the rule has ended
    auto operator<=>(const Call&) const = default;
  };
  struct State {
    std::uint32_t first_edge = 0, n_edges = 0;
    std::uint32_t first_call = 0, n_calls = 0;
    bool is_final = false;  // the rule may end here
    // With a counter, a state is final, and calls its rule once more, as the number of times says: `min` to `max`.
    bool has_counter = false;
    std::uint32_t min = 0, max = 0;  // kEndless: any number
    // A call that returns here has nothing left to do but to end its own rule.
    bool only_ends() const { return is_final && !has_counter && n_edges == 0 && n_calls == 0; }
  };
  struct Rule {
    StateId start = 0;
    std::uint32_t rank = 0;  // of two rules of which one begins by a call of the other, the caller has the lower rank
  };

  std::vector<State> states;
  std::vector<Edge> edges;
  std::vector<Call> calls;
  std::vector<Rule> rules;
  RuleId root = 0;
  bool accepts_empty = false;
  bool has_counters = false;

  // Symbols between which no edge tells the difference form a class: the columns of every table.
  std::vector<std::uint16_t> class_of;  // [symbol]
  std::vector<Symbol> representative;   // [class]
  std::vector<TokenId> tokens;          // [i]: the token that kFirstToken + i stands for
  Symbol other_token() const { return static_cast<Symbol>(kFirstToken + tokens.size()); }  // and this for any other
  std::size_t n_classes() const { return representative.size(); }
};

// Errors: a language without any text ("root" never ends); a grammar that would take more than some hundred megabytes; a token
// that is named by its text still (Constraint gives it its number).
Result<std::shared_ptr<const Automaton>> compile(const Grammar& grammar);

}  // namespace puna::text::grammar
