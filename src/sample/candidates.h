// The tokens that may still be drawn, and what is asked of raw logits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/token.h"

namespace puna::sample {

struct Candidate {
  TokenId id = kNoToken;
  float logit = 0.0f;
  bool operator==(const Candidate&) const = default;
};

// By logit, the largest first; of equal ones the lower id first.
inline bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// `logit` after a step has computed `changed` for it: a banned token stays banned, and any other stays finite.
float changed_logit(float logit, double changed);

// The `n` largest logits (all where there are fewer), in rank order. logits: [n_vocab], without NaN.
std::vector<Candidate> top(std::span<const float> logits, std::size_t n);

// The token with the largest logit, of equal ones the lowest. logits: [n_vocab], not empty, without NaN.
TokenId argmax(std::span<const float> logits);

// log(sum(exp(logits))), added up in double in ascending order of ids. logits: [n_vocab], finite or -inf, not all -inf.
double log_sum_exp(std::span<const float> logits);
// The log-probability of one token under the softmax of the raw logits, untouched by any sampling step.
double log_softmax_at(std::span<const float> logits, TokenId id);

// The list that the steps work on. It is always in one of two orders, so that every step is deterministic.
struct Candidates {
  std::vector<Candidate> items;
  bool is_ranked = false;    // rank order; otherwise ascending ids
  bool is_complete = false;  // the whole vocabulary: items[i].id == i

  std::size_t size() const { return items.size(); }
  float max_logit() const;
  void rank();                   // brings all into rank order
  void keep_top(std::size_t n);  // the n first in rank order, ranked
  // Keeps those that keep(candidate, index) says, in the order they are in.
  template <class Keep>
  void filter(const Keep& keep);
  // To be called after logits were changed in a way that may have changed the ranks.
  void logits_changed();
};

template <class Keep>
void Candidates::filter(const Keep& keep) {
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (keep(items[i], i)) items[n_kept++] = items[i];
  }
  is_complete = is_complete && n_kept == items.size();
  items.resize(n_kept);
}

}  // namespace puna::sample
