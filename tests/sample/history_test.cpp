// Penalties and DRY: the steps that look at the text so far.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "sample/dry.h"
#include "sample/lists.h"
#include "sample/penalties.h"

namespace puna::sample {
namespace {

using testing::ElementsAre;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> logits_of(const Candidates& c) {
  std::vector<float> result;
  for (const Candidate& candidate : c.items) result.push_back(candidate.logit);
  return result;
}

template <class Step>
std::vector<float> after(const Step& step, const std::vector<float>& logits) {
  Candidates c = list_of(logits);
  step.apply(c);
  return logits_of(c);
}

TEST(Penalties, repeat_divides_positive_and_multiplies_negative_logits_of_seen_tokens_once) {
  Penalties penalties(Params{.repeat_penalty = 2.0f});
  for (const TokenId token : {0, 1, 1, 1}) penalties.accept(token);
  EXPECT_THAT(after(penalties, {3, -3, 3, 0}), ElementsAre(1.5f, -6, 3, 0));
}

TEST(Penalties, frequency_counts_and_presence_does_not) {
  Penalties penalties(Params{.frequency_penalty = 0.5f, .presence_penalty = 0.25f});
  for (const TokenId token : {0, 1, 1, 1}) penalties.accept(token);
  EXPECT_THAT(after(penalties, {1, 1, 1}), ElementsAre(0.25f, -0.75f, 1));
}

TEST(Penalties, look_back_over_the_last_n_tokens_only) {
  Penalties penalties(Params{.penalty_last_n = 2, .presence_penalty = 1.0f});
  for (const TokenId token : {0, 1, 1, 2}) penalties.accept(token);
  EXPECT_THAT(after(penalties, {5, 5, 5}), ElementsAre(5, 4, 4));
  penalties.accept(2);
  EXPECT_THAT(after(penalties, {5, 5, 5}), ElementsAre(5, 5, 4));
}

TEST(Penalties, minus_one_looks_back_over_everything_and_zero_over_nothing) {
  Penalties all(Params{.penalty_last_n = -1, .presence_penalty = 1.0f});
  Penalties none(Params{.penalty_last_n = 0, .presence_penalty = 1.0f});
  all.accept(0);
  none.accept(0);
  for (int i = 0; i < 1000; ++i) all.accept(1);
  EXPECT_THAT(after(all, {5, 5, 5}), ElementsAre(4, 4, 5));
  EXPECT_FALSE(none.is_active());
  EXPECT_FALSE(Penalties(Params{}).is_active());
}

TEST(Penalties, forget_on_reset_and_ignore_ids_outside_the_vocabulary) {
  Penalties penalties(Params{.presence_penalty = 1.0f});
  for (const TokenId token : {kNoToken, 99, 0}) penalties.accept(token);
  EXPECT_THAT(after(penalties, {5, 5}), ElementsAre(4, 5));
  penalties.reset();
  EXPECT_THAT(after(penalties, {5, 5}), ElementsAre(5, 5));
}

TEST(Penalties, act_on_a_shortened_list_by_id_and_keep_it_in_order) {
  Penalties penalties(Params{.presence_penalty = 3.0f});
  penalties.accept(2);
  Candidates c = list_of({1, 2, 4, 3});
  c.keep_top(3);  // 2, 3, 1
  penalties.apply(c);
  EXPECT_THAT(c.items, ElementsAre(Candidate{3, 3}, Candidate{1, 2}, Candidate{2, 1}));
}

TEST(Penalties, leave_banned_tokens_banned_and_others_finite) {
  Penalties penalties(Params{.repeat_penalty = 1e-30f, .frequency_penalty = -3e38f});
  for (const TokenId token : {0, 0, 1}) penalties.accept(token);
  const auto logits = after(penalties, {1e20f, -kInfinity});
  EXPECT_TRUE(std::isfinite(logits[0]));
  EXPECT_EQ(logits[1], -kInfinity);
}

// The text of token t: letters, and for the last few what the name says.
std::string letters(TokenId token) {
  switch (token) {
    case 90:
      return "\n";
    case 91:
      return " x:y";
    case 92:
      return "<";
    case 93:
      return "|>z";
    default:
      return std::string(1, static_cast<char>('a' + token % 26));
  }
}

Dry dry_after(const std::vector<TokenId>& tokens, Params params = {}) {
  if (params.dry_multiplier == 0.0f) params.dry_multiplier = 0.8f;
  Dry dry(params, letters);
  for (const TokenId token : tokens) dry.accept(token);
  return dry;
}

// What DRY takes off token `token`'s logit.
float taken_off(const Dry& dry, TokenId token) {
  Candidates c = list_of(std::vector<float>(100, 0.0f));
  dry.apply(c);
  return -c.items[static_cast<std::size_t>(token)].logit;
}

TEST(Dry, makes_going_on_a_repetition_less_likely_the_longer_it_is) {
  // … 2 3 → 4: two tokens repeat, which is allowed_length: 0.8 * 1.75^0. Three: 0.8 * 1.75. Four: 0.8 * 1.75².
  EXPECT_NEAR(taken_off(dry_after({2, 3, 4, 7, 2, 3}), 4), 0.8, 1e-6);
  EXPECT_NEAR(taken_off(dry_after({1, 2, 3, 4, 7, 1, 2, 3}), 4), 1.4, 1e-6);
  EXPECT_NEAR(taken_off(dry_after({0, 1, 2, 3, 4, 7, 0, 1, 2, 3}), 4), 2.45, 1e-6);
}

TEST(Dry, leaves_everything_else_alone) {
  const Dry dry = dry_after({1, 2, 3, 4, 7, 1, 2, 3});
  for (TokenId token = 0; token < 100; ++token) {
    EXPECT_EQ(taken_off(dry, token) != 0.0f, token == 4) << token;
  }
  EXPECT_EQ(taken_off(dry_after({3, 4, 7, 1, 3}), 4), 0.0f) << "one token repeated is less than the allowed length";
}

TEST(Dry, of_several_repetitions_the_longest_counts) {
  EXPECT_NEAR(taken_off(dry_after({1, 2, 3, 4, 8, 2, 3, 4, 9, 1, 2, 3}), 4), 1.4, 1e-6);
  const Dry both = dry_after({1, 2, 3, 4, 8, 2, 3, 5, 9, 1, 2, 3});
  EXPECT_NEAR(taken_off(both, 4), 1.4, 1e-6);
  EXPECT_NEAR(taken_off(both, 5), 0.8, 1e-6);
}

TEST(Dry, sees_a_repetition_that_overlaps_itself) {
  EXPECT_NEAR(taken_off(dry_after({5, 5, 5, 5}), 5), 1.4, 1e-6);  // 5 5 5 stood before the last 5
}

TEST(Dry, looks_back_only_as_far_as_it_is_told) {
  Params params;
  params.dry_penalty_last_n = 6;
  EXPECT_NEAR(taken_off(dry_after({2, 3, 4, 7, 2, 3}, params), 4), 0.8, 1e-6);
  EXPECT_EQ(taken_off(dry_after({2, 3, 4, 7, 8, 2, 3}, params), 4), 0.0f);
  params.dry_penalty_last_n = 0;
  EXPECT_FALSE(dry_after({1}, params).is_active());
}

TEST(Dry, does_not_reach_across_a_breaker) {
  EXPECT_EQ(taken_off(dry_after({1, 2, 90, 3, 4, 7, 1, 2, 90, 3}), 4), 0.0f) << "only one token since the line's start";
  EXPECT_NEAR(taken_off(dry_after({1, 2, 90, 3, 5, 4, 7, 1, 2, 90, 3, 5}), 4), 0.8, 1e-6) << "two, not five";
}

TEST(Dry, never_makes_a_breaker_less_likely) { EXPECT_EQ(taken_off(dry_after({1, 2, 3, 90, 1, 2, 3}), 90), 0.0f); }

TEST(Dry, finds_a_breaker_inside_a_token_and_one_spread_over_tokens) {
  EXPECT_EQ(taken_off(dry_after({1, 2, 91, 3, 4, 7, 1, 2, 91, 3}), 4), 0.0f);
  Params params;
  params.dry_sequence_breakers = {"<|>"};
  EXPECT_EQ(taken_off(dry_after({1, 92, 93, 3, 4, 7, 1, 92, 93, 3}, params), 4), 0.0f);
  params.dry_sequence_breakers = {"<|x"};
  EXPECT_NEAR(taken_off(dry_after({1, 92, 93, 3, 4, 7, 1, 92, 93, 3}, params), 4), 0.8 * 1.75 * 1.75, 1e-6);
}

TEST(Dry, without_breakers_or_without_the_text_of_tokens_repeats_reach_everywhere) {
  Params params{.dry_multiplier = 0.8f};
  Dry blind(params, {});
  for (const TokenId token : {1, 2, 90, 3, 4, 7, 1, 2, 90, 3}) blind.accept(token);
  EXPECT_NEAR(taken_off(blind, 4), 0.8 * 1.75 * 1.75, 1e-6);
  params.dry_sequence_breakers = {};
  EXPECT_NEAR(taken_off(dry_after({1, 2, 90, 3, 4, 7, 1, 2, 90, 3}, params), 4), 0.8 * 1.75 * 1.75, 1e-6);
}

TEST(Dry, an_allowed_length_of_zero_makes_every_seen_token_less_likely) {
  Params params;
  params.dry_allowed_length = 0;
  const Dry dry = dry_after({1, 2, 3}, params);
  for (const TokenId token : {1, 2, 3}) EXPECT_NEAR(taken_off(dry, token), 0.8, 1e-6);
  EXPECT_EQ(taken_off(dry, 4), 0.0f);
}

TEST(Dry, stays_finite_however_long_the_repetition) {
  const Dry dry = dry_after(std::vector<TokenId>(10'000, 5));
  EXPECT_TRUE(std::isfinite(taken_off(dry, 5)));
  EXPECT_GT(taken_off(dry, 5), 1e30f);
}

// The definition, word for word, in quadratic time.
TEST(Dry, equals_a_search_of_every_earlier_place) {
  std::mt19937 random(17);
  for (int round = 0; round < 300; ++round) {
    std::vector<TokenId> text(1 + random() % 40);
    for (TokenId& token : text) token = random() % 9 == 0 ? 90 : static_cast<TokenId>(random() % 3);
    std::size_t limit = 0;
    while (limit < text.size() && text[text.size() - 1 - limit] != 90) ++limit;
    std::vector<double> expected(100, 0.0);
    for (std::size_t next = 1; next < text.size(); ++next) {
      std::size_t n = 0;
      while (n < limit && n < next && text[next - 1 - n] == text[text.size() - 1 - n]) ++n;
      if (n < 2 || text[next] == 90) continue;
      double& worst = expected[static_cast<std::size_t>(text[next])];
      worst = std::max(worst, 0.8 * std::pow(1.75, static_cast<double>(n) - 2));
    }
    const Dry dry = dry_after(text);
    for (const TokenId token : {0, 1, 2, 90}) {
      EXPECT_NEAR(taken_off(dry, token), expected[static_cast<std::size_t>(token)],
                  1e-5 * (1 + expected[static_cast<std::size_t>(token)]));
    }
  }
}

}  // namespace
}  // namespace puna::sample
