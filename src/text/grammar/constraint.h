// What an answer must look like: a grammar in the tokens of one vocabulary. Made once, used by any number of answers at once.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "text/grammar/automaton.h"
#include "text/grammar/grammar.h"
#include "text/grammar/token_mask.h"
#include "text/grammar/token_trie.h"
#include "text/tokenizer.h"

namespace puna::text::grammar {

class Constraint {
 public:
  // The tokenizer must outlive it; `trie` is that tokenizer's. Errors: compile()'s; a token that the grammar names and the
  // vocabulary lacks; a grammar that is too ambiguous from the start.
  static Result<std::shared_ptr<const Constraint>> make(Grammar grammar, const Tokenizer& tokenizer,
                                                        std::shared_ptr<const TokenTrie> trie);
  ~Constraint();

  const Automaton& automaton() const { return *automaton_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const TokenTrie& trie() const { return *trie_; }

 private:
  friend class TokenMatcher;
  // What one answer works with. It serves others afterwards, who find the masks that it found.
  struct Workshop {
    explicit Workshop(const Constraint& constraint);
    Stacks stacks;
    Masks masks;
  };

  Constraint(std::shared_ptr<const Automaton> automaton, const Tokenizer& tokenizer, std::shared_ptr<const TokenTrie> trie);
  std::unique_ptr<Workshop> take() const;
  void give_back(std::unique_ptr<Workshop> workshop) const;

  std::shared_ptr<const Automaton> automaton_;
  const Tokenizer* tokenizer_;
  std::shared_ptr<const TokenTrie> trie_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workshop>> idle_;
};

// One answer as it grows, token by token. Not for several threads at once; copies are independent and cost what the open
// frames take.
class TokenMatcher {
 public:
  // `previous`: the token before the answer, or kNoToken; it decides whether the first one's leading space is shown.
  explicit TokenMatcher(std::shared_ptr<const Constraint> constraint, TokenId previous = kNoToken);
  TokenMatcher(const TokenMatcher& other);
  TokenMatcher& operator=(const TokenMatcher&) = delete;
  ~TokenMatcher();

  // The tokens that may come next; an end token only where the answer is complete. Valid until the matcher changes.
  // Errors: a grammar so ambiguous that a mask would take more than about a second.
  Result<const TokenMask*> mask();
  // mask() has its answer ready, or finds it at once, as no more than one byte or named token may come next: only then can a mask
  // leave no choice. Otherwise it may take some milliseconds.
  bool has_quick_mask();

  // Whether the token may come next; if not, nothing has changed.
  Result<bool> accept(TokenId token);
  // Takes back the last tokens, at most kMostTakenBack of those that were accepted (PUNA_CHECK).
  void take_back(std::size_t n_tokens);
  static constexpr std::size_t kMostTakenBack = 256;

  // The answer so far is one of the grammar's. An end token changes nothing about that.
  bool is_complete() const;
  // Something other than an end token may follow.
  bool goes_on() const;

 private:
  struct Place {
    SituationId situation = 0;
    bool at_start = false;
    bool has_ended = false;
  };
  const Place& now() const { return places_.back(); }
  Result<SituationId> after(TokenId token);
  bool is_narrow();
  void forget();

  std::shared_ptr<const Constraint> constraint_;
  std::unique_ptr<Constraint::Workshop> workshop_;
  std::vector<Place> places_;  // the last ones, the present one included
  std::size_t most_bytes_;
};

}  // namespace puna::text::grammar
