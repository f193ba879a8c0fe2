#include "sample/penalties.h"

namespace puna::sample {

Penalties::Penalties(const Params& params)
    : repeat_(params.repeat_penalty),
      frequency_(params.frequency_penalty),
      presence_(params.presence_penalty),
      last_n_(params.penalty_last_n),
      is_active_(last_n_ != 0 && (repeat_ != 1.0f || frequency_ != 0.0f || presence_ != 0.0f)) {}

void Penalties::accept(TokenId token) {
  if (!is_active_) return;
  ++counts_[token];
  if (last_n_ < 0) return;
  window_.push_back(token);
  if (window_.size() <= static_cast<std::size_t>(last_n_)) return;
  const auto oldest = counts_.find(window_.front());
  if (--oldest->second == 0) counts_.erase(oldest);
  window_.pop_front();
}

void Penalties::reset() {
  window_.clear();
  counts_.clear();
}

float Penalties::penalized(float logit, std::uint32_t count) const {
  const double scaled = logit > 0.0f ? double{logit} / repeat_ : double{logit} * repeat_;
  return changed_logit(logit, scaled - count * double{frequency_} - presence_);
}

void Penalties::apply(Candidates& candidates) const {
  if (candidates.is_complete) {
    for (const auto& [token, count] : counts_) {
      if (token < 0 || static_cast<std::size_t>(token) >= candidates.size()) continue;
      float& logit = candidates.items[static_cast<std::size_t>(token)].logit;
      logit = penalized(logit, count);
    }
    return;
  }
  for (Candidate& c : candidates.items) {
    if (const auto found = counts_.find(c.id); found != counts_.end()) c.logit = penalized(c.logit, found->second);
  }
  candidates.logits_changed();
}

}  // namespace puna::sample
