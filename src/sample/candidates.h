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

// The `n` largest logits (all where there are fewer), in rank order. logits: [n_vocab], without NaN.
std::vector<Candidate> top(std::span<const float> logits, std::size_t n);

// The token with the largest logit, of equal ones the lowest. logits: [n_vocab], not empty, without NaN.
TokenId argmax(std::span<const float> logits);

// log(sum(exp(logits))), added up in double in ascending order of ids. logits: [n_vocab], finite or -inf.
double log_sum_exp(std::span<const float> logits);
// The log-probability of one token under the softmax of the raw logits, untouched by any sampling step.
double log_softmax_at(std::span<const float> logits, TokenId id);

// The list that the steps work on. Rank order or order of ids, so that every step is deterministic.
struct Candidates {
  std::vector<Candidate> items;
  bool is_ranked = false;   // rank order; otherwise ascending ids
  bool is_complete = true;  // items[i].id == i

  std::size_t size() const { return items.size(); }
  float max_logit() const;
  void rank();                     // brings all into rank order
  void keep_top(std::size_t n);    // the n first in rank order, ranked
  void keep_first(std::size_t n);  // cuts a ranked list
};

}  // namespace puna::sample
