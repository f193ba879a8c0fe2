#include "sample/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "sample/random.h"

namespace puna::sample {
namespace {

using testing::Each;
using testing::HasSubstr;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// All steps off: draws from the softmax of the logits.
Params plain() {
  Params params;
  params.temp = 1.0f;
  params.top_k = 0;
  params.top_p = 1.0f;
  params.min_p = 0.0f;
  return params;
}

std::vector<float> spread_logits(std::size_t n) {
  std::vector<float> logits(n);
  for (std::size_t i = 0; i < n; ++i) logits[i] = static_cast<float>(8.0 * uniform(99, i, Stream::token));
  return logits;
}

std::vector<TokenId> draw_many(Chain chain, const std::vector<float>& logits, std::uint64_t n) {
  std::vector<TokenId> tokens;
  for (std::uint64_t position = 0; position < n; ++position) tokens.push_back(chain.sample(logits, position).value());
  return tokens;
}

TEST(Chain, at_temperature_zero_takes_the_largest_logit_of_equal_ones_the_lowest) {
  for (const float temp : {0.0f, -1.0f, 1e-9f}) {
    Params params;
    params.temp = temp;
    EXPECT_EQ(Chain(params, 3).sample(std::vector<float>{1, 3, 2}, 0), 1);
    EXPECT_EQ(Chain(params, 3).sample(std::vector<float>{2, 3, 3}, 5), 1);
  }
}

TEST(Chain, at_temperature_zero_bias_penalties_and_dry_act_and_nothing_else_does) {
  const std::vector<float> logits = {1, 3, 2};
  Params params{.temp = 0, .xtc_probability = 1, .mirostat = 2};
  EXPECT_EQ(Chain(params, 3).sample(logits, 0), 1);
  params.logit_bias = {{1, -kInfinity}};
  EXPECT_EQ(Chain(params, 3).sample(logits, 0), 2);

  Chain penalized(Params{.temp = 0, .presence_penalty = 2}, 3);
  penalized.accept(1);
  EXPECT_EQ(penalized.sample(logits, 0), 2);

  Chain dry(Params{.temp = 0, .dry_multiplier = 5}, 3);
  for (const TokenId token : {0, 2, 1, 0, 2}) dry.accept(token);
  EXPECT_EQ(dry.sample(logits, 0), 2);
  dry.reset();
  EXPECT_EQ(dry.sample(logits, 0), 1);
}

TEST(Chain, does_not_touch_the_logits) {
  std::vector<float> logits = spread_logits(50);
  const std::vector<float> before = logits;
  Params params{.penalty_last_n = -1, .repeat_penalty = 1.5f, .logit_bias = {{3, 2.0f}}};
  Chain chain(params, logits.size());
  chain.accept(7);
  ASSERT_TRUE(chain.sample(logits, 0));
  EXPECT_EQ(logits, before);
}

TEST(Chain, a_tokens_random_number_depends_on_seed_and_position_only) {
  const std::vector<float> logits = spread_logits(200);
  Params params = plain();
  params.seed = 4;
  Chain chain(params, logits.size());
  const TokenId at_17 = chain.sample(logits, 17).value();
  for (std::uint64_t position = 0; position < 100; ++position) {
    chain.accept(chain.sample(logits, position).value());
  }
  EXPECT_EQ(chain.sample(logits, 17), at_17);
  EXPECT_EQ(Chain(params, logits.size()).sample(logits, 17), at_17);
  EXPECT_EQ(draw_many(Chain(params, logits.size()), logits, 50), draw_many(chain, logits, 50));
  params.seed = 5;
  EXPECT_NE(draw_many(Chain(params, logits.size()), logits, 50), draw_many(chain, logits, 50));
}

// Chi-square of draws against the probabilities they should have; the bound is exceeded by chance once in 1,000 times.
TEST(Chain, draws_each_token_as_often_as_its_probability_says) {
  const std::vector<float> logits = {0.0f, 1.0f, 2.0f, -1.0f, 0.5f};
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit / 0.7);
  Params params = plain();
  params.temp = 0.7f;
  std::array<int, 5> seen{};
  constexpr int kDraws = 50'000;
  for (const TokenId token : draw_many(Chain(params, 5), logits, kDraws)) ++seen[static_cast<std::size_t>(token)];
  double chi_square = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double expected = kDraws * std::exp(logits[i] / 0.7) / sum;
    chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 18.47);
}

TEST(Chain, top_k_one_and_top_p_zero_leave_one_token) {
  const std::vector<float> logits = spread_logits(100);
  Params params = plain();
  params.top_k = 1;
  EXPECT_THAT(draw_many(Chain(params, 100), logits, 50), Each(argmax(logits)));
  params.top_k = 0;
  params.top_p = 0.0f;
  EXPECT_THAT(draw_many(Chain(params, 100), logits, 50), Each(argmax(logits)));
}

TEST(Chain, steps_act_in_the_order_that_is_set) {
  // exp(0), exp(-1): 0.731 and 0.269. At temperature 10 they are nearly equal, so top_p 0.6 needs both; before, it needs one.
  const std::vector<float> logits = {0, -1};
  Params params = plain();
  params.temp = 10.0f;
  params.top_p = 0.6f;
  params.order = {Step::top_p, Step::temperature};
  EXPECT_THAT(draw_many(Chain(params, 2), logits, 50), Each(0));
  params.order = {Step::temperature, Step::top_p};
  EXPECT_THAT(draw_many(Chain(params, 2), logits, 50), testing::Contains(1));
}

