// From the logits of one row to a token: the steps of Params::order, then a draw.
//
// The order of things: logit bias; then the steps in their order, each of which takes away candidates or changes their
// logits; then a draw by the random number of (seed, position). With temp <= 0 the token is the largest logit after
// bias, penalties and DRY (those act only where they were asked for), whatever the other steps say. With mirostat, bias,
// penalties, DRY and temperature act, then mirostat in place of the other steps. A grammar's mask comes before all of it: the
// logits of tokens that it does not allow are -inf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "sample/candidates.h"
#include "sample/dry.h"
#include "sample/params.h"
#include "sample/penalties.h"

namespace puna::text::grammar {
class TokenMask;  // text/grammar/token_mask.h
}

namespace puna::sample {

class Chain {
 public:
  // `params` as validate() accepted them for that vocabulary (PUNA_CHECK). `token_bytes` gives the text of a token; only
  // DRY asks, for its sequence breakers, and without it no token is one.
  Chain(Params params, std::size_t n_vocab, TokenBytes token_bytes = {});

  // logits: [n_vocab], not modified. `position`: that of the token to be drawn, counted from the start of the sequence.
  // Asked again before accept(), it answers the same. `mask`: what may be drawn; null: everything. Errors: a NaN or +inf
  // logit, by id; all logits -inf.
  Result<TokenId> sample(std::span<const float> logits, std::uint64_t position, const text::grammar::TokenMask* mask = nullptr);

  // The token that sample() would draw from a mask that allows one, whatever finite logits the model computes: they are not
  // needed. Empty where there are several, or the one is banned.
  std::optional<TokenId> only_choice(const text::grammar::TokenMask& mask);

  // The sequence goes on with this token, of the prompt or drawn, or put there by someone else.
  void accept(TokenId token);
  // As if newly made.
  void reset();

  const Params& params() const { return params_; }
  double mirostat_mu() const { return mirostat_mu_; }

 private:
  // What the last sample() would teach mirostat if its token is accepted.
  struct Surprise {
    TokenId token = kNoToken;
    double bits = 0.0;
  };

  Result<void> load(std::span<const float> logits, const text::grammar::TokenMask* mask, Candidates& candidates) const;
  void apply_history(Step step, Candidates& candidates) const;
  void apply(Step step, Candidates& candidates, std::uint64_t position) const;
  void apply_temperature(Candidates& candidates) const;
  TokenId sample_mirostat(Candidates& candidates, std::uint64_t position);
  bool is_untouched() const;

  Params params_;
  std::size_t n_vocab_;
  Penalties penalties_;
  Dry dry_;
  double mirostat_mu_ = 0.0;
  Surprise surprise_;
};

}  // namespace puna::sample
