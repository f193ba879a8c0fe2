// What a request gets: how it ends, what it may ask, what it is refused.
#include <gmock/gmock.h>

#include "engine/context_shift.h"
#include "engine/tiny_models.h"

namespace puna::engine {
namespace {

using testing::HasSubstr;

std::unique_ptr<Engine> small_context(std::int64_t n_ctx) {
  Options options = tiny_options("llama");
  options.n_ctx = n_ctx;
  return load_or_fail(options);
}

std::vector<TokenId> some_tokens(std::size_t n) {
  std::vector<TokenId> ids = expected("llama").ids;
  while (ids.size() < n) ids.push_back(static_cast<TokenId>(ids.size() % 250));
  ids.resize(n);
  return ids;
}

TEST(Answer, EndsAfterTheNumberOfTokensAskedFor) {
  const auto engine = small_context(128);
  const Completion answer = complete_or_fail(*engine, greedy(some_tokens(10), 7));
  EXPECT_EQ(answer.tokens.size(), 7u);
  EXPECT_EQ(answer.finish, Finish::length);
  EXPECT_EQ(answer.timings.n_prompt, 10);
  EXPECT_EQ(answer.timings.n_generated, 7);
}

TEST(Answer, OfNoTokensIsEmpty) {
  const auto engine = small_context(128);
  EXPECT_TRUE(complete_or_fail(*engine, greedy(some_tokens(10), 0)).tokens.empty());
}

TEST(Answer, EndsWhenTheContextIsFull) {
  const auto engine = small_context(64);
  const Completion answer = complete_or_fail(*engine, greedy(some_tokens(10), -1));
  EXPECT_EQ(answer.finish, Finish::context_full);
  // 64 positions are computed; the token drawn from the last of them needs none.
  EXPECT_EQ(answer.tokens.size(), 55u);
}

TEST(Answer, EndsAtAnEndTokenUnlessToldToGoOn) {
  const auto engine = small_context(128);
  const TokenId end = engine->tokenizer().eos().value();
  Request request = greedy(some_tokens(5), 20);
  request.sampling.logit_bias = {{end, 100.0f}};
  request.stop_at_end = true;
  const Completion stopped = complete_or_fail(*engine, request);
  EXPECT_EQ(stopped.finish, Finish::end_token);
  EXPECT_THAT(stopped.tokens, testing::ElementsAre(end));
  request.stop_at_end = false;
  EXPECT_EQ(complete_or_fail(*engine, request).tokens.size(), 20u);
}

TEST(Answer, NeverHoldsABannedEndToken) {
  const auto engine = small_context(128);
  Request request = greedy(some_tokens(5), 20);
  request.sampling.logit_bias = {{engine->tokenizer().eos().value(), 30.0f}};
  request.stop_at_end = true;
  request.ban_end = true;
  const Completion answer = complete_or_fail(*engine, request);
  EXPECT_EQ(answer.tokens.size(), 20u);
  for (TokenId id : answer.tokens) EXPECT_FALSE(engine->tokenizer().is_eog(id));
}

TEST(Answer, EndsWhenTheListenerHasEnough) {
  const auto engine = small_context(128);
  int seen = 0;
  const auto answer = engine->complete(greedy(some_tokens(5), 50), [&](TokenId) { return ++seen < 4; });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->finish, Finish::stopped);
  EXPECT_EQ(answer->tokens.size(), 4u);
}

TEST(Answer, CanBeStoppedBeforeItsFirstToken) {
  const auto engine = small_context(128);
  std::stop_source source;
  source.request_stop();
  const auto answer = engine->complete(greedy(some_tokens(100), 50), {}, source.get_token());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->finish, Finish::stopped);
  EXPECT_TRUE(answer->tokens.empty());
  EXPECT_EQ(complete_or_fail(*engine, greedy(some_tokens(100), 5)).tokens.size(), 5u);
}

TEST(Answer, IsTheSameAfterOneThatWasStopped) {
  const auto engine = small_context(256);
  const auto fresh = complete_or_fail(*small_context(256), greedy(some_tokens(200), 5)).tokens;
  std::stop_source source;
  Request request = greedy(some_tokens(200), 5);
  const auto stopped = engine->complete(request, [&](TokenId) { return source.request_stop(); }, source.get_token());
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->finish, Finish::stopped);
  EXPECT_EQ(stopped->tokens.size(), 1u);
  EXPECT_EQ(complete_or_fail(*engine, request).tokens, fresh);
}

