#include "sample/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace puna::sample {
namespace {

// The n first in rank order of `size` candidates that get(i) gives in ascending order of ids. One pass with a small heap
// where few of many are wanted: a vocabulary is not sorted for the sake of forty tokens.
template <class Get>
std::vector<Candidate> select_top(std::size_t n, std::size_t size, const Get& get) {
  n = std::min(n, size);
  std::vector<Candidate> best;
  if (n == 0) return best;
  if (n > size / 8) {
    best.reserve(size);
    for (std::size_t i = 0; i < size; ++i) best.push_back(get(i));
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(n), best.end(), ranks_before);
    best.resize(n);
    return best;
  }
  best.reserve(n);
  for (std::size_t i = 0; i < n; ++i) best.push_back(get(i));
  std::make_heap(best.begin(), best.end(), ranks_before);  // the last in rank order on top
  for (std::size_t i = n; i < size; ++i) {
    const Candidate candidate = get(i);
    if (!(candidate.logit > best.front().logit)) continue;  // an equal one has a higher id
    std::pop_heap(best.begin(), best.end(), ranks_before);
    best.back() = candidate;
    std::push_heap(best.begin(), best.end(), ranks_before);
  }
  std::sort_heap(best.begin(), best.end(), ranks_before);
  return best;
}

// Many maxima side by side, which the compiler turns into vector instructions; a maximum has no rounding to reorder.
float max_of(std::span<const float> logits) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> largest;
  largest.fill(logits[0]);
  std::size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      largest[lane] = logits[i + lane] > largest[lane] ? logits[i + lane] : largest[lane];
    }
  }
  for (; i < logits.size(); ++i) largest[0] = std::max(largest[0], logits[i]);
  return *std::max_element(largest.begin(), largest.end());
}

}  // namespace

float changed_logit(float logit, double changed) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return std::isinf(logit) ? logit : static_cast<float>(std::clamp(changed, -kMax, kMax));
}

std::vector<Candidate> top(std::span<const float> logits, std::size_t n) {
  return select_top(n, logits.size(), [&](std::size_t i) { return Candidate{static_cast<TokenId>(i), logits[i]}; });
}

TokenId argmax(std::span<const float> logits) {
  PUNA_CHECK(!logits.empty());
  return static_cast<TokenId>(std::find(logits.begin(), logits.end(), max_of(logits)) - logits.begin());
}

double log_sum_exp(std::span<const float> logits) {
  PUNA_CHECK(!logits.empty());
  const double largest = max_of(logits);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

double log_softmax_at(std::span<const float> logits, TokenId id) {
  PUNA_CHECK(id >= 0 && static_cast<std::size_t>(id) < logits.size());
  return logits[static_cast<std::size_t>(id)] - log_sum_exp(logits);
}

float Candidates::max_logit() const {
  PUNA_CHECK(!items.empty());
  if (is_ranked) return items.front().logit;
  const auto smaller = [](const Candidate& a, const Candidate& b) { return a.logit < b.logit; };
  return std::max_element(items.begin(), items.end(), smaller)->logit;
}

void Candidates::rank() {
  if (is_ranked) return;
  std::sort(items.begin(), items.end(), ranks_before);
  is_ranked = true;
  is_complete = false;
}

void Candidates::keep_top(std::size_t n) {
  if (is_ranked || n >= items.size()) {
    rank();
    items.resize(std::min(n, items.size()));
    return;
  }
  const std::vector<Candidate> best = select_top(n, items.size(), [&](std::size_t i) { return items[i]; });
  items.assign(best.begin(), best.end());  // keeps the room for the next token's whole vocabulary
  is_ranked = true;
  is_complete = false;
}

void Candidates::logits_changed() {
  if (is_ranked) std::sort(items.begin(), items.end(), ranks_before);
}

}  // namespace puna::sample
