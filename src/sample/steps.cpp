#include "sample/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace puna::sample {
namespace {

// Keeps what has at least that logit, or the first min_keep where those are too few.
void keep_from(Candidates& candidates, double least_logit, std::size_t min_keep) {
  const auto passes = [&](const Candidate& c) { return c.logit >= least_logit; };
  const auto n = static_cast<std::size_t>(std::count_if(candidates.items.begin(), candidates.items.end(), passes));
  if (n < std::max<std::size_t>(min_keep, 1)) return candidates.keep_top(std::max<std::size_t>(min_keep, 1));
  candidates.filter([&](const Candidate& c, std::size_t) { return passes(c); });
}

// The candidates (their indices) with the smallest keys, in order of key and then of rank, as many as it takes until their
// probabilities add up to p, at least min_keep. Only what may belong to them is sorted: a first pass adds up the
// probabilities by ranges of keys and finds the range in which the sum is reached.
std::vector<std::uint32_t> take_until(const Candidates& candidates, const std::vector<double>& key,
                                      const std::vector<double>& probability, double p, std::size_t min_keep) {
  min_keep = std::max<std::size_t>(min_keep, 1);
  constexpr std::size_t kRanges = 256;
  constexpr double kRangesPerUnit = 8.0;
  const auto range_of = [&](std::size_t i) {
    return static_cast<std::size_t>(std::min(key[i] * kRangesPerUnit, double{kRanges - 1}));
  };
  std::array<double, kRanges> sums{};
  std::array<std::size_t, kRanges> counts{};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    sums[range_of(i)] += probability[i];
    ++counts[range_of(i)];
  }
  constexpr double kRounding = 1e-9;  // the exact sum, in order, may be smaller by that
  std::size_t last = 0;
  double sum = sums[0];
  for (std::size_t count = counts[0]; last + 1 < kRanges && (sum < p + kRounding || count < min_keep); count += counts[last]) {
    sum += sums[++last];
  }
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (range_of(i) <= last) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (key[a] != key[b]) return key[a] < key[b];
    return ranks_before(candidates.items[a], candidates.items[b]);
  });
  std::size_t n = 0;
  for (sum = 0.0; n < order.size() && (n < min_keep || sum < p); ++n) sum += probability[order[n]];
  order.resize(n);
  return order;
}

double entropy(const std::vector<double>& probability) {
  double sum = 0.0;
  for (const double p : probability) {
    if (p > 0.0) sum -= p * std::log(p);
  }
  return sum;
}

}  // namespace

std::vector<double> probabilities(const Candidates& candidates) {
  const double largest = candidates.max_logit();
  std::vector<double> result;
  result.reserve(candidates.size());
  double sum = 0.0;
  for (const Candidate& c : candidates.items) {
    result.push_back(std::exp(c.logit - largest));
    sum += result.back();
  }
  for (double& p : result) p /= sum;
  return result;
}

double log_sum_exp(const Candidates& candidates) {
  const double largest = candidates.max_logit();
  double sum = 0.0;
  for (const Candidate& c : candidates.items) sum += std::exp(c.logit - largest);
  return largest + std::log(sum);
}

void top_k(Candidates& candidates, std::size_t k) {
  if (k < candidates.size()) candidates.keep_top(k);
}

void top_p(Candidates& candidates, double p, std::size_t min_keep) {
  const double largest = candidates.max_logit();
  std::vector<double> distance;
  distance.reserve(candidates.size());
  for (const Candidate& c : candidates.items) distance.push_back(largest - c.logit);
  std::vector<Candidate> kept;
  for (const std::uint32_t i : take_until(candidates, distance, probabilities(candidates), p, min_keep)) {
    kept.push_back(candidates.items[i]);
  }
  candidates.items.assign(kept.begin(), kept.end());
  candidates.is_ranked = true;
  candidates.is_complete = false;
}

void min_p(Candidates& candidates, double p, std::size_t min_keep) {
  keep_from(candidates, candidates.max_logit() + std::log(p), min_keep);
}

void typical(Candidates& candidates, double p, std::size_t min_keep) {
  const std::vector<double> probability = probabilities(candidates);
  const double expected = entropy(probability);
  std::vector<double> distance;
  distance.reserve(probability.size());
  for (const double q : probability) distance.push_back(std::abs(-std::log(q) - expected));
  std::vector<bool> is_kept(candidates.size());
  for (const std::uint32_t i : take_until(candidates, distance, probability, p, min_keep)) is_kept[i] = true;
  candidates.filter([&](const Candidate&, std::size_t i) { return bool{is_kept[i]}; });
}

