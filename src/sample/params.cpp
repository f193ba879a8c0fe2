#include "sample/params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace puna::sample {
namespace {

struct StepName {
  Step step;
  char letter;
  std::string_view name;
};

// llama.cpp's names and letters, in its default order.
constexpr std::array kSteps = {
    StepName{Step::penalties, 'e', "penalties"},
    StepName{Step::dry, 'd', "dry"},
    StepName{Step::top_n_sigma, 's', "top_n_sigma"},
    StepName{Step::top_k, 'k', "top_k"},
    StepName{Step::typical, 'y', "typ_p"},
    StepName{Step::top_p, 'p', "top_p"},
    StepName{Step::min_p, 'm', "min_p"},
    StepName{Step::xtc, 'x', "xtc"},
    StepName{Step::temperature, 't', "temperature"},
};

struct Alias {
  std::string_view name;
  std::string_view meant;
};
constexpr std::array kAliases = {Alias{"typical", "typ_p"}, Alias{"typical_p", "typ_p"}, Alias{"top_nsigma", "top_n_sigma"},
                                 Alias{"temp", "temperature"}};

std::string known_names() {
  std::string text;
  for (const StepName& step : kSteps) text += fmt::format("{}{}", text.empty() ? "" : ", ", step.name);
  return text;
}

Result<void> add_step(std::vector<Step>& order, Step step) {
  if (std::find(order.begin(), order.end(), step) != order.end()) {
    return fail("'{}' appears twice; each step can stand in one place only", order_text({step}));
  }
  order.push_back(step);
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number with a meaning: finite, and from `least` to `most`.
template <class Number>
Result<void> in_range(std::string_view flag, Number value, double least, double most, std::string_view range) {
  if (std::isfinite(static_cast<double>(value)) && value >= least && value <= most) return {};
  return fail("{} is {}, but must be {}", flag, value, range);
}

Result<void> validate_history(const Params& p) {
  PUNA_TRY(in_range("--repeat-last-n", p.penalty_last_n, -1, kInfinity, "-1 (all tokens), 0 (off) or more"));
  if (!(p.repeat_penalty > 0.0f)) return fail("--repeat-penalty is {}, but must be above 0 (1 is off)", p.repeat_penalty);
  PUNA_TRY(in_range("--repeat-penalty", p.repeat_penalty, 0, kInfinity, "a finite number above 0 (1 is off)"));
  PUNA_TRY(in_range("--frequency-penalty", p.frequency_penalty, -kInfinity, kInfinity, "a finite number (0 is off)"));
  PUNA_TRY(in_range("--presence-penalty", p.presence_penalty, -kInfinity, kInfinity, "a finite number (0 is off)"));
  PUNA_TRY(in_range("--dry-multiplier", p.dry_multiplier, 0, kInfinity, "0 (off) or more"));
  PUNA_TRY(in_range("--dry-base", p.dry_base, 1, kInfinity, "1 or more (--dry-multiplier 0 turns DRY off)"));
  PUNA_TRY(in_range("--dry-allowed-length", p.dry_allowed_length, 0, kInfinity, "0 or more"));
  PUNA_TRY(in_range("--dry-penalty-last-n", p.dry_penalty_last_n, -1, kInfinity, "-1 (all tokens), 0 (off) or more"));
  for (const std::string& breaker : p.dry_sequence_breakers) {
    if (breaker.empty()) return fail("--dry-sequence-breaker is empty, but must have at least one character");
  }
  return {};
}

Result<void> validate_logit_bias(const Params& p, std::size_t n_vocab) {
  for (const auto& [token, bias] : p.logit_bias) {
    if (token < 0 || static_cast<std::size_t>(token) >= n_vocab) {
      return fail("--logit-bias names token {}, but the vocabulary has tokens 0 to {}", token, n_vocab - 1);
    }
    if (std::isnan(bias) || bias == std::numeric_limits<float>::infinity()) {
      return fail("--logit-bias of token {} is {}, but must be a finite number, or -inf to ban the token", token, bias);
    }
  }
  return {};
}

}  // namespace

std::vector<Step> default_order() {
  std::vector<Step> order;
  for (const StepName& step : kSteps) order.push_back(step.step);
  return order;
}

std::string order_text(const std::vector<Step>& order) {
  std::string text;
  for (const Step step : order) {
    const auto known = std::find_if(kSteps.begin(), kSteps.end(), [&](const StepName& s) { return s.step == step; });
    text += fmt::format("{}{}", text.empty() ? "" : ";", known->name);
  }
  return text;
}

Result<std::vector<Step>> parse_order(std::string_view names) {
  std::vector<Step> order;
  names = trimmed(names);
  while (!names.empty()) {
    const std::size_t end = std::min(names.find_first_of(";,"), names.size());
    std::string name(trimmed(names.substr(0, end)));
    names.remove_prefix(std::min(end + 1, names.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    for (const Alias& alias : kAliases) {
      if (name == alias.name) name = alias.meant;
    }
    const auto known = std::find_if(kSteps.begin(), kSteps.end(), [&](const StepName& s) { return s.name == name; });
    if (known == kSteps.end()) {
      return std::unexpected(
          error(ErrorKind::invalid, "there is no step '{}'", name).with_hint(fmt::format("the steps are {}", known_names())));
    }
    PUNA_TRY(add_step(order, known->step));
  }
  return order;
}

Result<std::vector<Step>> parse_order_letters(std::string_view letters) {
  std::vector<Step> order;
  for (const char letter : letters) {
    const auto known = std::find_if(kSteps.begin(), kSteps.end(), [&](const StepName& s) { return s.letter == letter; });
    if (known == kSteps.end()) {
      return std::unexpected(error(ErrorKind::invalid, "there is no step '{}'", letter)
                                 .with_hint(fmt::format("e d s k y p m x t stand for {}", known_names())));
    }
    PUNA_TRY(add_step(order, known->step));
  }
  return order;
}

Result<void> validate(const Params& p, std::size_t n_vocab) {
  PUNA_TRY(in_range("--temp", p.temp, -kInfinity, kInfinity, "a finite number (0 or less: greedy)"));
  PUNA_TRY(in_range("--dynatemp-range", p.dynatemp_range, 0, kInfinity, "0 (off) or more"));
  PUNA_TRY(in_range("--dynatemp-exp", p.dynatemp_exponent, 0, kInfinity, "0 or more"));
  PUNA_TRY(in_range("--top-p", p.top_p, 0, 1, "between 0 and 1 (1 is off)"));
  PUNA_TRY(in_range("--min-p", p.min_p, 0, 1, "between 0 and 1 (0 is off)"));
  PUNA_TRY(in_range("--typical", p.typical_p, 0, 1, "between 0 and 1 (1 is off)"));
  PUNA_TRY(in_range("--top-n-sigma", p.top_n_sigma, -kInfinity, kInfinity, "a finite number (0 or less: off)"));
  PUNA_TRY(in_range("--xtc-probability", p.xtc_probability, 0, 1, "between 0 and 1 (0 is off)"));
  PUNA_TRY(in_range("--xtc-threshold", p.xtc_threshold, 0, 1, "between 0 and 1 (above 0.5 is off)"));
  PUNA_TRY(in_range("--min-keep", p.min_keep, 0, kInfinity, "0 or more"));
  PUNA_TRY(in_range("--mirostat", p.mirostat, 0, 2, "0 (off), 1 or 2"));
  PUNA_TRY(in_range("--mirostat-ent", p.mirostat_tau, 0, kInfinity, "0 or more"));
  PUNA_TRY(in_range("--mirostat-lr", p.mirostat_eta, 0, kInfinity, "0 or more"));
  PUNA_TRY(validate_history(p));
  PUNA_TRY(validate_logit_bias(p, n_vocab));
  std::vector<Step> order;
  for (const Step step : p.order)
    if (auto added = add_step(order, step); !added) return std::unexpected(std::move(added).error().within("--samplers"));
  return {};
}

}  // namespace puna::sample
