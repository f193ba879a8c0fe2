// Answers that a grammar binds: always the grammar's, and the same as if every token had been drawn from all logits by its mask.
#include <gmock/gmock.h>

#include "engine/tiny_models.h"
#include "sample/chain.h"
#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/matcher.h"

namespace puna::engine {
namespace {

using testing::HasSubstr;

std::unique_ptr<Engine> engine_of(std::int64_t n_ctx = 256) {
  Options options = tiny_options("llama");
  options.n_ctx = n_ctx;
  return load_or_fail(options);
}

std::shared_ptr<const text::grammar::Constraint> constraint(const Engine& engine, const std::string& gbnf) {
  auto made = engine.constraint(text::grammar::parse_gbnf(gbnf).value());
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : nullptr;
}

Request request(const Engine& engine, const std::string& gbnf, std::uint64_t seed = 1) {
  Request request;
  request.prompt = expected("llama").ids;
  request.prompt.resize(10);
  request.sampling.seed = seed;
  request.sampling.temp = 1.5f;
  request.n_predict = 60;
  request.constraint = constraint(engine, gbnf);
  return request;
}

const char* const kList = "root ::= \"[\" (item (\", \" item)*)? \"]\"\nitem ::= [0-9]{1,3} | root | \"\\x01\\x02\\x03\\x04\"";

TEST(Constraint, AnswersAreTheGrammars) {
  const auto engine = engine_of();
  int n_met = 0;
  for (const char* gbnf :
       {kList, "root ::= [a-c]{3,7} \"!\"", "root ::= \"yes\" | \"no\"", "root ::= [^x]{10,20}", "root ::= \"\""})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Completion answer = complete_or_fail(*engine, request(*engine, gbnf, seed));
      const auto automaton = text::grammar::compile(*text::grammar::parse_gbnf(gbnf)).value();
      const std::string text = engine->tokenizer().decode(answer.tokens, true);
      auto matcher = text::grammar::Matcher::make(automaton).value();
      EXPECT_TRUE(*matcher.accept(text)) << gbnf << "\n" << text;
      if (answer.finish != Finish::length) {
        EXPECT_TRUE(matcher.is_complete()) << gbnf << "\n" << text;
      }
      if (answer.finish == Finish::constraint_met) {
        ++n_met;
        EXPECT_FALSE(matcher.goes_on());
        for (const TokenId id : answer.tokens) EXPECT_FALSE(engine->tokenizer().is_eog(id));
      }
    }
  EXPECT_GE(n_met, 24);
}

// Each token drawn anew from the logits that a plain pass over prompt and answer computes.
void expect_drawn(const Request& request, const Completion& answer) {
  const auto engine = engine_of();
  std::vector<TokenId> all = request.prompt;
  all.insert(all.end(), answer.tokens.begin(), answer.tokens.end());
  const auto logits = all_logits(*engine, all);
  sample::Chain chain(request.sampling, logits[0].size(), [&](TokenId id) { return engine->tokenizer().token_bytes(id); });
  for (const TokenId id : request.prompt) chain.accept(id);
  text::grammar::TokenMatcher matcher(request.constraint, request.prompt.back());
  for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
    const std::size_t position = request.prompt.size() + i;
    ASSERT_EQ(chain.sample(logits[position - 1], position, matcher.mask().value()).value(), answer.tokens[i]) << i;
    chain.accept(answer.tokens[i]);
    ASSERT_TRUE(matcher.accept(answer.tokens[i]).value());
  }
}

TEST(Constraint, TokensWithoutAChoiceChangeNothing) {
  const auto engine = engine_of();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Request one = request(*engine, kList, seed);
    expect_drawn(one, complete_or_fail(*engine, one));
    one.sampling.mirostat = 2;
    expect_drawn(one, complete_or_fail(*engine, one));
    one.sampling.mirostat = 0;
    one.sampling.temp = 0;
    expect_drawn(one, complete_or_fail(*engine, one));
    one.sampling.repeat_penalty = 1.5f;
    one.sampling.logit_bias = {{static_cast<TokenId>('['), 3.0f}};
    expect_drawn(one, complete_or_fail(*engine, one));
  }
}

