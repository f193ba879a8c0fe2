// A grammar beside the forward passes of one answer: the mask for the next token is found while the model computes.
#pragma once

#include <future>
#include <memory>

#include "base/result.h"
#include "base/token.h"
#include "text/grammar/constraint.h"

namespace puna::engine {

// Without a constraint it allows everything. The order: ready() or begin(), mask(), accept(), and so on.
class Guide {
 public:
  // `previous`: the prompt's last token.
  Guide(std::shared_ptr<const text::grammar::Constraint> constraint, TokenId previous);

  // The mask for the next token where that takes microseconds, as wherever there is no choice; null where it must be found, or
  // there is no constraint.
  Result<const text::grammar::TokenMask*> ready();
  // Finds the mask on a thread of its own, unless it takes microseconds.
  void begin();
  // That mask, once it is found. Errors: too ambiguous a grammar.
  Result<const text::grammar::TokenMask*> mask();

  // Errors: the token is not allowed, which is nobody's doing but the sampler's.
  Result<void> accept(TokenId token);
  // The answer so far is one of the grammar's.
  bool is_complete() const { return !matcher_ || matcher_->is_complete(); }
  // Nothing more may follow.
  bool is_done() const { return matcher_ && !matcher_->goes_on(); }

 private:
  std::unique_ptr<text::grammar::TokenMatcher> matcher_;
  std::future<Result<const text::grammar::TokenMask*>> pending_;  // ends before the matcher does
};

}  // namespace puna::engine
