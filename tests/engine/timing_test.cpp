// Timing: which tokens are computed, what is refused, and what tokens cost.
#include <gmock/gmock.h>

#include "engine/processor.h"
#include "engine/tiny_models.h"

namespace puna::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::unique_ptr<Engine> load_for(const std::string& name, std::int64_t n_ctx, std::int64_t n_sequences = 1,
                                 std::int64_t n_ubatch = 32) {
  Options options = tiny_options(name);
  options.n_ctx = n_ctx;
  options.n_ubatch = n_ubatch;
  options.n_sequences = n_sequences;
  return load_or_fail(options);
}

std::uint64_t tensor_bytes(const Engine& engine) {
  std::uint64_t bytes = 0;
  for (const gguf::TensorInfo& tensor : engine.file().tensors()) bytes += tensor.bytes;
  return bytes;
}

TEST(Timing, PromptAndGenerationHaveTimesOfTheirOwn) {
  const auto engine = load_for("llama", 128);
  const auto times = engine->time_tokens({.n_prompt = 32, .n_gen = 8});
  ASSERT_TRUE(times.has_value());
  EXPECT_GT(times->prompt_seconds, 0);
  EXPECT_GT(times->generation_seconds, 0);
  const auto longer = engine->time_tokens({.n_prompt = 0, .n_gen = 100});
  ASSERT_TRUE(longer.has_value());
  EXPECT_LT(longer->prompt_seconds, longer->generation_seconds);
}

TEST(Timing, AContextThatJustHoldsItIsEnough) {
  for (const std::string& name : tiny_names()) {
    for (const bool shared : {false, true})
      for (const std::int64_t n_ubatch : {1, 7, 64}) {
        const auto engine = load_for(name, 5 * (50 + 33 + 9), 5, n_ubatch);
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          const auto times = engine->time_tokens(
              {.n_sequences = 5, .n_depth = 50, .n_prompt = 33, .n_gen = 9, .shared_prompt = shared, .seed = seed});
          EXPECT_TRUE(times.has_value()) << name << " " << n_ubatch << ": " << (times ? "" : times.error().message);
        }
      }
  }
}

TEST(Timing, RefusesWhatDoesNotFit) {
  const auto engine = load_for("llama", 64, 2);
  EXPECT_THAT(engine->time_tokens({.n_depth = 30, .n_prompt = 30, .n_gen = 5}).error().message,
              AllOf(HasSubstr("65 tokens"), HasSubstr("64 positions")));
  EXPECT_THAT(engine->time_tokens({.n_sequences = 3, .n_gen = 1}).error().message, HasSubstr("3 sequences"));
  EXPECT_THAT(engine->time_tokens({.n_prompt = -1}).error().message, HasSubstr("-1 tokens"));
  EXPECT_TRUE(engine->time_tokens({.n_depth = 30, .n_prompt = 30, .n_gen = 4}).has_value());
}

TEST(Timing, StopsWhenAskedAndLeavesTheEngineAsItWas) {
  const auto engine = load_for("llama", 128);
  const std::vector<TokenId> before = complete_or_fail(*engine, greedy({1, 7, 9}, 16)).tokens;
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = engine->time_tokens({.n_prompt = 64, .n_gen = 4}, stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  ASSERT_TRUE(engine->time_tokens({.n_depth = 40, .n_prompt = 64, .n_gen = 4}).has_value());
  EXPECT_EQ(complete_or_fail(*engine, greedy({1, 7, 9}, 16)).tokens, before);
}

TEST(Timing, ATokenReadsEveryWeightButTheEmbedding) {
  const auto untied = load_for("llama", 64);
  ASSERT_TRUE(untied->file().find_tensor("output.weight"));
  EXPECT_EQ(untied->token_costs().weight_bytes, tensor_bytes(*untied) - untied->file().find_tensor("token_embd.weight")->bytes);
}

TEST(Timing, AnEmbeddingThatIsTheHeadTooIsReadOnce) {
  const auto tied = load_for("gemma3", 64);
  ASSERT_FALSE(tied->file().find_tensor("output.weight"));
  EXPECT_EQ(tied->token_costs().weight_bytes, tensor_bytes(*tied));
  const gguf::TensorInfo& head = *tied->file().find_tensor("token_embd.weight");
  EXPECT_EQ(tied->token_costs().head_products, static_cast<std::uint64_t>(head.ne[0] * head.ne[1]));
}

TEST(Timing, ATokenReadsTheKeysAndValuesThatItSees) {
  const auto full = load_for("llama", 128)->token_costs();
  EXPECT_EQ(full.cache_bytes(99), 100 * full.cache_bytes(0));
  const auto engine = load_for("mistral-window", 256);
  const auto windowed = engine->token_costs();
  const std::int64_t window = windowed.layers.front().window;
  ASSERT_GT(window, 0);
  EXPECT_EQ(windowed.cache_bytes(window - 1), windowed.cache_bytes(200));
  EXPECT_LT(windowed.cache_bytes(window - 2), windowed.cache_bytes(200));
}

TEST(Timing, TheCacheHasTheTypeThatWasAskedFor) {
  Options options = tiny_options("llama");
  const std::uint64_t half = load_or_fail(options)->token_costs().cache_bytes(0);
  options.cache = {tensor::DType::F32, tensor::DType::F32};
  EXPECT_EQ(load_or_fail(options)->token_costs().cache_bytes(0), 2 * half);
}

TEST(Ceilings, AreThoseOfTheKernelsNamed) {
  const auto found = measure_ceilings("scalar", 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->isa, "scalar");
  EXPECT_EQ(found->n_threads, 1);
  EXPECT_FALSE(measure_ceilings("altivec").has_value());
}

}  // namespace
}  // namespace puna::engine
