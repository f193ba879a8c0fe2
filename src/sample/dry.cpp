#include "sample/dry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace puna::sample {
namespace {

// Of a text read backwards: z[i] = how many tokens the text that ends i tokens before the end has in common with the
// whole text, counted from their ends; z[n] = 0. Linear time (Gusfield's Z algorithm).
std::vector<std::size_t> common_endings(const TokenId* end, std::size_t n) {
  const auto at = [&](std::size_t i) { return *(end - 1 - static_cast<std::ptrdiff_t>(i)); };
  std::vector<std::size_t> z(n + 1, 0);
  std::size_t left = 0;  // [left, right) agrees with the beginning, and right is the farthest known
  std::size_t right = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < n && at(z[i]) == at(i + z[i])) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

}  // namespace

Dry::Dry(const Params& params, TokenBytes token_bytes)
    : multiplier_(params.dry_multiplier),
      base_(params.dry_base),
      allowed_length_(static_cast<std::size_t>(params.dry_allowed_length)),
      last_n_(params.dry_penalty_last_n),
      breakers_(params.dry_sequence_breakers),
      token_bytes_(std::move(token_bytes)) {
  for (const std::string& breaker : breakers_) longest_breaker_ = std::max(longest_breaker_, breaker.size());
}

void Dry::accept(TokenId token) {
  if (!is_active()) return;
  history_.push_back(token);
  is_break_.push_back(ends_breaker(token));
}

void Dry::reset() {
  history_.clear();
  is_break_.clear();
  tail_.clear();
}

// Breakers are looked for in the text, not among the tokens: one may be spread over several tokens or be a part of one.
bool Dry::ends_breaker(TokenId token) {
  if (!token_bytes_ || breakers_.empty()) return false;
  const std::string text = tail_ + token_bytes_(token);
  const auto ends_here = [&](const std::string& breaker) {
    const std::size_t before = breaker.size() - 1;  // at most so many of its bytes lie in earlier tokens
    return text.find(breaker, tail_.size() > before ? tail_.size() - before : 0) != std::string::npos;
  };
  const bool result = std::any_of(breakers_.begin(), breakers_.end(), ends_here);
  tail_ = text.substr(text.size() - std::min(text.size(), longest_breaker_ - 1));
  return result;
}

// By token that would go on a repetition: the length of the longest one.
std::unordered_map<TokenId, std::size_t> Dry::find_repetitions() const {
  const std::size_t size = history_.size();
  const std::size_t n = last_n_ < 0 ? size : std::min(size, static_cast<std::size_t>(last_n_));
  std::size_t limit = 0;  // tokens since the last breaker
  while (limit < n && !is_break_[size - 1 - limit]) ++limit;
  std::unordered_map<TokenId, std::size_t> longest;
  if (limit < allowed_length_) return longest;
  const std::vector<std::size_t> z = common_endings(history_.data() + size, n);
  for (std::size_t i = 1; i <= n; ++i) {
    const std::size_t length = std::min(z[i], limit);
    if (length < allowed_length_ || is_break_[size - i]) continue;  // a breaker is never made less likely
    std::size_t& known = longest[history_[size - i]];
    known = std::max(known, length);
  }
  return longest;
}

void Dry::apply(Candidates& candidates) const {
  const auto repetitions = find_repetitions();
  if (repetitions.empty()) return;
  const auto penalized = [&](float logit, std::size_t length) {
    return changed_logit(logit,
                         logit - double{multiplier_} * std::pow(double{base_}, static_cast<double>(length - allowed_length_)));
  };
  if (candidates.is_complete) {
    for (const auto& [token, length] : repetitions) {
      if (token < 0 || static_cast<std::size_t>(token) >= candidates.size()) continue;
      float& logit = candidates.items[static_cast<std::size_t>(token)].logit;
      logit = penalized(logit, length);
    }
    return;
  }
  for (Candidate& c : candidates.items) {
    if (const auto found = repetitions.find(c.id); found != repetitions.end()) c.logit = penalized(c.logit, found->second);
  }
  candidates.logits_changed();
}

}  // namespace puna::sample
