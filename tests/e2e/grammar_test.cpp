// Masks over real vocabularies say what trying every token says.
#include <random>

#include "e2e/golden.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"
#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/json_schema.h"

namespace puna::e2e {
namespace {

using namespace text::grammar;

class RealMasks : public testing::TestWithParam<RealModel> {};
INSTANTIATE_TEST_SUITE_P(Models, RealMasks, testing::ValuesIn(real_models()), test_name);

const char* const kJson = R"gbnf(
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ws ("," ws string ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)?
ws ::= [ \n\t]*
)gbnf";

std::vector<Grammar> grammars() {
  const Value schema =
      json::parse(R"({"type":"object","properties":{"name":{"type":"string","maxLength":40},"tags":{"type":"array",
    "items":{"enum":["a","bc","élan"]}},"n":{"type":"integer","minimum":-5,"maximum":1200}}})")
          .value();
  return {parse_gbnf(kJson).value(),
          parse_gbnf("root ::= e\ne ::= e [-+] t | t\nt ::= \"(\" e \")\" | [0-9]+ | [a-zé中]+").value(),
          parse_gbnf("root ::= ([^\\n\"]{1,50} \"\\n\" | \"\\\"\" root \"\\\"\")*").value(), json_schema_grammar(schema).value()};
}

void compare(const text::Tokenizer& tokenizer, TokenMatcher& matcher, TokenMatcher& probe, int n_steps, unsigned seed) {
  std::mt19937 random(seed);
  for (int step = 0; step < n_steps && matcher.goes_on(); ++step) {
    const TokenMask* const mask = matcher.mask().value();
    std::vector<TokenId> allowed, expected;
    mask->for_each([&](TokenId id) { allowed.push_back(id); });
    for (std::size_t i = 0; i < tokenizer.size(); ++i) {
      const auto id = static_cast<TokenId>(i);
      if (!probe.accept(id).value()) continue;
      expected.push_back(id);
      probe.take_back(1);
    }
    ASSERT_EQ(allowed, expected) << step;
    std::erase_if(allowed, [&](TokenId id) { return tokenizer.is_eog(id); });
    const TokenId next = allowed[random() % allowed.size()];
    ASSERT_TRUE(matcher.accept(next).value() && probe.accept(next).value());
  }
}

TEST_P(RealMasks, SayWhatTryingEveryTokenSays) {
  const auto file = gguf::File::open(model_path(GetParam()), {.metadata_only = true}).value();
  const auto tokenizer = model::load_tokenizer(file).value();
  const auto trie = TokenTrie::make(*tokenizer);
  for (const Grammar& grammar : grammars()) {
    const auto constraint = Constraint::make(grammar, *tokenizer, trie).value();
    for (unsigned seed = 0; seed < 2; ++seed) {
      TokenMatcher matcher(constraint), probe(constraint);
      compare(*tokenizer, matcher, probe, 25, seed);
    }
  }
}

}  // namespace
}  // namespace puna::e2e