void top_n_sigma(Candidates& candidates, double n) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const Candidate& c : candidates.items) {
    if (!std::isfinite(c.logit)) continue;
    sum += c.logit;
    ++count;
  }
  const double mean = sum / static_cast<double>(count);
  double squares = 0.0;
  for (const Candidate& c : candidates.items) {
    if (std::isfinite(c.logit)) squares += (c.logit - mean) * (c.logit - mean);
  }
  keep_from(candidates, candidates.max_logit() - n * std::sqrt(squares / static_cast<double>(count)), 1);
}

void xtc(Candidates& candidates, double threshold, std::size_t min_keep) {
  const std::vector<double> probability = probabilities(candidates);
  const Candidate* last = nullptr;  // the least likely of those that reach the threshold
  std::size_t n_reaching = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (probability[i] < threshold) continue;
    ++n_reaching;
    if (last == nullptr || ranks_before(*last, candidates.items[i])) last = &candidates.items[i];
  }
  if (n_reaching < 2 || candidates.size() - (n_reaching - 1) < min_keep) return;
  const TokenId kept = last->id;
  candidates.filter([&](const Candidate& c, std::size_t i) { return probability[i] < threshold || c.id == kept; });
}

void temperature(Candidates& candidates, double temp) {
  if (temp < kLeastTemperature) return candidates.keep_top(1);
  for (Candidate& c : candidates.items) c.logit = changed_logit(c.logit, c.logit / temp);
  candidates.logits_changed();  // rounding may have made two logits equal
}

double dynamic_temperature(const Candidates& candidates, double temp, double range, double exponent) {
  if (candidates.size() < 2) return temp;
  const double least = std::max(0.0, temp - range);
  const double most = temp + range;
  const double relative = entropy(probabilities(candidates)) / std::log(static_cast<double>(candidates.size()));
  return least + (most - least) * std::pow(relative, exponent);
}

Drawn draw(const Candidates& candidates, double u) {
  const std::vector<double> probability = probabilities(candidates);
  Drawn drawn;
  double sum = 0.0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (probability[i] == 0.0) continue;
    drawn = {candidates.items[i].id, probability[i]};
    sum += probability[i];
    if (u < sum) break;
  }
  return drawn;  // the last one that is possible, where rounding left the sum below u
}

void mirostat_1_cut(Candidates& candidates, double mu, std::size_t n_vocab) {
  // Zipf's exponent s, estimated from the ratios of neighbours among the hundred most likely (Basu et al. 2020, eq. 30).
  constexpr std::size_t kEstimatedFrom = 100;
  Candidates most_likely = candidates;
  most_likely.keep_top(kEstimatedFrom);
  double numerator = 0.0;
  double denominator = 0.0;
  for (std::size_t i = 0; i + 1 < most_likely.size(); ++i) {
    const double log_ratio = double{most_likely.items[i].logit} - most_likely.items[i + 1].logit;
    if (!std::isfinite(log_ratio)) break;
    const double t = std::log(static_cast<double>(i + 2) / static_cast<double>(i + 1));
    numerator += t * log_ratio;
    denominator += t * t;
  }
  const double s = denominator > 0.0 ? numerator / denominator : std::numeric_limits<double>::infinity();
  // The k at which a Zipf distribution of that exponent, cut to k, has a surprise of mu bits (eq. 31).
  const double eps = s - 1.0;
  const double log_n = std::log(static_cast<double>(n_vocab));
  const double factor = std::abs(eps) < 1e-9 ? 1.0 / log_n : eps / -std::expm1(-eps * log_n);
  const double k = std::pow(factor * std::exp2(mu), 1.0 / s);
  const auto size = static_cast<double>(candidates.size());
  candidates.keep_top(static_cast<std::size_t>(std::isnan(k) ? size : std::clamp(std::round(k), 1.0, size)));
}

void mirostat_2_cut(Candidates& candidates, double mu) {
  keep_from(candidates, log_sum_exp(candidates) - mu * std::numbers::ln2, 1);
}

}  // namespace puna::sample
