// Masks over vocabularies: what they say is what trying each token says.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/matcher.h"
#include "text/tokenizer_support.h"

namespace puna::text::grammar {
namespace {

struct Fixture {
  std::unique_ptr<Tokenizer> tokenizer;
  std::shared_ptr<const TokenTrie> trie;

  std::shared_ptr<const Constraint> constraint(const std::string& gbnf) const {
    auto grammar = parse_gbnf(gbnf);
    EXPECT_TRUE(grammar) << grammar.error().message;
    if (!grammar) return nullptr;
    auto result = Constraint::make(*std::move(grammar), *tokenizer, trie);
    EXPECT_TRUE(result) << gbnf << ": " << result.error().message;
    return result ? *result : nullptr;
  }
};

Fixture fixture(std::unique_ptr<Tokenizer> tokenizer) {
  auto trie = TokenTrie::make(*tokenizer);
  return {std::move(tokenizer), std::move(trie)};
}

// All bytes, some words, parts of characters, and control tokens.
Fixture small() {
  auto v = byte_vocabulary();
  for (const char* word : {"aa", "aaa", "ab",  "abc", "{\"", "\":", "\",\"", "},{", "]]", "true",  "null",  "  ",
                           "12", "1,2", ")))", "((",  "a)",  "\",", "é",     "é\"", "中", "x\xC3", "\xA9y", "\xE4\xB8"}) {
    std::string mapped;
    for (const char c : std::string(word)) mapped += v.tokens[static_cast<unsigned char>(c)];
    add(v, mapped);
  }
  add(v, "<|end|>", TokenKind::control);
  add(v, "<think>", TokenKind::control);
  add(v, "</think>", TokenKind::user_defined);
  v.data.eos = static_cast<std::int64_t>(v.tokens.size()) - 3;
  return fixture(v.make());
}

const char* const kJson = R"(
root ::= value
value ::= object | array | string | number | "true" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" ws
number ::= "-"? [0-9]+ ("." [0-9]+)? ws
ws ::= [ \n]*
)";

const std::vector<std::string>& grammars() {
  static const std::vector<std::string> all = {
      kJson,
      "root ::= [^x]*",
      "root ::= \"(\" root \")\" | \"a\"*",
      "root ::= e\ne ::= e \"+\" t | t\nt ::= \"(\" e \")\" | [a-z]+ | [0-9]+",
      "root ::= [a-cé中]{3,9}",
      "root ::= ([a-z\" ]{2,300} \",\"){1,300}",
      "root ::= (\"a\"*)*",
      "root ::= item*\nitem ::= [^\"]",
      "root ::= a\na ::= n a \"b\" | \"c\" | \"12\"\nn ::= \"1\"?",
      "root ::= <think> !</think>* </think> [a-z]*",
      "root ::= (<[3]> | !<[3]> \"a\" | \"b\")*",
      "root ::= \"\"",
  };
  return all;
}

// One token tried alone, from bytes and without any mask.
bool may_follow(const TokenMatcher& matcher, TokenId token) {
  TokenMatcher copy = matcher;
  const auto accepted = copy.accept(token);
  EXPECT_TRUE(accepted) << accepted.error().message;
  return accepted && *accepted;
}

// Walks at random through a grammar; at each step the mask is what trying every token says. Longer texts by low numbers.
void compare(const Fixture& f, const std::string& gbnf, int n_steps, unsigned seed) {
  const auto constraint = f.constraint(gbnf);
  ASSERT_TRUE(constraint);
  TokenMatcher matcher(constraint);
  std::mt19937 random(seed);
  std::string text;
  for (int step = 0; step < n_steps; ++step) {
    const auto mask = matcher.mask();
    ASSERT_TRUE(mask) << mask.error().message;
    std::vector<TokenId> allowed, going_on;
    (*mask)->for_each([&](TokenId id) { allowed.push_back(id); });
    EXPECT_EQ(allowed.size(), (*mask)->count());
    std::vector<TokenId> expected;
    for (std::size_t i = 0; i < f.tokenizer->size(); ++i) {
      const auto id = static_cast<TokenId>(i);
      if (may_follow(matcher, id)) expected.push_back(id);
      EXPECT_EQ((*mask)->allows(id), !expected.empty() && expected.back() == id) << gbnf << "\nafter '" << text << "': " << id;
      if (!f.tokenizer->is_eog(id) && (*mask)->allows(id)) going_on.push_back(id);
    }
    ASSERT_EQ(allowed, expected) << gbnf << "\nafter '" << text << "'";
    EXPECT_EQ(matcher.goes_on(), !going_on.empty());
    if (going_on.empty()) {
      EXPECT_TRUE(matcher.is_complete());
      return;
    }
    const TokenId next = going_on[random() % going_on.size()];
    text += f.tokenizer->token_text(next);
    ASSERT_TRUE(*matcher.accept(next));
  }
}

TEST(TokenMask, IsWhatTryingEveryTokenSays) {
  const Fixture f = small();
  for (const std::string& gbnf : grammars())
    for (unsigned seed = 0; seed < 6; ++seed) compare(f, gbnf, 30, seed);
}

TEST(TokenMask, AllowsPartsOfCharactersWhereTheyFit) {
  const Fixture f = small();
  const auto constraint = f.constraint("root ::= [é] [中] \"!\"");
  TokenMatcher matcher(constraint);
  EXPECT_TRUE((*matcher.mask())->allows(0xC3));
  EXPECT_FALSE((*matcher.mask())->allows(0xE4));
  ASSERT_TRUE(*matcher.accept(0xC3));
  EXPECT_EQ((*matcher.mask())->count(), 1u);  // 0xA9, and no token that goes on with another letter
  ASSERT_TRUE(*matcher.accept(0xA9));
  const TokenId begun = *f.tokenizer->find("ä¸");  // 0xE4 0xB8, as byte-level vocabularies write them
  EXPECT_TRUE((*matcher.mask())->allows(begun));
}

TEST(TokenMask, EndTokensAreAllowedWhereTheTextIsCompleteAndNoOtherControlTokenEver) {
  const Fixture f = small();
  const TokenId end = *f.tokenizer->eos();
  TokenMatcher matcher(f.constraint("root ::= .*"));
  EXPECT_TRUE((*matcher.mask())->allows(end));
  EXPECT_FALSE((*matcher.mask())->allows(*f.tokenizer->find("<think>")));
  TokenMatcher other(f.constraint("root ::= \"a\" \"b\"?"));
  EXPECT_FALSE((*other.mask())->allows(end));
  EXPECT_FALSE(*other.accept(end));
  ASSERT_TRUE(*other.accept('a'));
  EXPECT_TRUE((*other.mask())->allows(end));
  ASSERT_TRUE(*other.accept('b'));
  EXPECT_FALSE(other.goes_on());
  EXPECT_TRUE(other.is_complete());
  ASSERT_TRUE(*other.accept(end));
  EXPECT_EQ((*other.mask())->count(), 0u);
  EXPECT_FALSE(*other.accept(end));
}

TEST(TokenMask, NamedTokensAreMatchedWhole) {
  const Fixture f = small();
  const TokenId think = *f.tokenizer->find("<think>"), close = *f.tokenizer->find("</think>");
  TokenMatcher matcher(f.constraint("root ::= <think> !</think>* </think> \"a\""));
  EXPECT_EQ((*matcher.mask())->count(), 1u);
  EXPECT_FALSE(*matcher.accept('<'));
  ASSERT_TRUE(*matcher.accept(think));
  ASSERT_TRUE(*matcher.accept('x'));
  EXPECT_FALSE((*matcher.mask())->allows(*f.tokenizer->eos()));
  ASSERT_TRUE(*matcher.accept(close));
  ASSERT_TRUE(*matcher.accept('a'));
  EXPECT_TRUE(matcher.is_complete());
  EXPECT_FALSE(Constraint::make(*parse_gbnf("root ::= <none>"), *f.tokenizer, f.trie));
  EXPECT_FALSE(Constraint::make(*parse_gbnf("root ::= <[100000]>"), *f.tokenizer, f.trie));
}

// Where the vocabulary adds a space before a text, the first token's own is not shown, so the grammar does not see it.
TEST(TokenMask, ASpaceThatIsNotShownIsNotMatched) {
  OwnedVocabulary v = piece_vocabulary();
  for (const char* text : {"▁a", "a", "▁", "▁▁a", "b"}) add(v, text);
  const Fixture f = fixture(v.make());
  const TokenId spaced = *f.tokenizer->find("▁a"), plain = *f.tokenizer->find("a"), space = *f.tokenizer->find("▁"),
                twice = *f.tokenizer->find("▁▁a");
  TokenMatcher matcher(f.constraint("root ::= \"a\" \" a\""));
  EXPECT_TRUE((*matcher.mask())->allows(spaced));
  EXPECT_TRUE((*matcher.mask())->allows(plain));
  EXPECT_FALSE((*matcher.mask())->allows(space));
  EXPECT_FALSE((*matcher.mask())->allows(twice));
  ASSERT_TRUE(*matcher.accept(spaced));
  EXPECT_TRUE((*matcher.mask())->allows(spaced));
  EXPECT_FALSE((*matcher.mask())->allows(plain));
  TokenMatcher behind(f.constraint("root ::= \"a\" \" a\""), plain);  // goes on with a text
  EXPECT_FALSE((*behind.mask())->allows(spaced));
  EXPECT_TRUE((*behind.mask())->allows(plain));
  for (unsigned seed = 0; seed < 4; ++seed) compare(f, "root ::= [ ab]{1,5}", 10, seed);
}

TEST(TokenMask, TokensAreTakenBack) {
  const Fixture f = small();
  TokenMatcher matcher(f.constraint(kJson));
  std::vector<std::vector<TokenId>> masks;
  const auto mask = [&] {
    std::vector<TokenId> allowed;
    (*matcher.mask())->for_each([&](TokenId id) { allowed.push_back(id); });
    return allowed;
  };
  const std::string text = "[{\"a\":[1,2,{\"b\":[]}]},\"x\"]";
  for (const char c : text) {
    masks.push_back(mask());
    ASSERT_TRUE(*matcher.accept(static_cast<unsigned char>(c)));
  }
  EXPECT_TRUE(matcher.is_complete());
  for (std::size_t n = text.size(); n > 0; --n) {
    matcher.take_back(1);
    EXPECT_EQ(mask(), masks[n - 1]) << n;
  }
  ASSERT_TRUE(*matcher.accept('['));
  matcher.take_back(1);
  EXPECT_EQ(mask(), masks[0]);
}

TEST(TokenMask, AnswersAtTheSameTimeDoNotMeet) {
  const Fixture f = small();
  const auto constraint = f.constraint(kJson);
  const std::string text = "[{\"a\":[1,2,{\"b\":[true,null]}]},\"x\\u00e9é\"]";
  const auto run = [&] {
    std::vector<std::size_t> counts;
    TokenMatcher matcher(constraint);
    for (const char c : text) {
      counts.push_back((*matcher.mask())->count());
      EXPECT_TRUE(*matcher.accept(static_cast<unsigned char>(c)));
    }
    return counts;
  };
  const auto expected = run();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) EXPECT_EQ(run(), expected);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace puna::text::grammar
