// The steps that take away candidates or scale their logits. Each is a function of the list and of numbers alone; an
// empty list never comes in and never goes out. Formulas: docs/sampling.md.
#pragma once

#include <cstddef>

#include "base/token.h"
#include "sample/candidates.h"

namespace puna::sample {

// Below this a temperature would only overflow: it counts as greedy.
inline constexpr double kLeastTemperature = 1e-5;

// Of each candidate, in the order of the list: exp(logit - largest) / their sum, in double.
std::vector<double> probabilities(const Candidates& candidates);

// log(sum(exp(logit))), in double, in the order of the list.
double log_sum_exp(const Candidates& candidates);

// `min_keep`: at least so many stay (at least one always does).
void top_k(Candidates& candidates, std::size_t k);
void top_p(Candidates& candidates, double p, std::size_t min_keep);
void min_p(Candidates& candidates, double p, std::size_t min_keep);
void typical(Candidates& candidates, double p, std::size_t min_keep);
void top_n_sigma(Candidates& candidates, double n);
void xtc(Candidates& candidates, double threshold, std::size_t min_keep);

void temperature(Candidates& candidates, double temp);
// The temperature that `range` around `temp` gives this list, from its entropy.
double dynamic_temperature(const Candidates& candidates, double temp, double range, double exponent);

struct Drawn {
  TokenId token = kNoToken;
  double probability = 0.0;  // among the candidates
};
// The first candidate at which the probabilities, added up in the order of the list, exceed `u` (in [0, 1)).
Drawn draw(const Candidates& candidates, double u);

// Mirostat's two ways to cut the list for a target of `mu` bits. n_vocab: the size of the whole vocabulary.
void mirostat_1_cut(Candidates& candidates, double mu, std::size_t n_vocab);
void mirostat_2_cut(Candidates& candidates, double mu);

}  // namespace puna::sample