TEST(Answer, DependsOnTheSeedAndNothingElse) {
  const auto engine = small_context(256);
  Request request = greedy(some_tokens(20), 30);
  request.sampling.temp = 1.5f;
  request.sampling.top_k = 0;
  request.sampling.seed = 1;
  const auto first = complete_or_fail(*engine, request).tokens;
  EXPECT_EQ(complete_or_fail(*engine, request).tokens, first);
  request.sampling.seed = 2;
  EXPECT_NE(complete_or_fail(*engine, request).tokens, first);
}

TEST(Answer, ToAPromptThatDoesNotFitIsAnErrorWithTheNumbers) {
  const auto engine = small_context(64);
  const auto answer = engine->complete(greedy(some_tokens(100), 5));
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message, HasSubstr("100 tokens"));
  EXPECT_THAT(answer.error().message, HasSubstr("64 positions"));
  EXPECT_THAT(answer.error().hint, HasSubstr("-c 101"));
}

TEST(Answer, ToAnEmptyPromptOrToForeignTokensIsAnError) {
  const auto engine = small_context(64);
  EXPECT_THAT(engine->complete(greedy({}, 5)).error().message, HasSubstr("empty"));
  EXPECT_THAT(engine->complete(greedy({1, 2, 1000000}, 5)).error().message, HasSubstr("token 1000000 at place 2"));
  EXPECT_THAT(engine->complete(greedy({-5}, 5)).error().message, HasSubstr("token -5"));
  Request request = greedy({1}, 5);
  request.sampling.temp = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(engine->complete(request).has_value());
}

// --- context shift ---

TEST(ContextShift, KeepsTheStartAndTheNewestHalfOfTheRest) {
  const std::vector<TokenId> tokens{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(shifted(tokens, 8, 2), testing::ElementsAre(0, 1, 6, 7, 8));
  EXPECT_THAT(shifted(tokens, 8, 0), testing::ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(shifted(tokens, 8, 7), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 8));  // at least the newest
}

class ContextShiftKeeping : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Tokens, ContextShiftKeeping, testing::Values(0, 4, 63));

TEST_P(ContextShiftKeeping, GivesExactlyTheTokensAskedFor) {
  const auto engine = small_context(64);
  Request request = greedy(some_tokens(64), 200);
  request.context_shift = true;
  request.n_keep = GetParam();
  const Completion answer = complete_or_fail(*engine, request);
  EXPECT_EQ(answer.tokens.size(), 200u);
  EXPECT_EQ(answer.finish, Finish::length);
  EXPECT_GT(answer.timings.n_context_shifts, 0);
  EXPECT_EQ(complete_or_fail(*engine, request).tokens, answer.tokens);
}

// After a shift the answer is what a fresh engine says to the shifted text: nothing is moved, all is computed again.
TEST_P(ContextShiftKeeping, GoesOnAsARecomputedPromptWould) {
  const std::int64_t keep = GetParam();
  const std::vector<TokenId> prompt = some_tokens(64);
  const auto engine = small_context(64);
  Request request = greedy(prompt, 12);
  request.context_shift = true;
  request.n_keep = keep;
  const Completion answer = complete_or_fail(*engine, request);

  const auto other = small_context(64);
  std::vector<TokenId> tokens = prompt;
  for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
    if (tokens.size() > 64) tokens = shifted(tokens, 64, keep);
    other->clear_cache();
    const Completion one = complete_or_fail(*other, greedy(tokens, 1));
    ASSERT_EQ(one.tokens[0], answer.tokens[i]) << "token " << i;
    tokens.push_back(one.tokens[0]);
  }
}

TEST(ContextShift, TakesAPromptLongerThanTheContext) {
  const auto engine = small_context(64);
  Request request = greedy(some_tokens(100), 5);
  request.context_shift = true;
  EXPECT_EQ(complete_or_fail(*engine, request).tokens.size(), 5u);
}

TEST(ContextShift, RefusesToKeepAWholeContext) {
  const auto engine = small_context(64);
  Request request = greedy(some_tokens(100), 5);
  request.context_shift = true;
  request.n_keep = -1;
  const auto answer = engine->complete(request);
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message, HasSubstr("--keep"));
}

}  // namespace
}  // namespace puna::engine
