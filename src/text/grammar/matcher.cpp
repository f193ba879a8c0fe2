#include "text/grammar/matcher.h"

#include <algorithm>
#include <utility>

namespace puna::text::grammar {

std::unexpected<Error> too_ambiguous() {
  return std::unexpected(
      error(ErrorKind::unsupported,
            "the grammar is too ambiguous: more than {} ways to read the text side by side, or too many steps for one byte",
            Stacks::kMostItems)
          .with_hint("rules that match the same text in many ways make it so"));
}

Result<Matcher> Matcher::make(std::shared_ptr<const Automaton> automaton) {
  auto stacks = std::make_unique<Stacks>(std::move(automaton));
  if (stacks->exhausted()) return too_ambiguous();
  return Matcher(std::move(stacks));
}

Matcher::Matcher(const Matcher& other) : Matcher(std::make_unique<Stacks>(other.stacks_->shared_automaton())) {
  at_ = stacks_->take_over(*other.stacks_, other.at_);
}

Matcher& Matcher::operator=(const Matcher& other) {
  Matcher copy(other);
  return *this = std::move(copy);
}

// Starts anew from the two situations that are needed.
void Matcher::forget(SituationId& at) {
  auto fresh = std::make_unique<Stacks>(stacks_->shared_automaton());
  at_ = fresh->take_over(*stacks_, at_);
  at = fresh->take_over(*stacks_, at);
  stacks_ = std::move(fresh);
  most_bytes_ = std::max(kMostBytes, 2 * stacks_->bytes());
}

Result<bool> Matcher::accept(std::string_view bytes) {
  SituationId at = at_;
  for (const char c : bytes) {
    if (stacks_->bytes() > most_bytes_) forget(at);
    stacks_->allow(kWorkForOneByte);
    at = stacks_->next(at, stacks_->automaton().class_of[static_cast<unsigned char>(c)]);
    if (stacks_->exhausted()) return too_ambiguous();
    if (at == Stacks::kRefused) return false;
  }
  at_ = at;
  return true;
}

Result<bool> matches(const std::shared_ptr<const Automaton>& automaton, std::string_view text) {
  Matcher matcher = PUNA_TRY(Matcher::make(automaton));
  return PUNA_TRY(matcher.accept(text))
  &&matcher.is_complete();
}

}  // namespace puna::text::grammar
