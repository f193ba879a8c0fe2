// Every family and position scheme against transformers, on random tiny models.
#include <algorithm>
#include <cmath>

#include "engine/tiny_models.h"

namespace puna::engine {
namespace {

class Families : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(tiny_names()), [](const auto& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(Families, ExactLogitsAreThoseOfTransformers) {
  Options options = tiny_options(GetParam());
  options.exact = true;
  const auto engine = load_or_fail(options);
  const Expected want = expected(GetParam());
  const auto rows = all_logits(*engine, want.ids);
  ASSERT_EQ(rows.size(), want.ids.size());
  for (std::size_t i = 0; i < want.rows.size(); ++i)
    for (std::size_t token = 0; token < want.logits[i].size(); ++token)
      ASSERT_NEAR(rows[want.rows[i]][token], want.logits[i][token], 5e-5) << "row " << want.rows[i] << ", token " << token;
}

TEST_P(Families, ExactScoresAreThoseOfTransformers) {
  Options options = tiny_options(GetParam());
  options.exact = true;
  const auto engine = load_or_fail(options);
  const Expected want = expected(GetParam());
  const auto score = engine->score(want.ids, 10);
  ASSERT_TRUE(score.has_value()) << score.error().message;
  ASSERT_EQ(score->nll.size(), want.nll.size());
  for (std::size_t i = 0; i < want.nll.size(); ++i) EXPECT_NEAR(score->nll[i], want.nll[i], 5e-5) << "token " << i + 1;
  ASSERT_EQ(score->top.size(), 10u);
  for (const auto& [id, logit] : score->top) EXPECT_NEAR(logit, want.logits.back()[static_cast<std::size_t>(id)], 5e-5);
  for (std::size_t i = 1; i < score->top.size(); ++i) EXPECT_GE(score->top[i - 1].second, score->top[i].second);
}

TEST_P(Families, TheFastPathStaysNearby) {
  const auto engine = load_or_fail(tiny_options(GetParam()));
  const Expected want = expected(GetParam());
  const auto score = engine->score(want.ids, 1);
  ASSERT_TRUE(score.has_value()) << score.error().message;
  double sum = 0;
  for (std::size_t i = 0; i < want.nll.size(); ++i) sum += std::abs(score->nll[i] - want.nll[i]);
  // Random weights have no margins: about 0.02 was seen, a wrong head or a lost bias costs 1 and more.
  EXPECT_LT(sum / static_cast<double>(want.nll.size()), 0.08);
}

}  // namespace
}  // namespace puna::engine
