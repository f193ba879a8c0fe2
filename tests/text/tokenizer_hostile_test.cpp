// Vocabularies from files that lie: an error that names the key, or a defined behaviour; never a crash.
#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::HasSubstr;

std::string error_of(OwnedVocabulary v) {
  const auto tokenizer = Tokenizer::make(v.view());
  return tokenizer ? "no error" : tokenizer.error().message;
}

TEST(TokenizerHostile, UnknownKindsAndPreTokenizersAreNamed) {
  auto v = byte_vocabulary();
  v.data.model = "replit";
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.model is 'replit'"));
  v = byte_vocabulary("never-heard-of");
  EXPECT_THAT(error_of(v), HasSubstr("'never-heard-of'"));
  const auto made = Tokenizer::make(v.view());
  EXPECT_THAT(made.error().hint, testing::AllOf(HasSubstr("--pre"), HasSubstr("smollm"), HasSubstr("qwen2")));
  EXPECT_THAT(error_of(byte_vocabulary("")), HasSubstr("tokenizer.ggml.pre"));
}

TEST(TokenizerHostile, NoTokens) {
  OwnedVocabulary v;
  v.data.model = "llama";
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.tokens is missing or empty"));
}

TEST(TokenizerHostile, SpecialIdsBeyondTheVocabularyAreNamed) {
  struct Case {
    std::optional<std::int64_t> VocabularyData::* id;
    const char* key;
  };
  const Case cases[] = {{&VocabularyData::bos, "bos_token_id"},         {&VocabularyData::eos, "eos_token_id"},
                        {&VocabularyData::unk, "unknown_token_id"},     {&VocabularyData::eot, "eot_token_id"},
                        {&VocabularyData::eom, "eom_token_id"},         {&VocabularyData::sep, "seperator_token_id"},
                        {&VocabularyData::pad, "padding_token_id"},     {&VocabularyData::fim_pre, "fim_pre_token_id"},
                        {&VocabularyData::fim_suf, "fim_suf_token_id"}, {&VocabularyData::fim_mid, "fim_mid_token_id"},
                        {&VocabularyData::fim_pad, "fim_pad_token_id"}, {&VocabularyData::fim_rep, "fim_rep_token_id"},
                        {&VocabularyData::fim_sep, "fim_sep_token_id"}};
  for (const auto& [id, key] : cases) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{256}, std::int64_t{1} << 32, INT64_MIN, INT64_MAX}) {
      auto v = byte_vocabulary();
      v.data.*id = value;
      EXPECT_THAT(error_of(v), testing::AllOf(HasSubstr(key), HasSubstr(std::to_string(value)), HasSubstr("256 tokens")));
    }
  }
  auto v = byte_vocabulary();
  v.data.extra_eog = {3, 999};
  EXPECT_THAT(error_of(v), HasSubstr("999"));
}

TEST(TokenizerHostile, OneTokenAndTheDefaultBosBeyondIt) {
  OwnedVocabulary v;
  v.data.model = "llama";
  const TokenId a = add(v, "a");
  const auto t = v.make();
  EXPECT_EQ(t->bos(), std::nullopt);
  EXPECT_FALSE(t->adds_bos());
  EXPECT_EQ(t->encode("b"), std::vector<TokenId>());
  v.data.add_space_prefix = false;
  EXPECT_EQ(v.make()->encode("a"), std::vector<TokenId>{a});
  v.data.bos = 1;
  EXPECT_THAT(error_of(v), HasSubstr("bos_token_id is 1"));
}

TEST(TokenizerHostile, ArraysOfOtherLengths) {
  auto v = byte_vocabulary();
  v.data.kinds.pop_back();
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.token_type has 255 entries for 256 tokens"));
  v = piece_vocabulary();
  v.data.scores.pop_back();
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.scores has 258 entries for 259 tokens"));
  v.data.scores.clear();
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.scores"));
}

