// Deterministic automata over bytes. Every Dfa is minimal, and every state of it can be reached and can finish: a word
// whose state is not kDead is the beginning of a word of the language.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::text::grammar {

// What one compilation may cost in all: its steps, about 10 ns each. Patterns of a few letters can ask for more states than
// there is memory, so whoever builds pays before it works.
class Budget {
 public:
  static constexpr std::size_t kSteps = 60'000'000;
  explicit Budget(std::size_t steps = kSteps) : left_(steps) {}

  // Unsupported, naming `what`, once the budget is used up.
  Result<void> spend(std::size_t steps, std::string_view what);

 private:
  std::size_t left_;
};

class Dfa {
 public:
  using State = std::uint32_t;
  static constexpr State kDead = 0xFFFFFFFF;
  static constexpr std::size_t kMaxCells = std::size_t{1} << 22;  // states × byte classes: 16 MiB

  // A table that someone filled: any automaton whose states are 0 … n-1 and whose start is 0; states that are of no use
  // and states that do the same are merged here. Classes are numbered from 0 without a gap.
  struct Table {
    std::array<std::uint8_t, 256> class_of{};
    std::size_t n_classes = 1;
    std::vector<State> next;              // [state][class]
    std::vector<std::uint8_t> accepting;  // [state]
  };
  static Result<Dfa> from(Table table, Budget& budget);

  Dfa() = default;  // no word at all

  State start() const { return accepting_.empty() ? kDead : 0; }
  // `state` is not kDead.
  State next(State state, unsigned char byte) const { return next_[state * n_classes_ + class_of_[byte]]; }
  bool accepting(State state) const { return accepting_[state] != 0; }
  std::size_t size() const { return accepting_.size(); }
  bool empty() const { return accepting_.empty(); }  // not even the empty word

  // Bytes of one class lead to the same state from everywhere.
  std::size_t n_classes() const { return n_classes_; }
  std::uint8_t class_of(unsigned char byte) const { return class_of_[byte]; }

  bool matches(std::string_view word) const;
  // The shortest word, the first in order of bytes among equally short ones; none where the language is empty.
  std::optional<std::string> shortest() const;
  // Every word in order of length and bytes, where there are at most `most` and none has more than 256 bytes; else none.
  std::optional<std::vector<std::string>> words(std::size_t most) const;

  bool operator==(const Dfa&) const = default;  // the same language, since both are minimal

 private:
  friend class Minimizer;
  std::array<std::uint8_t, 256> class_of_{};
  std::size_t n_classes_ = 1;
  std::vector<State> next_;
  std::vector<std::uint8_t> accepting_;
};

// All of these fail only for the budget's sake, or where the result has more than kMaxCells.
Result<Dfa> intersect(const Dfa& a, const Dfa& b, Budget& budget);
Result<Dfa> subtract(const Dfa& a, const Dfa& b, Budget& budget);
Result<Dfa> unite(const Dfa& a, const Dfa& b, Budget& budget);
Result<Dfa> repeat(const Dfa& body, std::size_t min, std::optional<std::size_t> max, Budget& budget);
Result<Dfa> any_of(const std::vector<std::string>& words, Budget& budget);
inline Result<Dfa> star(const Dfa& body, Budget& budget) { return repeat(body, 0, std::nullopt, budget); }

}  // namespace puna::text::grammar