TEST(Chain, a_step_that_is_not_in_the_order_does_not_act) {
  const std::vector<float> logits = {0, 0.1f};
  Params params = plain();
  params.top_k = 1;
  params.order = {};
  EXPECT_THAT(draw_many(Chain(params, 2), logits, 50), testing::Contains(0));
  Chain chain(Params{.temp = 0, .presence_penalty = 9, .order = {Step::temperature}}, 2);
  chain.accept(1);
  EXPECT_EQ(chain.sample(logits, 0), 1);
}

TEST(Chain, xtc_acts_with_its_probability_and_by_a_number_of_its_own) {
  const std::vector<float> logits = {0, 0.01f};
  Params params = plain();
  params.xtc_probability = 0.3f;
  params.xtc_threshold = 0.4f;
  int n_first = 0;  // XTC takes token 1 away; otherwise it is about even
  for (const TokenId token : draw_many(Chain(params, 2), logits, 20'000)) n_first += token == 0;
  EXPECT_NEAR(n_first / 20'000.0, 0.3 + 0.7 * 0.4975, 0.01);
  params.xtc_probability = 1.0f;
  EXPECT_THAT(draw_many(Chain(params, 2), logits, 100), Each(0));
}

TEST(Chain, logits_that_are_no_numbers_are_an_error_that_names_the_token) {
  Chain chain(Params{}, 3);
  const auto nan = chain.sample(std::vector<float>{1, kNan, 2}, 0);
  ASSERT_FALSE(nan);
  EXPECT_THAT(nan.error().message, HasSubstr("(nan) for token 1"));
  EXPECT_THAT(chain.sample(std::vector<float>{1, 2, kInfinity}, 0).error().message, HasSubstr("(inf) for token 2"));
  Chain greedy(Params{.temp = 0}, 3);
  EXPECT_FALSE(greedy.sample(std::vector<float>{kNan, 1, 2}, 0));
}

TEST(Chain, banned_tokens_are_never_drawn_and_if_all_are_it_is_an_error) {
  Params params = plain();
  params.logit_bias = {{0, -kInfinity}, {2, -kInfinity}};
  EXPECT_THAT(draw_many(Chain(params, 3), {5, 0, 5}, 100), Each(1));
  Chain chain(params, 3);
  EXPECT_THAT(chain.sample(std::vector<float>{5, -kInfinity, 5}, 0).error().message, HasSubstr("--logit-bias bans all"));
  EXPECT_THAT(chain.sample(std::vector<float>(3, -kInfinity), 0).error().message, HasSubstr("every one is banned"));
}

TEST(Chain, bias_is_added_and_of_a_token_named_twice_it_adds_up) {
  EXPECT_EQ(Chain(Params{.temp = 0, .logit_bias = {{0, 1.5f}, {0, 1.0f}}}, 2).sample(std::vector<float>{1, 3}, 0), 0);
  EXPECT_EQ(Chain(Params{.temp = 0, .logit_bias = {{0, 1.5f}}}, 2).sample(std::vector<float>{1, 3}, 0), 1);
  EXPECT_TRUE(Chain(Params{.logit_bias = {{0, 3e38f}, {0, 3e38f}}}, 2).sample(std::vector<float>{1, 3}, 0));
}

TEST(Chain, parameters_that_were_not_validated_are_a_bug) {
  EXPECT_THROW(Chain(Params{.top_p = 3}, 10), Bug);
  Chain chain(Params{}, 10);
  EXPECT_THROW((void)chain.sample(std::vector<float>(9, 0.0f), 0), Bug);
}

// The surprise of what is drawn comes to lie where it was asked for, whatever the distribution.
TEST(Chain, mirostat_brings_the_mean_surprise_to_its_target) {
  for (const int version : {1, 2}) {
    for (const float tau : {3.0f, 5.0f}) {
      std::vector<float> logits;
      for (int i = 1; i <= 500; ++i) logits.push_back(static_cast<float>(-1.2 * std::log(i)));
      Params params{.temp = 1, .mirostat = version, .mirostat_tau = tau, .mirostat_eta = 0.1f};
      Chain chain(params, logits.size());
      const double lse = log_sum_exp(logits);
      double bits = 0.0;
      for (std::uint64_t position = 0; position < 2500; ++position) {
        const TokenId token = chain.sample(logits, position).value();
        chain.accept(token);
        if (position >= 500) bits += (lse - logits[static_cast<std::size_t>(token)]) / std::log(2.0);
      }
      EXPECT_NEAR(bits / 2000, tau, 0.05) << "version " << version;
    }
  }
}

TEST(Chain, mirostat_learns_from_accepted_draws_only) {
  const std::vector<float> logits = spread_logits(100);
  Chain chain(Params{.mirostat = 2}, 100);
  EXPECT_EQ(chain.mirostat_mu(), 10.0);
  chain.accept(3);  // of the prompt
  EXPECT_EQ(chain.mirostat_mu(), 10.0);
  const TokenId drawn = chain.sample(logits, 0).value();
  EXPECT_EQ(chain.sample(logits, 0), drawn);
  EXPECT_EQ(chain.mirostat_mu(), 10.0);
  Chain other = chain;
  other.accept(drawn + 1);  // something else was put there
  EXPECT_EQ(other.mirostat_mu(), 10.0);
  chain.accept(drawn);
  EXPECT_NE(chain.mirostat_mu(), 10.0);
  chain.reset();
  EXPECT_EQ(chain.mirostat_mu(), 10.0);
}

TEST(Chain, mirostat_ignores_the_other_cuts) {
  const std::vector<float> logits = spread_logits(100);
  Params params{.temp = 1, .mirostat = 2, .mirostat_tau = 5.5f};
  Params cut = params;
  cut.top_k = 1;
  cut.min_p = 0.99f;
  EXPECT_EQ(draw_many(Chain(params, 100), logits, 30), draw_many(Chain(cut, 100), logits, 30));
}

}  // namespace
}  // namespace puna::sample
