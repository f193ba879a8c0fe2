// The real models say what the reference says.
#include "e2e/golden.h"

#include <algorithm>
#include <cmath>

namespace puna::e2e {
namespace {

class Golden : public testing::TestWithParam<RealModel> {};
INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(real_models()), test_name);

// The first step at which the greedy texts part; their length where they do not.
std::size_t parting(const std::vector<TokenId>& found, const std::vector<TokenId>& wanted) {
  return static_cast<std::size_t>(std::ranges::mismatch(found, wanted).in1 - found.begin());
}

TEST_P(Golden, TokenIdsAreEqual) {
  engine::Options options = options_for(GetParam());
  const auto engine = load(options);
  for (const Prompt& prompt : prompts(GetParam())) EXPECT_EQ(engine->tokenizer().encode(prompt.text), prompt.ids) << prompt.name;
}

TEST_P(Golden, TheExactPathIsTheReferenceToRounding) {
  engine::Options options = options_for(GetParam());
  options.exact = true;
  const auto engine = load(options);
  for (const Prompt& prompt : prompts(GetParam())) {
    const auto score = engine->score(prompt.ids, 40);
    ASSERT_TRUE(score.has_value()) << score.error().message;
    ASSERT_EQ(score->nll.size(), prompt.nll.size());
    for (std::size_t i = 0; i < prompt.nll.size(); ++i)
      ASSERT_NEAR(score->nll[i], prompt.nll[i], 2e-3) << prompt.name << ", token " << i + 1;
    for (const auto& [id, logit] : prompt.top) {
      const auto found = std::ranges::find(score->top, id, &std::pair<TokenId, float>::first);
      ASSERT_NE(found, score->top.end()) << prompt.name << ", token " << id;
      EXPECT_NEAR(found->second, logit, 5e-3) << prompt.name << ", token " << id;
    }
    const auto text = greedy(*engine, prompt.ids);
    const std::size_t step = parting(text, prompt.greedy);
    if (step < prompt.greedy.size()) {
      EXPECT_LT(prompt.margin[step], 0.01) << prompt.name << ", step " << step;
    }
  }
}

TEST_P(Golden, TheFastPathIsNoFartherThanThePeer) {
  const auto engine = load(options_for(GetParam()));
  double sum = 0, largest = 0;
  const auto all = prompts(GetParam());
  for (const Prompt& prompt : all) {
    const auto score = engine->score(prompt.ids, 1);
    ASSERT_TRUE(score.has_value()) << score.error().message;
    double distance = 0;
    for (std::size_t i = 1; i < prompt.nll.size(); ++i) distance += std::abs(score->nll[i] - prompt.nll[i]);
    distance /= static_cast<double>(prompt.nll.size() - 1);
    std::printf("%s: mean |nll difference| %.4f\n", prompt.name.c_str(), distance);
    sum += distance;
    largest = std::max(largest, distance);

    // Where the reference is sure of itself, the greedy text is the same.
    const auto unsure = std::ranges::find_if(prompt.margin, [](double margin) { return margin < 1.0; });
    EXPECT_GE(parting(greedy(*engine, prompt.ids), prompt.greedy), static_cast<std::size_t>(unsure - prompt.margin.begin()))
        << prompt.name;
  }
  std::printf("mean over prompts %.4f, largest %.4f\n", sum / static_cast<double>(all.size()), largest);
  EXPECT_LE(largest, GetParam().fast.largest_prompt);
  EXPECT_LE(sum / static_cast<double>(all.size()), GetParam().fast.mean_over_prompts);
}

}  // namespace
}  // namespace puna::e2e
