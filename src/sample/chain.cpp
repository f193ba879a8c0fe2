#include "sample/chain.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "sample/random.h"
#include "sample/steps.h"
#include "text/grammar/token_mask.h"

namespace puna::sample {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Logits that can be drawn from: finite or -inf, and not all -inf.
Result<void> check(std::span<const float> logits) {
  unsigned n_bad = 0;
  unsigned n_possible = 0;
  for (const float logit : logits) {
    n_bad += !(logit < kInfinity);
    n_possible += logit > -kInfinity;
  }
  if (n_bad > 0) {
    std::size_t id = 0;
    while (logits[id] < kInfinity) ++id;
    return std::unexpected(
        error(ErrorKind::invalid, "the model computed a logit that is no number ({}) for token {}", logits[id], id)
            .with_hint("the file may be damaged (--check-tensors looks), or a scale in it out of range"));
  }
  if (n_possible == 0) return fail("no token can be drawn: every one is banned (its logit is -inf)");
  return {};
}

}  // namespace

Chain::Chain(Params params, std::size_t n_vocab, TokenBytes token_bytes)
    : params_(std::move(params)), n_vocab_(n_vocab), penalties_(params_), dry_(params_, std::move(token_bytes)) {
  PUNA_CHECK(validate(params_, n_vocab).has_value());
  reset();
}

void Chain::reset() {
  penalties_.reset();
  dry_.reset();
  mirostat_mu_ = 2.0 * params_.mirostat_tau;
  surprise_ = {};
}

void Chain::accept(TokenId token) {
  penalties_.accept(token);
  dry_.accept(token);
  if (surprise_.token != kNoToken && surprise_.token == token) {
    mirostat_mu_ -= params_.mirostat_eta * (surprise_.bits - params_.mirostat_tau);
  }
  surprise_ = {};
}

// Whether the largest raw logit is the largest one after bias, penalties and DRY too.
bool Chain::is_untouched() const { return params_.logit_bias.empty() && !penalties_.is_active() && !dry_.is_active(); }

std::optional<TokenId> Chain::only_choice(const text::grammar::TokenMask& mask) {
  if (mask.count() != 1) return std::nullopt;
  TokenId only = kNoToken;
  mask.for_each([&](TokenId id) { only = id; });
  for (const auto& [token, bias] : params_.logit_bias)
    if (token == only && bias == -kInfinity) return std::nullopt;
  // What is certain surprises nobody.
  if (params_.mirostat > 0 && params_.temp >= kLeastTemperature) surprise_ = {only, 0.0};
  return only;
}

Result<TokenId> Chain::sample(std::span<const float> logits, std::uint64_t position, const text::grammar::TokenMask* mask) {
  PUNA_CHECK(logits.size() == n_vocab_ && n_vocab_ > 0);
  PUNA_TRY(check(logits));
  const bool is_greedy = params_.temp < kLeastTemperature;
  if (is_greedy && is_untouched() && !mask) return argmax(logits);

  // One per thread and not per chain: thousands of waiting chains must not each keep a list as long as the vocabulary.
  thread_local Candidates candidates;
  PUNA_TRY(load(logits, mask, candidates));
  if (is_greedy || params_.mirostat > 0) {
    for (const Step step : params_.order) apply_history(step, candidates);
    if (is_greedy) {
      candidates.keep_top(1);
      return candidates.items.front().id;
    }
    return sample_mirostat(candidates, position);
  }
  for (const Step step : params_.order) apply(step, candidates, position);
  return draw(candidates, uniform(params_.seed, position, Stream::token)).token;
}

Result<void> Chain::load(std::span<const float> logits, const text::grammar::TokenMask* mask, Candidates& candidates) const {
  candidates.items.resize(n_vocab_);
  for (std::size_t i = 0; i < n_vocab_; ++i) candidates.items[i] = {static_cast<TokenId>(i), mask ? -kInfinity : logits[i]};
  if (mask)
    mask->for_each(
        [&](TokenId id) { candidates.items[static_cast<std::size_t>(id)].logit = logits[static_cast<std::size_t>(id)]; });
  candidates.is_ranked = false;
  candidates.is_complete = true;
  for (const auto& [token, bias] : params_.logit_bias) {
    float& logit = candidates.items[static_cast<std::size_t>(token)].logit;
    logit = bias == -kInfinity ? bias : changed_logit(logit, double{logit} + bias);
  }
  if (!(mask || !params_.logit_bias.empty()) || candidates.max_logit() > -kInfinity) return {};
  if (!mask) return fail("no token can be drawn: --logit-bias bans all that were left");
  return fail("no token can be drawn: those that the grammar allows here are banned, by --logit-bias or by the model");
}

// Penalties and DRY: what depends on the text so far.
void Chain::apply_history(Step step, Candidates& candidates) const {
  if (step == Step::penalties && penalties_.is_active()) penalties_.apply(candidates);
  if (step == Step::dry && dry_.is_active()) dry_.apply(candidates);
}

void Chain::apply(Step step, Candidates& candidates, std::uint64_t position) const {
  const Params& p = params_;
  const auto min_keep = static_cast<std::size_t>(p.min_keep);
  switch (step) {
    case Step::penalties:
    case Step::dry:
      return apply_history(step, candidates);
    case Step::top_n_sigma:
      if (p.top_n_sigma > 0.0f) top_n_sigma(candidates, p.top_n_sigma);
      return;
    case Step::top_k:
      if (p.top_k > 0) top_k(candidates, static_cast<std::size_t>(p.top_k));
      return;
    case Step::typical:
      if (p.typical_p < 1.0f) typical(candidates, p.typical_p, min_keep);
      return;
    case Step::top_p:
      if (p.top_p < 1.0f) top_p(candidates, p.top_p, min_keep);
      return;
    case Step::min_p:
      if (p.min_p > 0.0f) min_p(candidates, p.min_p, min_keep);
      return;
    case Step::xtc:
      if (p.xtc_threshold > 0.5f || uniform(p.seed, position, Stream::xtc) >= p.xtc_probability) return;
      return xtc(candidates, p.xtc_threshold, min_keep);
    case Step::temperature:
      return apply_temperature(candidates);
  }
}

void Chain::apply_temperature(Candidates& candidates) const {
  const Params& p = params_;
  const double temp =
      p.dynatemp_range > 0.0f ? dynamic_temperature(candidates, p.temp, p.dynatemp_range, p.dynatemp_exponent) : p.temp;
  if (temp != 1.0) temperature(candidates, temp);
}

TokenId Chain::sample_mirostat(Candidates& candidates, std::uint64_t position) {
  apply_temperature(candidates);
  const double all = log_sum_exp(candidates);
  if (params_.mirostat == 1) {
    mirostat_1_cut(candidates, mirostat_mu_, n_vocab_);
  } else {
    mirostat_2_cut(candidates, mirostat_mu_);
  }
  const double rest = log_sum_exp(candidates);
  const Drawn drawn = draw(candidates, uniform(params_.seed, position, Stream::token));
  // The surprise under the uncut distribution, as in the paper: that is what the target speaks of.
  surprise_ = {drawn.token, -(std::log(drawn.probability) + rest - all) / std::log(2.0)};
  return drawn.token;
}

}  // namespace puna::sample
