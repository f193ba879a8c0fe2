// One prompt has one answer, bit for bit, in every type of cache: alone or in company, cold or from a cached beginning, in steps
// of one token or of many, on one thread or on three, at the start of a text or far into it.
#include "engine/crowd.h"

#include "engine/tiny_models.h"

namespace puna::engine {
namespace {

using tensor::DType;

const CacheTypes kTypes[] = {{DType::F32, DType::F32},   {DType::F16, DType::F16},   {DType::BF16, DType::BF16},
                             {DType::Q8_0, DType::Q8_0}, {DType::Q4_0, DType::Q4_0}, {DType::Q8_0, DType::Q4_0}};

std::string name_of(const CacheTypes& types) {
  return std::string(tensor::name(types.k)) + " keys, " + std::string(tensor::name(types.v)) + " values";
}

class InCompany : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, InCompany, testing::Values("llama", "mistral-window", "gemma3"), [](const auto& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(InCompany, EightCopiesAmongThirtyOthersAnswerAsOneAlone) {
  std::vector<TokenId> prompt = expected(GetParam()).ids;
  prompt.resize(40);
  const auto all = eight_among_thirty(prompt);
  for (const CacheTypes& types : kTypes) {
    CrowdOptions options{.model = tiny_path(GetParam()), .cache = types};
    const CrowdAnswer alone = Crowd(options).answer({prompt}, 4).front();
    for (const std::int64_t n_ubatch : {1, 7, 512})
      for (const int n_threads : {1, 2, 3}) {
        options.n_ubatch = n_ubatch;
        options.n_threads = n_threads;
        Crowd crowd(options);
        for (const char* cache : {"cold", "warm"}) {
          const auto answers = crowd.answer(all, 4);
          for (std::size_t i = 0; i < all.size(); ++i)
            if (is_copy(i)) {
              ASSERT_TRUE(answers[i] == alone)
                  << name_of(types) << ", " << cache << ", copy " << i << ", -ub " << n_ubatch << " -t " << n_threads;
            }
          if (std::string_view(cache) == "warm") {
            ASSERT_GT(answers[0].n_cached, 0u);
          }
        }
      }
  }
}

// Far into a text one sequence's chunks are shared by all threads.
TEST_P(InCompany, ALongTextAnswersAsOnOneThreadTokenByToken) {
  std::vector<TokenId> prompt;
  const std::vector<TokenId> text = expected(GetParam()).ids;
  for (std::size_t i = 0; i < 700; ++i) prompt.push_back(text[(i * i / 7 + i) % text.size()]);
  for (const CacheTypes& types : kTypes) {
    CrowdOptions options{.model = tiny_path(GetParam()), .cache = types, .n_threads = 1, .n_ubatch = 1};
    const CrowdAnswer wanted = Crowd(options).answer({prompt}, 8).front();
    for (const std::int64_t n_ubatch : {7, 512})
      for (const int n_threads : {1, 2, 3}) {
        options.n_ubatch = n_ubatch;
        options.n_threads = n_threads;
        ASSERT_TRUE(Crowd(options).answer({prompt}, 8).front() == wanted)
            << name_of(types) << ", -ub " << n_ubatch << " -t " << n_threads;
      }
  }
}

}  // namespace
}  // namespace puna::engine
