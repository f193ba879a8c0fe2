// Automata as they are easily written down: several edges for one byte, and jumps that take none. determine() makes a Dfa.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/grammar/dfa.h"

namespace puna::text::grammar {

class Nfa {
 public:
  using State = std::uint32_t;
  // A jump may be bound to a place in the word, which is what ^ and $ say.
  enum class Where : std::uint8_t { anywhere, at_start, at_end };
  struct Part {
    State begin = 0;
    State end = 0;
  };

  State add();
  // first <= last
  void edge(State from, unsigned char first, unsigned char last, State to);
  void jump(State from, State to, Where where = Where::anywhere);
  // `bytes` from `from` to `to`.
  void word(State from, std::string_view bytes, State to);
  // A copy of `dfa`; from its begin to its end lead its words.
  Part embed(const Dfa& dfa);

  static constexpr std::size_t kCost = 32;  // of an edge or jump, in steps of a budget: they are memory, not only time
  std::size_t size() const { return states_.size(); }
  std::size_t n_edges() const { return edges_.size() + jumps_.size(); }

  // The words that lead from `start` to `final`.
  Result<Dfa> determine(State start, State final, Budget& budget) const;

 private:
  friend class Determinizer;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Edge {
    unsigned char first, last;
    State to;
    std::uint32_t next;  // the state's next edge
  };
  struct Jump {
    Where where;
    State to;
    std::uint32_t next;
  };
  struct Lists {
    std::uint32_t edges = kNone;
    std::uint32_t jumps = kNone;
  };
  std::vector<Lists> states_;
  std::vector<Edge> edges_;
  std::vector<Jump> jumps_;
};

}  // namespace puna::text::grammar