TEST(TokenizerHostile, NumbersThatAreNone) {
  auto v = piece_vocabulary();
  v.data.scores[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.scores[7]"));
  v = byte_vocabulary();
  for (const std::int64_t kind : {std::int64_t{7}, std::int64_t{-1}, INT64_MAX}) {
    v.data.kinds[3] = kind;
    EXPECT_THAT(error_of(v), testing::AllOf(HasSubstr("tokenizer.ggml.token_type[3]"), HasSubstr(std::to_string(kind))));
  }
}

TEST(TokenizerHostile, ByteTokensMustBeBytes) {
  for (const char* text : {"<0x-1>", "<0x1>", "<0x100>", "<0x+1>", "<0x 1>", "<0xGG>", "0x0A", "", "<0X0A>", "<0x0A> "}) {
    auto v = piece_vocabulary();
    add(v, text, TokenKind::byte);
    EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.tokens[259]")) << text;
  }
  auto v = piece_vocabulary();
  add(v, "<0xab>", TokenKind::byte);  // small letters are digits too; the first token of a byte counts
  EXPECT_EQ(v.make()->token_bytes(259), "<0xab>");
  EXPECT_EQ(v.make()->token_bytes(3 + 0xAB), "\xAB");
}

TEST(TokenizerHostile, MergesThatAreNotTwoParts) {
  for (const char* merge : {"", " ", "a", "ab", " a", "a ", "  "}) {
    auto v = byte_vocabulary();
    v.merges = {"a b", merge};
    EXPECT_THAT(error_of(v), HasSubstr("tokenizer.ggml.merges[1]")) << '"' << merge << '"';
  }
}

TEST(TokenizerHostile, MergesOfNoTokensAreIgnored) {
  auto v = byte_vocabulary();
  const TokenId ab = add(v, "ab");
  v.merges = {"a c", "zz zz", "zz b", "a b", "a b", "ab c"};
  EXPECT_THAT(v.make()->encode("abcac"), testing::ElementsAre(ab, 'c', 'a', 'c'));
}

TEST(TokenizerHostile, OfEqualTextsTheFirstCounts) {
  auto v = byte_vocabulary();
  const TokenId first = add(v, "<x>", TokenKind::user_defined);
  const TokenId second = add(v, "<x>", TokenKind::user_defined);
  const TokenId a = add(v, "a");
  const auto t = v.make();
  EXPECT_THAT(t->encode("<x>a"), testing::ElementsAre(first, 'a'));
  EXPECT_EQ(t->token_text(second), "<x>");
  EXPECT_EQ(t->token_bytes(a), "a");
}

TEST(TokenizerHostile, EmptyTextsAreNeverFound) {
  auto v = byte_vocabulary();
  add(v, "", TokenKind::control);
  add(v, "", TokenKind::user_defined);
  add(v, "");
  EXPECT_THAT(v.make()->encode("ab"), testing::ElementsAre('a', 'b'));
  auto spm = piece_vocabulary();
  spm.data.add_bos = false;
  spm.data.add_space_prefix = false;
  add(spm, "", TokenKind::user_defined);
  EXPECT_THAT(spm.make()->encode("ab"), testing::ElementsAre(3 + 'a', 3 + 'b'));
}

TEST(TokenizerHostile, TokensThatAreNotUtf8) {
  auto v = byte_vocabulary();
  const TokenId broken = add(v, "\xFF\xC3");
  EXPECT_EQ(v.make()->token_bytes(broken), "\xFF\xC3");
  auto spm = piece_vocabulary();
  spm.data.add_space_prefix = false;
  spm.data.add_bos = false;
  const TokenId piece = add(spm, "\xFF\xC3");
  EXPECT_THAT(spm.make()->encode("\xFF\xC3"), testing::ElementsAre(piece));
}

TEST(TokenizerHostile, ATokenOf64MiB) {
  const std::string huge(64 << 20, 'a');
  auto v = byte_vocabulary();
  const TokenId id = add(v, huge, TokenKind::control);
  const auto t = v.make();
  EXPECT_EQ(t->token_text(id).size(), huge.size());
  EXPECT_EQ(t->find(huge), id);
  EXPECT_EQ(t->encode(std::string(1000, 'a')).size(), 1000u);
}

TEST(TokenizerHostile, ExtremeScoresStillOrder) {
  auto v = piece_vocabulary();
  v.data.add_bos = false;
  v.data.add_space_prefix = false;
  const float infinity = std::numeric_limits<float>::infinity();
  add(v, "a", TokenKind::normal, -infinity);
  add(v, "ab", TokenKind::normal, -infinity);
  const TokenId bc = add(v, "bc", TokenKind::normal, infinity);
  EXPECT_EQ(v.make()->encode("abc").back(), bc);
}

}  // namespace
}  // namespace puna::text
