// What can be asked of sampling. docs/sampling.md has each step's formula, default and edge values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/token.h"

namespace puna::sample {

enum class Step { penalties, dry, top_n_sigma, top_k, typical, top_p, min_p, xtc, temperature };

// "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature"
std::vector<Step> default_order();

// Names are those above, separated by semicolons (or commas); '-' is as good as '_', and typical, typical_p, temp are
// understood too. Empty: no step at all. Errors: an unknown name (the known ones are listed), a name given twice.
Result<std::vector<Step>> parse_order(std::string_view names);
// The same by one letter each: e d s k y p m x t, in the order of the names above.
Result<std::vector<Step>> parse_order_letters(std::string_view letters);
std::string order_text(const std::vector<Step>& order);  // parse_order() of it gives the same order

// The defaults are llama.cpp's.
struct Params {
  std::uint64_t seed = 0;

  float temp = 0.8f;  // <= 0: greedy
  float dynatemp_range = 0.0f;
  float dynatemp_exponent = 1.0f;

  std::int32_t top_k = 40;       // <= 0: off
  float top_p = 0.95f;           // 1: off
  float min_p = 0.05f;           // 0: off
  float typical_p = 1.0f;        // 1: off
  float top_n_sigma = -1.0f;     // <= 0: off
  float xtc_probability = 0.0f;  // 0: off
  float xtc_threshold = 0.1f;    // > 0.5: off
  std::int32_t min_keep = 0;     // the steps from typical to xtc leave at least so many candidates

  std::int32_t penalty_last_n = 64;  // tokens looked back at; -1: all, 0: off
  float repeat_penalty = 1.0f;       // 1: off
  float frequency_penalty = 0.0f;    // 0: off
  float presence_penalty = 0.0f;     // 0: off

  float dry_multiplier = 0.0f;  // 0: off
  float dry_base = 1.75f;
  std::int32_t dry_allowed_length = 2;
  std::int32_t dry_penalty_last_n = -1;  // tokens looked back at; -1: all, 0: off
  std::vector<std::string> dry_sequence_breakers = {"\n", ":", "\"", "*"};

  std::int32_t mirostat = 0;  // 1, 2: the version; 0: off
  float mirostat_tau = 5.0f;  // the surprise aimed at, in bits
  float mirostat_eta = 0.1f;  // how fast it is approached

  std::vector<std::pair<TokenId, float>> logit_bias = {};  // added to the logits; -inf bans

  std::vector<Step> order = default_order();
};

// Every value that has no meaning is refused, by the name of its flag, with the range that has.
Result<void> validate(const Params& params, std::size_t n_vocab);

}  // namespace puna::sample
