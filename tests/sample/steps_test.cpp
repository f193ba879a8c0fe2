#include "sample/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "sample/lists.h"

namespace puna::sample {
namespace {

using testing::ElementsAre;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(TopK, keeps_the_k_largest_in_rank_order_with_ties_to_the_lower_id) {
  Candidates c = list_of({2, 5, 5, 1, 2});
  top_k(c, 3);
  EXPECT_THAT(ids(c), ElementsAre(1, 2, 0));
  top_k(c, 99);
  EXPECT_EQ(c.size(), 3u);
}

TEST(TopP, keeps_the_fewest_of_the_most_likely_that_reach_p) {
  for (const auto& [p, n] : {std::pair{0.0, 1u}, {0.49, 1u}, {0.51, 2u}, {0.79, 2u}, {0.81, 3u}, {0.96, 4u}}) {
    Candidates c = with_probabilities({0.15, 0.5, 0.05, 0.3});
    top_p(c, p, 0);
    EXPECT_EQ(c.size(), n) << p;
    EXPECT_EQ(c.items.front().id, 1);
  }
}

TEST(TopP, keeps_at_least_min_keep) {
  Candidates c = with_probabilities({0.15, 0.5, 0.05, 0.3});
  top_p(c, 0.1, 3);
  EXPECT_THAT(ids(c), ElementsAre(1, 3, 0));
  top_p(c, 0.1, 99);
  EXPECT_EQ(c.size(), 3u);
}

TEST(TopP, counts_only_what_earlier_steps_left) {
  Candidates c = with_probabilities({0.4, 0.2, 0.2, 0.2});
  top_k(c, 2);  // 2/3 and 1/3 now
  top_p(c, 0.6, 0);
  EXPECT_THAT(ids(c), ElementsAre(0));
}

TEST(MinP, keeps_what_has_that_share_of_the_largest_probability) {
  Candidates c = with_probabilities({0.5, 0.3, 0.15, 0.05});
  min_p(c, 0.25, 0);  // 0.125 and more
  EXPECT_THAT(ids(c), ElementsAre(0, 1, 2));
  min_p(c, 1.0, 0);
  EXPECT_THAT(ids(c), ElementsAre(0));
}

TEST(MinP, keeps_at_least_min_keep_and_all_that_tie_with_the_largest) {
  Candidates c = list_of({3, 1, 3, 2});
  min_p(c, 1.0, 0);
  EXPECT_THAT(ids(c), ElementsAre(0, 2));
  Candidates d = list_of({3, 1, 3, 2});
  min_p(d, 1.0, 3);
  EXPECT_THAT(ids(d), ElementsAre(0, 2, 3));
}

TEST(Typical, keeps_what_is_nearest_to_the_expected_surprise) {
  // Entropy of (0.5, 0.25, 0.125, 0.125) is 1.75 bits; surprises are 1, 2, 3, 3: distances 0.75, 0.25, 1.25, 1.25.
  for (const auto& [p, kept] : {std::pair{0.2, std::vector<TokenId>{1}}, {0.7, {0, 1}}, {0.8, {0, 1, 2}}, {0.99, {0, 1, 2, 3}}}) {
    Candidates c = with_probabilities({0.5, 0.25, 0.125, 0.125});
    typical(c, p, 0);
    EXPECT_EQ(sorted_ids(c), kept) << p;
  }
  Candidates c = with_probabilities({0.5, 0.25, 0.125, 0.125});
  typical(c, 0.0, 3);
  EXPECT_EQ(sorted_ids(c), (std::vector<TokenId>{0, 1, 2}));
}

TEST(Typical, never_prefers_a_banned_token) {
  Candidates c = list_of({0, -kInfinity, 0});
  typical(c, 0.9, 0);
  EXPECT_EQ(sorted_ids(c), (std::vector<TokenId>{0, 2}));
}

TEST(TopNSigma, keeps_what_is_within_n_standard_deviations_of_the_largest) {
  // Mean 3, variance (4 + 1 + 0 + 1 + 4) / 5 = 2: one deviation below the largest is 3.586, two are 2.172.
  Candidates c = list_of({1, 2, 3, 4, 5});
  top_n_sigma(c, 2.0);
  EXPECT_THAT(ids(c), ElementsAre(2, 3, 4));
  Candidates d = list_of({1, 2, 3, 4, 5, -kInfinity});  // a banned token is no part of the spread
  top_n_sigma(d, 1.0);
  EXPECT_THAT(ids(d), ElementsAre(3, 4));
  Candidates e = list_of({7, 7});
  top_n_sigma(e, 1.0);
  EXPECT_EQ(e.size(), 2u);
}

TEST(Xtc, takes_away_all_that_reach_the_threshold_but_the_least_likely_of_them) {
  Candidates c = with_probabilities({0.3, 0.5, 0.05, 0.15});
  xtc(c, 0.1, 0);
  EXPECT_THAT(ids(c), ElementsAre(2, 3));
}

TEST(Xtc, does_nothing_where_fewer_than_two_reach_the_threshold_or_too_few_would_stay) {
  Candidates c = with_probabilities({0.3, 0.5, 0.05, 0.15});
  xtc(c, 0.4, 0);
  EXPECT_EQ(c.size(), 4u);
  xtc(c, 0.1, 3);
  EXPECT_EQ(c.size(), 4u);
  xtc(c, 0.1, 2);
  EXPECT_EQ(c.size(), 2u);
}

TEST(Xtc, of_equally_likely_tokens_the_last_id_stays) {
  Candidates c = list_of({1, 1, 1});
  xtc(c, 0.0, 0);
  EXPECT_THAT(ids(c), ElementsAre(2));
}

TEST(Temperature, divides_the_logits) {
  Candidates c = list_of({2, -3, -kInfinity});
  temperature(c, 0.5);
  EXPECT_THAT(c.items, ElementsAre(Candidate{0, 4}, Candidate{1, -6}, Candidate{2, -kInfinity}));
}

TEST(Temperature, next_to_zero_is_greedy_and_huge_logits_stay_finite) {
  Candidates c = list_of({2, 3, 3});
  temperature(c, 1e-9);
  EXPECT_THAT(ids(c), ElementsAre(1));
  Candidates d = list_of({1e37f, -1e37f});
  temperature(d, 1e-3);
  EXPECT_TRUE(std::isfinite(d.items[0].logit) && std::isfinite(d.items[1].logit));
}

TEST(DynamicTemperature, goes_from_least_to_most_with_the_entropy) {
  EXPECT_NEAR(dynamic_temperature(list_of({1, 1, 1, 1}), 0.8, 0.5, 1.0), 1.3, 1e-9);    // all alike: the most
  EXPECT_NEAR(dynamic_temperature(list_of({100, 0, 0, 0}), 0.8, 0.5, 1.0), 0.3, 1e-9);  // certain: the least
  EXPECT_NEAR(dynamic_temperature(list_of({100, 0, 0, 0}), 0.8, 2.0, 1.0), 0.0, 1e-9);  // never below zero
  const Candidates c = with_probabilities({0.5, 0.25, 0.125, 0.125});                   // 1.75 of 2 bits
  EXPECT_NEAR(dynamic_temperature(c, 1.0, 0.5, 1.0), 0.5 + 0.875, 1e-6);
  EXPECT_NEAR(dynamic_temperature(c, 1.0, 0.5, 2.0), 0.5 + 0.875 * 0.875, 1e-6);
  EXPECT_EQ(dynamic_temperature(list_of({1}), 0.8, 0.5, 1.0), 0.8);
}

TEST(Draw, is_the_first_candidate_at_which_the_sum_exceeds_the_number) {
  const Candidates c = with_probabilities({0.25, 0.5, 0.25});
  EXPECT_EQ(draw(c, 0.0).token, 0);
  EXPECT_EQ(draw(c, 0.2499).token, 0);
  EXPECT_EQ(draw(c, 0.2501).token, 1);
  EXPECT_EQ(draw(c, 0.7499).token, 1);
  EXPECT_EQ(draw(c, 0.7501).token, 2);
  EXPECT_NEAR(draw(c, 0.3).probability, 0.5, 1e-7);
}

TEST(Draw, never_takes_a_banned_token) {
  const Candidates c = list_of({-kInfinity, 0, -kInfinity, 0, -kInfinity});
  EXPECT_EQ(draw(c, 0.0).token, 1);
  EXPECT_EQ(draw(c, std::nextafter(1.0, 0.0)).token, 3);
}

TEST(Mirostat2, cuts_what_surprises_more_than_the_target) {
  Candidates c = with_probabilities({0.5, 0.25, 0.125, 0.125});  // 1, 2, 3, 3 bits
  mirostat_2_cut(c, 2.5);
  EXPECT_THAT(ids(c), ElementsAre(0, 1));
  mirostat_2_cut(c, 0.0);
  EXPECT_THAT(ids(c), ElementsAre(0));
}

TEST(Mirostat1, finds_the_exponent_of_a_zipf_distribution) {
  // p(i) ~ i^-2: s = 2 exactly, k = ((s-1) 2^mu / (1 - N^-(s-1)))^(1/s) = (2^8 / (1 - 1/1000))^(1/2) = 16.008.
  std::vector<float> logits;
  for (int i = 1; i <= 1000; ++i) logits.push_back(static_cast<float>(-2.0 * std::log(i)));
  Candidates c = list_of(logits);
  mirostat_1_cut(c, 8.0, 1000);
  EXPECT_EQ(c.size(), 16u);
}

TEST(Mirostat1, is_defined_for_flat_steep_and_single_distributions) {
  Candidates flat = list_of(std::vector<float>(50, 1.0f));
  mirostat_1_cut(flat, 5.0, 50);
  EXPECT_GE(flat.size(), 1u);
  Candidates steep = list_of({0, -kInfinity, -kInfinity});
  mirostat_1_cut(steep, 5.0, 3);
  EXPECT_EQ(steep.items.front().id, 0);
  Candidates single = list_of({3});
  mirostat_1_cut(single, 5.0, 1);
  EXPECT_THAT(ids(single), ElementsAre(0));
}

// Top-p and typical as their definitions say: sort all, then add up.
std::vector<TokenId> smallest_until(const Candidates& c, const std::vector<double>& key, double p) {
  const std::vector<double> probability = probabilities(c);
  std::vector<std::size_t> order(c.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return key[a] != key[b] ? key[a] < key[b] : ranks_before(c.items[a], c.items[b]);
  });
  std::vector<TokenId> kept;
  double sum = 0.0;
  for (std::size_t i = 0; i < order.size() && (i == 0 || sum < p); ++i) {
    kept.push_back(c.items[order[i]].id);
    sum += probability[order[i]];
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

TEST(Steps, that_add_up_probabilities_equal_a_full_sort_on_long_lists) {
  std::mt19937 random(23);
  for (const double spread : {0.001, 0.5, 4.0, 60.0}) {
    std::normal_distribution<double> normal(0.0, spread);
    std::vector<float> logits(3000);
    for (float& logit : logits) logit = random() % 50 == 0 ? -kInfinity : static_cast<float>(normal(random));
    const Candidates all = list_of(logits);
    const std::vector<double> probability = probabilities(all);
    double entropy = 0.0;
    for (const double q : probability) entropy -= q > 0.0 ? q * std::log(q) : 0.0;
    std::vector<double> below_largest;
    std::vector<double> from_entropy;
    for (std::size_t i = 0; i < all.size(); ++i) {
      below_largest.push_back(all.max_logit() - double{logits[i]});
      from_entropy.push_back(std::abs(-std::log(probability[i]) - entropy));
    }
    for (const double p : {0.01, 0.3, 0.9, 0.9999}) {
      Candidates c = all;
      top_p(c, p, 0);
      EXPECT_EQ(sorted_ids(c), smallest_until(all, below_largest, p)) << spread << " " << p;
      Candidates d = all;
      typical(d, p, 0);
      EXPECT_EQ(sorted_ids(d), smallest_until(all, from_entropy, p)) << spread << " " << p;
    }
  }
}

// Every step on random lists with ties and banned tokens, ranked or not: the same set, and never an empty one.
TEST(Steps, give_the_same_set_whatever_the_order_of_the_list) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> logits(1 + random() % 40);
    for (float& logit : logits) logit = random() % 5 == 0 ? -kInfinity : static_cast<float>(random() % 12) / 2;
    logits[random() % logits.size()] = 1;
    const auto steps = {+[](Candidates& c) { top_k(c, 7); },           +[](Candidates& c) { top_p(c, 0.8, 2); },
                        +[](Candidates& c) { min_p(c, 0.2, 2); },      +[](Candidates& c) { typical(c, 0.6, 1); },
                        +[](Candidates& c) { top_n_sigma(c, 1.0); },   +[](Candidates& c) { xtc(c, 0.1, 1); },
                        +[](Candidates& c) { temperature(c, 0.7); },   +[](Candidates& c) { mirostat_1_cut(c, 3.0, 100); },
                        +[](Candidates& c) { mirostat_2_cut(c, 3.0); }};
    for (const auto step : steps) {
      Candidates by_id = list_of(logits);
      Candidates ranked = list_of(logits);
      ranked.rank();
      step(by_id);
      step(ranked);
      EXPECT_EQ(sorted_ids(by_id), sorted_ids(ranked));
      EXPECT_GE(by_id.size(), 1u);
      EXPECT_TRUE(std::is_sorted(ranked.items.begin(), ranked.items.end(), ranks_before));
      EXPECT_TRUE(by_id.is_ranked || ids(by_id) == sorted_ids(by_id));
    }
  }
}

}  // namespace
}  // namespace puna::sample
