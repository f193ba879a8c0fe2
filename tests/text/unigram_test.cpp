// Unigram: the best way through a word, unknown characters, and what happens to the text before.
#include <gmock/gmock.h>

#include "text/normalizer.h"
#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Unigram, TakesTheWayWithTheGreatestSum) {
  auto v = unigram_vocabulary();
  const TokenId a = add(v, "▁a", TokenKind::normal, -2);
  const TokenId b = add(v, "b", TokenKind::normal, -2);
  const TokenId ab = add(v, "▁ab", TokenKind::normal, -5);
  const TokenId abc = add(v, "▁abc", TokenKind::normal, -5);
  add(v, "c", TokenKind::normal, -2);
  const auto t = v.make();
  EXPECT_THAT(t->encode("ab"), ElementsAre(a, b));  // -4 and not -5, though the token exists
  EXPECT_THAT(t->encode("abc"), ElementsAre(abc));  // -5 and not -6
  EXPECT_THAT(t->encode("ab ab"), ElementsAre(a, b, a, b));
  EXPECT_EQ(t->decode(t->encode("ab abc")), "ab abc");
  EXPECT_EQ(t->token_bytes(ab), " ab");
}

// ggml-org/llama.cpp#28862: an emoji became one unknown token, and the text was lost.
TEST(Unigram, FallsBackToBytes) {
  auto v = unigram_vocabulary();
  v.data.add_space_prefix = false;
  add(v, "▁", TokenKind::normal, -1);
  const auto t = v.make();
  EXPECT_THAT(t->encode("🦙"), ElementsAre(3 + 0xF0, 3 + 0x9F, 3 + 0xA6, 3 + 0x99));
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& text : {std::string(" this is 🦙.cpp"), all, std::string("a\xFF b\xE2\x82")}) {
    EXPECT_EQ(t->decode(t->encode(text)), text) << json::quote(text);
  }
}

TEST(Unigram, WithoutBytesNeighboursAreOneUnknown) {
  OwnedVocabulary v;
  v.data.model = "t5";
  v.data.add_space_prefix = false;
  const TokenId unk = add(v, "<unk>", TokenKind::unknown);
  const TokenId a = add(v, "a", TokenKind::normal, -1);
  EXPECT_THAT(v.make()->encode("a🦙🦙a🦙"), ElementsAre(a, unk, a, unk));
}

TEST(Unigram, UnusedTokensAreNeverTaken) {
  auto v = unigram_vocabulary();
  v.data.add_space_prefix = false;
  const TokenId a = add(v, "a", TokenKind::normal, -1);
  add(v, "aa", TokenKind::unused, 0);
  EXPECT_THAT(v.make()->encode("aa"), ElementsAre(a, a));
}

TEST(Unigram, EndsATextUnlessTheFileSaysOtherwise) {
  auto v = unigram_vocabulary();
  v.data.add_eos.reset();
  v.data.eos = 2;
  v.data.bos = 1;
  const TokenId a = add(v, "▁a", TokenKind::normal, -1);
  EXPECT_THAT(v.make()->encode("a"), ElementsAre(a, 2));
  v.data.add_bos = true;
  EXPECT_THAT(v.make()->encode("a"), ElementsAre(1, a, 2));
}

TEST(Unigram, RemovesExtraSpacesWhereTheFileSaysSo) {
  auto v = unigram_vocabulary();
  v.data.remove_extra_whitespaces = true;
  const TokenId a = add(v, "▁a", TokenKind::normal, -1);
  EXPECT_THAT(v.make()->encode("  a   a "), ElementsAre(a, a));
  EXPECT_THAT(v.make()->encode("   "), ElementsAre());
}

TEST(Unigram, ScoresThatAreMissingOrNoNumbersAreNamed) {
  auto v = unigram_vocabulary();
  v.data.scores.pop_back();
  EXPECT_THAT(Tokenizer::make(v.view()).error().message, HasSubstr("tokenizer.ggml.scores has 258 entries"));
  v = unigram_vocabulary();
  v.data.scores[9] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(Tokenizer::make(v.view()).error().message, HasSubstr("tokenizer.ggml.scores[9]"));
}

// A map of characters by hand: a trie of one text, "ab", which becomes "X". The array's units are 4 bytes.
std::string map_of_ab() {
  std::vector<std::uint32_t> units(256 * 4, 0);
  auto unit = [](std::uint32_t label, std::uint32_t distance, bool ends) { return label | distance << 10 | (ends ? 256u : 0u); };
  units[0] = unit(0, 256, false);
  units[256 ^ 'a'] = unit('a', (256 ^ 'a') ^ 512, false);
  units[512 ^ 'b'] = unit('b', (512 ^ 'b') ^ 768, true);
  units[768] = 0x80000000u;  // a leaf: the text at place 0
  std::string bytes;
  auto put = [&](std::uint32_t number) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> 8 * i & 0xFF);
  };
  put(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t u : units) put(u);
  return bytes + std::string("X\0", 2);
}

TEST(CharsMap, ReplacesTheLongestSequences) {
  const auto normalizer = Normalizer::make({{NormalizerStep::Kind::charsmap, map_of_ab(), ""}});
  ASSERT_TRUE(normalizer);
  EXPECT_EQ(normalizer->apply("abaab b\xFF", true), "XaX b\xFF");
}

TEST(CharsMap, ThatLiesIsAnErrorOrFindsLess) {
  auto v = unigram_vocabulary();
  for (const std::string& bytes : {std::string("\1"), std::string("\3\0\0\0abc", 7), std::string("\xF0\xFF\xFF\xFF", 4)}) {
    v.data.charsmap = bytes;
    EXPECT_THAT(Tokenizer::make(v.view()).error().message, HasSubstr("precompiled_charsmap"));
  }
  std::string map = map_of_ab();
  for (std::size_t i = 4; i < map.size(); ++i) {
    std::string broken = map;
    broken[i] = '\xFF';
    v.data.charsmap = broken;
    const auto made = Tokenizer::make(v.view());
    if (made) (*made)->encode("ab abc \xFF");
    if (i > 600 && i < 4000) i += 37;
  }
}

}  // namespace
}  // namespace puna::text
