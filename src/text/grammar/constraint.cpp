#include "text/grammar/constraint.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "text/grammar/matcher.h"

namespace puna::text::grammar {
namespace {

// Of one workshop, what it has looked up and the masks it has found.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostIdle = 8;

// Tokens that are named by their text get their number.
Result<void> find_tokens(Grammar& grammar, const Tokenizer& tokenizer) {
  for (Node& node : grammar.nodes) {
    auto* token = std::get_if<Token>(&node);
    if (!token) continue;
    if (token->text.empty()) {
      if (!tokenizer.contains(token->id))
        return fail("the grammar's token <[{}]> is outside the vocabulary of {}", token->id, tokenizer.size());
      continue;
    }
    const auto found = tokenizer.find(token->text);
    if (!found)
      return std::unexpected(error(ErrorKind::invalid, "the grammar's {} is no token of this model", token->text)
                                 .with_hint("\"text\" in quotes is matched whatever its tokens are"));
    token->id = *found;
  }
  return {};
}

}  // namespace

Constraint::Workshop::Workshop(const Constraint& constraint)
    : stacks(constraint.automaton_, static_cast<std::uint32_t>(constraint.trie_->longest())),
      masks(stacks, *constraint.trie_, constraint.tokenizer_->eog_tokens()) {}

Constraint::Constraint(std::shared_ptr<const Automaton> automaton, const Tokenizer& tokenizer,
                       std::shared_ptr<const TokenTrie> trie)
    : automaton_(std::move(automaton)), tokenizer_(&tokenizer), trie_(std::move(trie)) {}

Constraint::~Constraint() = default;

Result<std::shared_ptr<const Constraint>> Constraint::make(Grammar grammar, const Tokenizer& tokenizer,
                                                           std::shared_ptr<const TokenTrie> trie) {
  PUNA_CHECK(trie->n_vocab() == tokenizer.size());
  PUNA_TRY(find_tokens(grammar, tokenizer));
  std::shared_ptr<const Automaton> automaton = PUNA_TRY(compile(grammar));
  std::shared_ptr<Constraint> constraint(new Constraint(std::move(automaton), tokenizer, std::move(trie)));
  auto workshop = std::make_unique<Workshop>(*constraint);
  if (workshop->stacks.exhausted()) return too_ambiguous();
  constraint->give_back(std::move(workshop));
  return constraint;
}

std::unique_ptr<Constraint::Workshop> Constraint::take() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Workshop> workshop = std::move(idle_.back());
      idle_.pop_back();
      return workshop;
    }
  }
  return std::make_unique<Workshop>(*this);
}

void Constraint::give_back(std::unique_ptr<Workshop> workshop) const {
  if (workshop->stacks.bytes() + workshop->masks.bytes() > kMostBytes) return;
  const std::scoped_lock lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(workshop));
}

TokenMatcher::TokenMatcher(std::shared_ptr<const Constraint> constraint, TokenId previous)
    : constraint_(std::move(constraint)), workshop_(constraint_->take()), most_bytes_(kMostBytes) {
  const bool at_start =
      constraint_->trie().strips_space() && (previous == kNoToken || constraint_->tokenizer().begins_text_anew(previous));
  places_.push_back({.situation = workshop_->stacks.start(), .at_start = at_start});
}

TokenMatcher::TokenMatcher(const TokenMatcher& other)
    : constraint_(other.constraint_), workshop_(constraint_->take()), places_(other.places_), most_bytes_(kMostBytes) {
  for (Place& place : places_) place.situation = workshop_->stacks.take_over(other.workshop_->stacks, place.situation);
}

TokenMatcher::~TokenMatcher() { constraint_->give_back(std::move(workshop_)); }

// Starts anew with the situations that may still be asked for.
void TokenMatcher::forget() {
  auto fresh = std::make_unique<Constraint::Workshop>(*constraint_);
  for (Place& place : places_) place.situation = fresh->stacks.take_over(workshop_->stacks, place.situation);
  workshop_ = std::move(fresh);
  most_bytes_ = std::max(kMostBytes, 2 * workshop_->stacks.bytes());
}

