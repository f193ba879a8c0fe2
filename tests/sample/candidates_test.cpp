#include "sample/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "base/check.h"

namespace puna::sample {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Top, is_sorted_and_puts_the_lower_id_first_among_equals) {
  const std::vector<float> logits = {1, 3, 2, 3, -kInfinity};
  EXPECT_THAT(top(logits, 3), ElementsAre(Candidate{1, 3}, Candidate{3, 3}, Candidate{2, 2}));
  EXPECT_THAT(top(logits, 0), IsEmpty());
  EXPECT_EQ(top(logits, 99).size(), 5u);
  EXPECT_EQ(top(logits, 99).back(), (Candidate{4, -kInfinity}));
}

TEST(Top, equals_a_full_sort_whatever_the_number_asked_for) {
  std::mt19937 random(5);
  std::vector<float> logits(1000);
  for (float& logit : logits) logit = static_cast<float>(random() % 50);  // many ties
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < logits.size(); ++i) all.push_back({static_cast<TokenId>(i), logits[i]});
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return std::pair(-a.logit, a.id) < std::pair(-b.logit, b.id); });
  for (const std::size_t n : {1u, 2u, 40u, 124u, 126u, 500u, 1000u}) {
    EXPECT_EQ(top(logits, n), std::vector<Candidate>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n))) << n;
  }
}

TEST(Argmax, is_the_lowest_of_equals) {
  EXPECT_EQ(argmax(std::vector<float>{1, 3, 3, 2}), 1);
  EXPECT_EQ(argmax(std::vector<float>{-kInfinity, -5}), 1);
  EXPECT_EQ(argmax(std::vector<float>{-kInfinity, -kInfinity}), 0);
}

TEST(LogSoftmax, is_of_the_raw_logits) {
  const std::vector<float> logits = {1, 3, 2};
  EXPECT_NEAR(log_softmax_at(logits, 1), -0.4076059644, 1e-9);
  EXPECT_NEAR(log_softmax_at(logits, 2), -1.4076059644, 1e-9);
  EXPECT_NEAR(log_softmax_at(logits, 0), -2.4076059644, 1e-9);
  EXPECT_THROW(log_softmax_at(logits, 3), Bug);
}

TEST(LogSoftmax, holds_for_large_logits_and_banned_tokens) {
  EXPECT_NEAR(log_softmax_at(std::vector<float>{1e6f, 1e6f}, 0), -std::log(2.0), 1e-9);
  EXPECT_NEAR(log_softmax_at(std::vector<float>{-1e6f, -kInfinity}, 0), 0.0, 1e-12);
  EXPECT_EQ(log_softmax_at(std::vector<float>{0, -kInfinity}, 1), -std::numeric_limits<double>::infinity());
}

TEST(LogSoftmax, loses_nothing_in_a_large_vocabulary) {
  const std::vector<float> logits(262'144, 0.1f);  // added up in float, these would be off by far more
  EXPECT_NEAR(log_softmax_at(logits, 0), -std::log(262'144.0), 1e-10);
}

TEST(Candidates, keep_their_order_when_filtered) {
  Candidates c{.items = {{0, 1}, {1, 5}, {2, 3}, {3, 4}}, .is_ranked = false, .is_complete = true};
  c.filter([](const Candidate& x, std::size_t) { return x.logit > 2; });
  EXPECT_THAT(c.items, ElementsAre(Candidate{1, 5}, Candidate{2, 3}, Candidate{3, 4}));
  EXPECT_FALSE(c.is_complete);
  c.rank();
  EXPECT_THAT(c.items, ElementsAre(Candidate{1, 5}, Candidate{3, 4}, Candidate{2, 3}));
  c.items[0].logit = 0;
  c.logits_changed();
  EXPECT_THAT(c.items, ElementsAre(Candidate{3, 4}, Candidate{2, 3}, Candidate{1, 0}));
  c.keep_top(1);
  EXPECT_THAT(c.items, ElementsAre(Candidate{3, 4}));
}

}  // namespace
}  // namespace puna::sample
