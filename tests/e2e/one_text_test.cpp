// A prompt's greedy text is one text: whatever the threads, the step sizes, the way the file is read, the state of the cache.
#include "e2e/golden.h"

namespace puna::e2e {
namespace {

class OneText : public testing::TestWithParam<RealModel> {};
INSTANTIATE_TEST_SUITE_P(Models, OneText, testing::ValuesIn(real_models()), test_name);

// All prompts; of a large model the long ones only in the long test run, which sets PUNA_FULL.
std::vector<Prompt> prompts_for(const RealModel& model) {
  std::vector<Prompt> all = prompts(model);
  if (model.large && os::environment("PUNA_FULL").empty())
    std::erase_if(all, [](const Prompt& prompt) { return prompt.ids.size() > 1000; });
  return all;
}

std::vector<std::vector<TokenId>> texts(const engine::Options& options, const RealModel& model) {
  const auto engine = load(options);
  std::vector<std::vector<TokenId>> result;
  for (const Prompt& prompt : prompts_for(model)) result.push_back(greedy(*engine, prompt.ids));
  return result;
}

TEST_P(OneText, OnOneThreadOrTwo) {
  engine::Options options = options_for(GetParam());
  options.n_threads = 1;
  const auto one = texts(options, GetParam());
  options.n_threads = 2;
  EXPECT_EQ(texts(options, GetParam()), one);
}

TEST_P(OneText, InStepsOfOneEightOrAll) {
  engine::Options options = options_for(GetParam());
  options.n_ubatch = 512;
  const auto whole = texts(options, GetParam());
  for (std::int64_t n_ubatch : {1, 8}) {
    options.n_ubatch = n_ubatch;
    EXPECT_EQ(texts(options, GetParam()), whole) << "-ub " << n_ubatch;
  }
}

TEST_P(OneText, FromAMappedFileOrAReadOne) {
  engine::Options options = options_for(GetParam());
  const auto mapped = texts(options, GetParam());
  options.file.use_mmap = false;
  EXPECT_EQ(texts(options, GetParam()), mapped);
}

TEST_P(OneText, FromAColdCacheOrAWarmOne) {
  const auto engine = load(options_for(GetParam()));
  for (const Prompt& prompt : prompts_for(GetParam())) {
    engine->clear_cache();
    engine::Timings timings;
    const auto cold = greedy(*engine, prompt.ids, &timings);
    EXPECT_EQ(timings.n_cached, 0) << prompt.name;
    EXPECT_EQ(greedy(*engine, prompt.ids, &timings), cold) << prompt.name;
    EXPECT_EQ(timings.n_cached, static_cast<std::int64_t>(prompt.ids.size()) - 1) << prompt.name;
    // From the middle: a cached half, the rest computed behind it.
    engine->clear_cache();
    greedy(*engine, {prompt.ids.begin(), prompt.ids.begin() + static_cast<std::ptrdiff_t>(prompt.ids.size() / 2)});
    EXPECT_EQ(greedy(*engine, prompt.ids, &timings), cold) << prompt.name;
    EXPECT_GT(timings.n_cached, 0) << prompt.name;
  }
}

}  // namespace
}  // namespace puna::e2e