bool TokenMatcher::is_complete() const { return workshop_->stacks.is_complete(now().situation); }
bool TokenMatcher::goes_on() const { return !now().has_ended && workshop_->stacks.goes_on(now().situation); }

bool TokenMatcher::has_quick_mask() {
  return now().has_ended || workshop_->masks.knows(now().situation, now().at_start) || is_narrow();
}

// Classes of symbols are ranges, so where one ends the next begins.
bool TokenMatcher::is_narrow() {
  const Automaton& automaton = constraint_->automaton();
  Stacks& stacks = workshop_->stacks;
  stacks.allow(kWorkForOneByte);
  std::size_t n_symbols = 0;
  for (std::uint16_t one = 0; one + 1u < automaton.n_classes() && n_symbols <= 1; ++one)
    if (stacks.next(now().situation, one) != Stacks::kRefused)
      n_symbols += static_cast<std::size_t>(automaton.representative[one + 1u] - automaton.representative[one]);
  const bool allows_others = stacks.next(now().situation, automaton.class_of[automaton.other_token()]) != Stacks::kRefused;
  return n_symbols <= 1 && !allows_others;
}

Result<const TokenMask*> TokenMatcher::mask() {
  static const TokenMask nothing;
  if (now().has_ended) return &nothing;
  if (workshop_->stacks.bytes() + workshop_->masks.bytes() > most_bytes_) forget();
  return workshop_->masks.find(now().situation, now().at_start);
}

// The token as the bytes it shows, and as itself where the grammar names tokens.
Result<SituationId> TokenMatcher::after(TokenId token) {
  const TokenTrie& trie = constraint_->trie();
  const Automaton& automaton = constraint_->automaton();
  Stacks& stacks = workshop_->stacks;
  std::string_view bytes = trie.bytes(token);
  const bool is_text = !bytes.empty();
  if (now().at_start && bytes.starts_with(' ') && !std::ranges::binary_search(trie.cuts(), token)) bytes.remove_prefix(1);
  SituationId result = bytes.empty() ? Stacks::kRefused : now().situation;
  for (const char c : bytes) {
    stacks.allow(kWorkForOneByte);
    result = stacks.next(result, automaton.class_of[static_cast<unsigned char>(c)]);
    if (stacks.exhausted()) return too_ambiguous();
  }
  if (automaton.tokens.empty()) return result;
  const auto named = std::ranges::find(automaton.tokens, token);
  if (named == automaton.tokens.end() && !is_text) return result;
  const auto symbol = static_cast<std::size_t>(kFirstToken + (named - automaton.tokens.begin()));
  const SituationId other = stacks.next(now().situation, automaton.class_of[symbol]);
  if (stacks.exhausted()) return too_ambiguous();
  return stacks.unite(result, other);
}

Result<bool> TokenMatcher::accept(TokenId token) {
  if (now().has_ended || !constraint_->tokenizer().contains(token)) return false;
  if (workshop_->stacks.bytes() + workshop_->masks.bytes() > most_bytes_) forget();
  Place next {
    .situation = PUNA_TRY(after(token))
    , .at_start = constraint_->trie().strips_space() && constraint_->tokenizer().begins_text_anew(token)
  };
  if (next.situation == Stacks::kRefused) {
    if (!is_complete() || !constraint_->tokenizer().is_eog(token)) return false;
    next = now();
    next.has_ended = true;
  }
  if (places_.size() > 2 * kMostTakenBack) places_.erase(places_.begin(), places_.end() - kMostTakenBack);
  places_.push_back(next);
  return true;
}

void TokenMatcher::take_back(std::size_t n_tokens) {
  PUNA_CHECK(n_tokens < places_.size() && n_tokens <= kMostTakenBack);
  places_.resize(places_.size() - n_tokens);
}

}  // namespace puna::text::grammar
