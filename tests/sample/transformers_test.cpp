// The steps that Hugging Face transformers has too, against what it keeps (tools/make_sample_cases.py).
#include <gtest/gtest.h>

#include "base/os.h"
#include "base/value.h"
#include "sample/lists.h"
#include "sample/penalties.h"
#include "sample/steps.h"

namespace puna::sample {
namespace {

double number(const Value& value) { return value.if_int() ? static_cast<double>(*value.if_int()) : *value.if_double(); }

std::vector<float> floats(const Value& array) {
  std::vector<float> result;
  for (const Value& item : *array.if_array()) result.push_back(static_cast<float>(number(item)));
  return result;
}

void apply(const std::string& name, double value, const Value& history, Candidates& candidates) {
  if (name == "top_k") return top_k(candidates, static_cast<std::size_t>(value));
  if (name == "top_p") return top_p(candidates, value, 0);
  if (name == "min_p") return min_p(candidates, value, 0);
  if (name == "typ_p") return typical(candidates, value, 0);
  if (name == "temperature") return temperature(candidates, value);
  ASSERT_EQ(name, "penalties");
  Penalties penalties(Params{.repeat_penalty = static_cast<float>(value)});
  for (const Value& token : *history.if_array()) penalties.accept(static_cast<TokenId>(*token.if_int()));
  penalties.apply(candidates);
}

TEST(Steps, keep_and_change_what_transformers_does) {
  const auto text = os::read_file(PUNA_TEST_DATA "/sample/transformers_cases.json");
  ASSERT_TRUE(text);
  const auto cases = json::parse(*text);
  ASSERT_TRUE(cases);
  int n_checked = 0;
  for (const Value& sample_case : *cases->if_array()) {
    for (const Value& step : *sample_case.find("steps")->if_array()) {
      const std::string& name = *step.find("name")->if_string();
      const double value = number(*step.find("value"));
      Candidates candidates = list_of(floats(*sample_case.find("logits")));
      apply(name, value, *sample_case.find("history"), candidates);
      ++n_checked;
      if (const Value* kept = step.find("kept")) {
        std::vector<TokenId> expected;
        for (const Value& id : *kept->if_array()) expected.push_back(static_cast<TokenId>(*id.if_int()));
        EXPECT_EQ(sorted_ids(candidates), expected) << name << " " << value << " case " << n_checked;
      } else {
        const std::vector<float> expected = floats(*step.find("logits"));
        ASSERT_EQ(candidates.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(candidates.items[i].logit, expected[i], 1e-5) << name;
      }
    }
  }
  EXPECT_GT(n_checked, 150);
}

}  // namespace
}  // namespace puna::sample
