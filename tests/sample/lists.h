// Short ways to write lists of candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sample/candidates.h"

namespace puna::sample {

inline Candidates list_of(const std::vector<float>& logits) {
  Candidates c{.items = {}, .is_ranked = false, .is_complete = true};
  for (std::size_t i = 0; i < logits.size(); ++i) c.items.push_back({static_cast<TokenId>(i), logits[i]});
  return c;
}

// Candidates with these probabilities.
inline Candidates with_probabilities(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return list_of(logits);
}

inline std::vector<TokenId> ids(const Candidates& c) {
  std::vector<TokenId> result;
  for (const Candidate& candidate : c.items) result.push_back(candidate.id);
  return result;
}

inline std::vector<TokenId> sorted_ids(const Candidates& c) {
  std::vector<TokenId> result = ids(c);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace puna::sample
