// A real model among company: eight copies of a prompt among thirty other texts, in each type of cache.
#include "engine/crowd.h"

#include "e2e/golden.h"

namespace puna::e2e {
namespace {

using tensor::DType;

TEST(Crowd, EightCopiesAmongThirtyOthersAnswerAsOneAlone) {
  const RealModel small = real_models().front();
  std::vector<TokenId> prompt = prompts(small).front().ids;
  prompt.resize(std::min<std::size_t>(prompt.size(), 24));
  const auto all = engine::eight_among_thirty(prompt);
  for (const engine::CacheTypes& types :
       {engine::CacheTypes{DType::F16, DType::F16}, {DType::Q8_0, DType::Q8_0}, {DType::BF16, DType::Q4_0}}) {
    engine::CrowdOptions options{.model = model_path(small), .cache = types};
    const engine::CrowdAnswer alone = engine::Crowd(options).answer({prompt}, 3).front();
    options.n_ubatch = 64;
    engine::Crowd crowd(options);
    for (const char* cache : {"cold", "warm"}) {
      const auto answers = crowd.answer(all, 3);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (engine::is_copy(i)) {
          ASSERT_TRUE(answers[i] == alone) << tensor::name(types.k) << " and " << tensor::name(types.v) << ", " << cache
                                           << ", copy " << i;
        }
    }
  }
}

}  // namespace
}  // namespace puna::e2e
