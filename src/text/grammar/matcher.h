// A text held against a grammar, byte by byte.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/grammar/automaton.h"
#include "text/grammar/stacks.h"

namespace puna::text::grammar {

// Takes time and memory that are linear in the text for every grammar that is not ambiguous without bound, however deep it
// nests; copies cost what the open frames take. Not for several threads at once; copies are independent.
class Matcher {
 public:
  // Errors: a grammar that is too ambiguous from its first byte on.
  static Result<Matcher> make(std::shared_ptr<const Automaton> automaton);
  Matcher(const Matcher& other);
  Matcher& operator=(const Matcher& other);
  Matcher(Matcher&&) = default;
  Matcher& operator=(Matcher&&) = default;

  // Whether the text so far and these bytes are the beginning of a text of the grammar; if not, nothing has changed.
  // Errors: a grammar so ambiguous that a byte would take more than about a tenth of a second.
  Result<bool> accept(std::string_view bytes);
  // The text so far is one of the grammar.
  bool is_complete() const { return stacks_->is_complete(at_); }
  // Some byte or token may follow.
  bool goes_on() const { return stacks_->goes_on(at_); }

 private:
  explicit Matcher(std::unique_ptr<Stacks> stacks) : stacks_(std::move(stacks)), at_(stacks_->start()) {}
  void forget(SituationId& at);

  std::unique_ptr<Stacks> stacks_;
  SituationId at_;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  std::size_t most_bytes_ = kMostBytes;  // of what is remembered
};

// What one symbol may cost: see Stacks::allow().
inline constexpr std::uint64_t kWorkForOneByte = std::uint64_t{1} << 22;

// Whether the whole text is one of the grammar's. Errors: as Matcher's.
Result<bool> matches(const std::shared_ptr<const Automaton>& automaton, std::string_view text);

std::unexpected<Error> too_ambiguous();

}  // namespace puna::text::grammar
