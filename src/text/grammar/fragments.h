// The first step from a grammar to its automaton: every rule as a graph with empty transitions, from its nodes one by one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "text/grammar/automaton.h"

namespace puna::text::grammar {

struct Fragments {
  struct Arc {
    enum class Kind : std::uint8_t {
      symbols,  // reads one symbol from [first, last]
      call,     // goes through `rule`
      empty,    // reads nothing
      bypass,   // reads nothing, where `rule` may match the empty text
    } kind = Kind::empty;
    Symbol first = 0, last = 0;
    RuleId rule = 0;
    StateId from = 0, to = 0;
  };
  struct Rule {
    StateId start = 0, end = 0;
    bool has_counter = false;  // `start` counts calls of `body`; arcs there are none
    RuleId body = 0;
    std::uint32_t min = 0, max = 0;
  };
  std::vector<Arc> arcs;
  std::vector<Rule> rules;  // those of the grammar, in its order, then more
  std::uint32_t n_states = 0;
  std::vector<TokenId> tokens;
};

inline constexpr std::size_t kMostArcs = std::size_t{4} << 20;

// Errors: more than kMostArcs arcs, a token without a number.
Result<Fragments> make_fragments(const Grammar& grammar);

// A number for each of n things that point to others, the same for those that can reach each other; whoever points to another
// component has the larger number. targets: by thing.
std::vector<std::uint32_t> components(const std::vector<std::vector<std::uint32_t>>& targets);

}  // namespace puna::text::grammar