TEST(Constraint, TokensWithoutAChoiceNeedNoForwardPass) {
  const auto engine = engine_of();
  const Request one = request(*engine, "root ::= \"\\x01\\x02\\x03\\x04\"");
  const Completion answer = complete_or_fail(*engine, one);
  EXPECT_EQ(answer.finish, Finish::constraint_met);
  EXPECT_EQ(engine->tokenizer().decode(answer.tokens), "\x01\x02\x03\x04");
  Request again = one;
  again.constraint = nullptr;
  again.n_predict = 1;
  EXPECT_EQ(complete_or_fail(*engine, again).timings.n_cached, 0);  // not even the prompt was computed
}

TEST(Constraint, TokensWithoutAChoiceCountAndAreToldLikeOthers) {
  const auto engine = engine_of();
  Request one = request(*engine, "root ::= \"\\x01\\x02\\x03\\x04\"");
  one.n_predict = 3;
  EXPECT_EQ(complete_or_fail(*engine, one).finish, Finish::length);
  EXPECT_EQ(complete_or_fail(*engine, one).tokens.size(), 3u);
  int seen = 0;
  const auto stopped = engine->complete(one, [&](TokenId) { return ++seen < 2; });
  EXPECT_EQ(stopped.value().finish, Finish::stopped);
  EXPECT_EQ(stopped->tokens.size(), 2u);
}

TEST(Constraint, TellsWhetherTheAnswerIsWhole) {
  const auto engine = engine_of();
  const auto is_complete = [&](const char* gbnf, std::int64_t n_predict) {
    Request one = request(*engine, gbnf);
    one.n_predict = n_predict;
    return complete_or_fail(*engine, one).is_complete;
  };
  EXPECT_TRUE(is_complete("root ::= [a-c]{4}", 60));
  EXPECT_FALSE(is_complete("root ::= [a-c]{4}", 3));
  EXPECT_TRUE(is_complete("root ::= [a-c]{2,4}", 3));
  EXPECT_FALSE(is_complete("root ::= [a-c]", 0));
  EXPECT_TRUE(is_complete("root ::= [a-c]?", 0));
}

TEST(Constraint, AnEndTokenInTheMiddleOfAGrammarEndsNothing) {
  const auto engine = engine_of();
  const std::string end = fmt::format("<[{}]>", engine->tokenizer().eog_tokens()[0]);
  const Completion whole = complete_or_fail(*engine, request(*engine, "root ::= " + end + " \"ab\""));
  EXPECT_EQ(whole.tokens.size(), 3u);
  EXPECT_EQ(whole.finish, Finish::constraint_met);
  const Completion last = complete_or_fail(*engine, request(*engine, "root ::= \"ab\" " + end));
  EXPECT_EQ(last.finish, Finish::end_token);
  EXPECT_TRUE(last.is_complete);
}

TEST(Constraint, EndsWithAFullContextOrGoesOnByAShift) {
  const auto engine = engine_of(64);
  Request one = request(*engine, "root ::= (\"\\x01\\x02\\x03\\x04\" [ab])*");
  one.n_predict = 200;
  one.stop_at_end = one.ban_end = true;
  const Completion full = complete_or_fail(*engine, one);
  EXPECT_EQ(full.finish, Finish::context_full);
  EXPECT_EQ(full.tokens.size(), 55u);
  one.context_shift = true;
  const Completion answer = complete_or_fail(*engine, one);
  EXPECT_EQ(answer.tokens.size(), 200u);
  EXPECT_GT(answer.timings.n_context_shifts, 0);
  EXPECT_EQ(complete_or_fail(*engine, one).tokens, answer.tokens);
}

TEST(Constraint, ABanOfWhatTheGrammarAsksForIsAnError) {
  const auto engine = engine_of();
  Request one = request(*engine, "root ::= \"\\x01\"");
  one.sampling.logit_bias = {{*engine->tokenizer().find("ā"), -std::numeric_limits<float>::infinity()}};  // the byte 0x01
  const auto answer = engine->complete(one);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("those that the grammar allows here are banned"));
}

TEST(Constraint, NamesTokensOfTheModel) {
  const auto engine = engine_of();
  const auto missing = engine->constraint(text::grammar::parse_gbnf("root ::= <none>").value());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("<none> is no token of this model"));
  EXPECT_TRUE(engine->constraint(text::grammar::parse_gbnf("root ::= <|im_start|> \"a\"").value()));
}

}  // namespace
}  // namespace puna::engine
