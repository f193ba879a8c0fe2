#include "text/detokenizer.h"

#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using Ids = std::vector<TokenId>;

std::vector<std::string> pieces(const Tokenizer& tokenizer, const Ids& tokens, const Detokenizer::Options& options = {}) {
  Detokenizer detokenizer(tokenizer, options);
  std::vector<std::string> out;
  for (const TokenId id : tokens) out.push_back(detokenizer.push(id));
  out.push_back(detokenizer.finish());
  return out;
}

TEST(Detokenizer, GivesACharacterOnlyWhenItIsWhole) {
  const auto t = byte_vocabulary().make();
  EXPECT_THAT(pieces(*t, {'a', 0xF0, 0x9F, 0xA6, 0x99, 'b'}), testing::ElementsAre("a", "", "", "", "🦙", "b", ""));
  EXPECT_THAT(pieces(*t, {0xC3, 0x9F, 0xE2, 0x99, 0xAC}), testing::ElementsAre("", "ß", "", "", "♬", ""));
}

TEST(Detokenizer, AnUnfinishedTailIsOneReplacementCharacterAtTheEnd) {
  const auto t = byte_vocabulary().make();
  EXPECT_THAT(pieces(*t, {'a', 0xF0, 0x9F}), testing::ElementsAre("a", "", "", "\uFFFD"));
  EXPECT_THAT(pieces(*t, {'a', 0xF0, 0x9F}, {.invalid = Detokenizer::Invalid::keep}),
              testing::ElementsAre("a", "", "", "\xF0\x9F"));
}

TEST(Detokenizer, WhatCannotBeUtf8IsReplacedAtOnce) {
  const auto t = byte_vocabulary().make();
  EXPECT_THAT(pieces(*t, {0x80, 'a', 0xF0, 0x9F, 'b', 0xFF}),
              testing::ElementsAre("\uFFFD", "a", "", "", "\uFFFDb", "\uFFFD", ""));
}

TEST(Detokenizer, KeptBytesAreExactlyTheDecodedText) {
  const auto t = byte_vocabulary().make();
  Ids ids;
  for (int i = 0; i < 2000; ++i) ids.push_back((i * 7919 + i / 3 * 31) % 256);
  std::string all;
  for (const auto& piece : pieces(*t, ids, {.invalid = Detokenizer::Invalid::keep})) all += piece;
  EXPECT_EQ(all, t->decode(ids));
}

TEST(Detokenizer, ContinuesAfterThePromptsLastToken) {
  auto v = piece_vocabulary();
  const TokenId word = add(v, "▁John");
  const TokenId name = add(v, "▁is");
  const TokenId turn = add(v, "<|assistant|>", TokenKind::control);
  const auto t = v.make();
  EXPECT_EQ(pieces(*t, {word})[0], "John");                       // a text starts here
  EXPECT_EQ(pieces(*t, {word}, {.previous = name})[0], " John");  // a sentence goes on
  EXPECT_EQ(pieces(*t, {word}, {.previous = turn})[0], "John");   // a turn starts
  EXPECT_THAT(pieces(*t, {word, turn, word, word}), testing::ElementsAre("John", "<|assistant|>", "John", " John", ""));
}

TEST(Detokenizer, SkipsSpecialTokensIfAsked) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|im_end|>", TokenKind::control);
  const auto t = v.make();
  EXPECT_THAT(pieces(*t, {'a', end}, {.skip_special = true}), testing::ElementsAre("a", "", ""));
  EXPECT_THAT(pieces(*t, {'a', end}), testing::ElementsAre("a", "<|im_end|>", ""));
}

TEST(Detokenizer, IdsOutsideTheVocabularyAreNothing) {
  const auto t = byte_vocabulary().make();
  EXPECT_THAT(pieces(*t, {'a', -1, 99999, 'b'}), testing::ElementsAre("a", "", "", "b", ""));
}

TEST(Detokenizer, ContinuesAfterFinish) {
  const auto t = byte_vocabulary().make();
  Detokenizer d(*t);
  EXPECT_EQ(d.push(0xC3), "");
  EXPECT_EQ(d.finish(), "\uFFFD");
  EXPECT_EQ(d.finish(), "");
  EXPECT_EQ(d.push('x'), "x");
}

TEST(Detokenizer, PiecesOfGeneratedTextsAreTheText) {
  const auto texts = strings(read_json("texts.json").find("texts"));
  for (const char* name : {"bpe_smollm.json", "spm_prefix.json", "spm_plain.json"}) {
    const auto t = vocabulary_of(read_json(name)).make();
    for (std::size_t i = 0; i < texts.size(); i += 3) {
      std::string all;
      const Ids ids = t->encode(texts[i]);
      for (const auto& piece : pieces(*t, ids)) all += piece;
      EXPECT_EQ(all, t->decode(ids)) << name << " " << json::quote(texts[i]);
      if (texts[i].find("▁") == std::string::npos) {
        EXPECT_EQ(all, texts[i]) << name << " " << json::quote(texts[i]);
      }
    }
  }
}

}  // namespace
}  // namespace puna::text
