// WordPiece: what BERT's vocabularies make of a text.
#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::ElementsAre;

struct Bert {
  OwnedVocabulary v;
  TokenId unk, cls, sep;
  std::unique_ptr<Tokenizer> tokenizer;

  explicit Bert(std::initializer_list<const char*> words, bool lowercase = true) {
    v.data.model = "bert";
    unk = add(v, "[UNK]", TokenKind::control);
    cls = add(v, "[CLS]", TokenKind::control);
    sep = add(v, "[SEP]", TokenKind::control);
    for (const char* word : words) add(v, word);
    if (!lowercase) v.data.lowercase = false;
    tokenizer = v.make();
  }
  std::vector<std::string> tokens(std::string_view text) const {
    std::vector<std::string> out;
    for (const TokenId id : tokenizer->encode(text, {.add_special = false})) out.emplace_back(tokenizer->token_text(id));
    return out;
  }
};

TEST(WordPiece, TakesTheLongestBeginningAndThenTheLongestThatGoesOn) {
  const Bert bert({"▁play", "▁p", "ing", "i", "▁playing", "er", "s"});
  EXPECT_THAT(bert.tokens("playing plays player"), ElementsAre("▁playing", "▁play", "s", "▁play", "er"));
  EXPECT_THAT(bert.tokens("ing"), ElementsAre("[UNK]"));  // it only goes on
}

// ggml-org/llama.cpp#5496: the letters with accents were dropped.
TEST(WordPiece, StripsAccentsBeforeItLooks) {
  const Bert bert({"▁fi", "lip", "ovic", "▁go", "sp", "ic"});
  EXPECT_THAT(bert.tokens("Filipović Gospić"), ElementsAre("▁fi", "lip", "ovic", "▁go", "sp", "ic"));
  EXPECT_THAT(bert.tokens("Filipovic\u0301"), ElementsAre("▁fi", "lip", "ovic"));
}

TEST(WordPiece, KeepsCaseAndAccentsWhereTheFileSaysSo) {
  const Bert bert({"▁É", "▁e", "▁A"}, false);
  EXPECT_THAT(bert.tokens("É A a"), ElementsAre("▁É", "▁A", "[UNK]"));
}

TEST(WordPiece, EverySignAndIdeographIsAWord) {
  const Bert bert({"▁a", "b", "▁.", "▁$", "▁中", "▁文", "▁«"});
  EXPECT_THAT(bert.tokens("ab.$中文a«"), ElementsAre("▁a", "b", "▁.", "▁$", "▁中", "▁文", "▁a", "▁«"));
  EXPECT_THAT(bert.tokens("a\u200B\u0001b"), ElementsAre("▁a", "b"));  // controls and formats are nothing
  EXPECT_THAT(bert.tokens("a\u3000a\u00A0a\n"), ElementsAre("▁a", "▁a", "▁a"));
}

TEST(WordPiece, AWordThatCannotBeWrittenIsUnknownAsAWhole) {
  const Bert bert({"▁a", "b"});
  EXPECT_THAT(bert.tokens("abx ab"), ElementsAre("[UNK]", "▁a", "b"));
  EXPECT_THAT(bert.tokens("a" + std::string(99, 'b')).size(), 100u);
  EXPECT_THAT(bert.tokens("a" + std::string(100, 'b')), ElementsAre("[UNK]"));
  EXPECT_THAT(bert.tokens("a▁a"), ElementsAre("[UNK]"));  // the text's own mark begins no word
}

TEST(WordPiece, PutsItsMarksAroundAText) {
  const Bert bert({"▁a"});
  EXPECT_THAT(bert.tokenizer->encode("a"), ElementsAre(bert.cls, 3, bert.sep));
  EXPECT_THAT(bert.tokenizer->encode("[CLS]a[SEP]"), ElementsAre(bert.cls, 3, bert.sep));
  EXPECT_EQ(bert.tokenizer->decode(std::vector<TokenId>{3, 3}), "a a");
}

TEST(WordPiece, LongTextsAreQuick) {
  const Bert bert({"▁z", "z"});
  EXPECT_EQ(bert.tokens(std::string(1'000'000, 'Z')).size(), 1u);
  EXPECT_EQ(bert.tokens(std::string(200'000, '.')).size(), 200'000u);
}

}  // namespace
}  // namespace puna::text
