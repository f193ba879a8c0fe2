// What the vocabulary's own flags and kinds decide: special tokens, spaces, begin and end of text.
#include "text/tokenizer.h"

#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Ids = std::vector<TokenId>;

// ---- special tokens ----

TEST(TokenizerSpecial, ControlTextBecomesTheTokenOnlyWhenParsed) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|im_end|>", TokenKind::control);
  const auto t = v.make();
  EXPECT_THAT(t->encode("a<|im_end|>b"), ElementsAre('a', end, 'b'));
  const Ids plain = t->encode("a<|im_end|>b", {.parse_special = false});
  EXPECT_EQ(plain.size(), 12u);
  EXPECT_THAT(plain, testing::Not(testing::Contains(end)));
}

TEST(TokenizerSpecial, UserDefinedTextIsAlwaysTheToken) {
  auto v = byte_vocabulary();
  const TokenId call = add(v, "<tool_call>", TokenKind::user_defined);
  EXPECT_THAT(v.make()->encode("<tool_call>!", {.parse_special = false}), ElementsAre(call, '!'));
}

TEST(TokenizerSpecial, UserDefinedMarkersAndRolesCountAsControl) {
  auto v = byte_vocabulary();
  const TokenId marker = add(v, "<|im_start|>", TokenKind::user_defined);
  const TokenId turn = add(v, "<end_of_turn>", TokenKind::user_defined);
  const TokenId eos = add(v, "STOP", TokenKind::user_defined);
  const TokenId tag = add(v, "<h1>", TokenKind::user_defined);
  v.data.eos = eos;
  const auto t = v.make();
  for (const TokenId id : {marker, turn, eos}) {
    EXPECT_TRUE(t->is_control(id)) << t->token_text(id);
    EXPECT_THAT(t->encode(t->token_text(id), {.parse_special = false}), testing::Not(testing::Contains(id)));
    EXPECT_THAT(t->encode(t->token_text(id)), ElementsAre(id));
  }
  EXPECT_FALSE(t->is_control(tag));
}

TEST(TokenizerSpecial, TheLongestTextAtTheLeftmostPlaceWins) {
  auto v = byte_vocabulary();
  const TokenId ab = add(v, "ab", TokenKind::user_defined);
  const TokenId abcd = add(v, "abcd", TokenKind::user_defined);
  const TokenId bcdef = add(v, "bcdef", TokenKind::user_defined);
  const auto t = v.make();
  EXPECT_THAT(t->encode("abcdef"), ElementsAre(abcd, 'e', 'f'));
  EXPECT_THAT(t->encode("abcx"), ElementsAre(ab, 'c', 'x'));
  EXPECT_THAT(t->encode("xbcdef"), ElementsAre('x', bcdef));
}

TEST(TokenizerSpecial, OnlyTheTemplatesOwnTextMayHoldControlTokens) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|e|>", TokenKind::control);
  const TokenId tag = add(v, "<t>", TokenKind::user_defined);
  const auto t = v.make();
  // Three times the same text: the template's, a user's, and one of which the template wrote only a part.
  const std::string text =
      "<|e|>"
      "<|e|><t>"
      "<|e|>";
  const Span marks[] = {{0, 5}, {14, 18}};
  const Ids ids = t->encode(text, {.literal = marks, .has_literal_marks = true});
  EXPECT_EQ(std::count(ids.begin(), ids.end(), end), 1);
  EXPECT_EQ(ids.front(), end);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), tag), 1);
  EXPECT_EQ(t->decode(ids), text);
}

TEST(TokenizerSpecial, MarksWithoutRangesMeanThatAllIsUserText) {
  auto v = byte_vocabulary();
  add(v, "<|e|>", TokenKind::control);
  EXPECT_EQ(v.make()->encode("<|e|>", {.has_literal_marks = true}).size(), 5u);
}

TEST(TokenizerSpecial, NeighbouringRangesAreNotOne) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|e|>", TokenKind::control);
  const Span marks[] = {{0, 2}, {2, 5}};
  EXPECT_THAT(v.make()->encode("<|e|>", {.literal = marks, .has_literal_marks = true}), testing::Not(testing::Contains(end)));
}

TEST(TokenizerSpecial, MergesNeverMakeAControlToken) {
  auto v = byte_vocabulary();
  const TokenId ab = add(v, "ab", TokenKind::control);
  v.merges = {"a b"};
  const auto t = v.make();
  EXPECT_THAT(t->encode("ab", {.parse_special = false}), ElementsAre('a', 'b'));
  EXPECT_THAT(t->encode("ab"), ElementsAre(ab));

  auto spm = piece_vocabulary();
  spm.data.add_space_prefix = false;
  spm.data.add_bos = false;
  const TokenId x = add(spm, "<");
  const TokenId y = add(spm, "s>");
  const TokenId s = add(spm, "s");
  const TokenId g = add(spm, ">");
  const auto u = spm.make();
  EXPECT_THAT(u->encode("<s>", {.parse_special = false}), ElementsAre(x, y));
  EXPECT_THAT(u->encode("<s", {.parse_special = false}), ElementsAre(x, s));
  EXPECT_THAT(u->encode(">", {.parse_special = false}), ElementsAre(g));
  EXPECT_THAT(u->encode("<s>"), ElementsAre(1));
}

TEST(TokenizerSpecial, ByteTokensAreNotTheirOwnText) {
  auto v = piece_vocabulary();
  v.data.add_space_prefix = false;
  v.data.add_bos = false;
  const Ids ids = v.make()->encode("<0x0A>");
  EXPECT_EQ(ids.size(), 6u);  // six characters, each by its byte
  EXPECT_EQ(ids.front(), 3 + '<');
}

// ---- the space prefix: from the vocabulary's flag, never one rule for all ----

OwnedVocabulary words_vocabulary() {
  auto v = piece_vocabulary();
  v.data.add_bos = false;
  float score = -1;
  for (const char* text : {"▁text", "text", "ext", "▁", "▁t", "t", "e", "x", "xt"}) add(v, text, TokenKind::normal, score -= 1);
  return v;
}

TEST(TokenizerSpacePrefix, WithoutTheFlagNothingIsAddedAfterASpecialToken) {
  auto v = words_vocabulary();
  const TokenId pad = add(v, "<pad>", TokenKind::control);
  v.data.add_space_prefix = false;
  const auto t = v.make();
  EXPECT_THAT(t->encode("<pad>text</s>"), ElementsAre(pad, *t->find("text"), 2));
  EXPECT_EQ(t->decode(t->encode("<pad>text</s>")), "<pad>text</s>");
}

TEST(TokenizerSpacePrefix, WithTheFlagTextAfterASpecialTokenStartsAnew) {
  for (const TokenKind kind : {TokenKind::control, TokenKind::user_defined}) {
    auto v = words_vocabulary();
    const TokenId start = add(v, "<|im_start|>", kind);
    const auto t = v.make();  // the flag's default for this kind of vocabulary
    EXPECT_TRUE(t->adds_space_prefix());
    EXPECT_THAT(t->encode("<|im_start|>text"), ElementsAre(start, *t->find("▁text")));
    EXPECT_EQ(t->decode(t->encode("<|im_start|>text")), "<|im_start|>text");
    // A space that stands there itself is one more, and the word keeps its own.
    EXPECT_THAT(t->encode("<|im_start|> text"), ElementsAre(start, *t->find("▁"), *t->find("▁text")));
  }
}

TEST(TokenizerSpacePrefix, IsTakenAwayAgainOnceAndExactly) {
  const auto t = words_vocabulary().make();
  for (const std::string text : {"text", " text", "  text", "text text", " ", "</s>text", "</s> text", "text</s>", "\ntext"}) {
    EXPECT_EQ(t->decode(t->encode(text)), text) << '"' << text << '"';
  }
  EXPECT_THAT(t->encode(""), IsEmpty());
  EXPECT_EQ(t->token_bytes(*t->find("▁text")), " text");
}

TEST(TokenizerSpacePrefix, IsPartOfARunOfSpaces) {
  auto v = words_vocabulary();
  const TokenId two = add(v, "  ", TokenKind::user_defined);
  const TokenId three = add(v, "   ", TokenKind::user_defined);
  const auto t = v.make();
  EXPECT_THAT(t->encode(" "), ElementsAre(two));
  EXPECT_THAT(t->encode("  text"), ElementsAre(three, *t->find("text")));
  EXPECT_THAT(t->encode("   text"), ElementsAre(three, *t->find("▁text")));
  for (const std::string text : {" ", "  ", "   ", "    ", "   text", "</s>   text", "text    text"}) {
    EXPECT_EQ(t->decode(t->encode(text)), text) << '"' << text << '"';
  }
}

// Found by fuzzing: such a token once came back with the space of the prefix.
TEST(TokenizerSpacePrefix, IsTakenFromAUserDefinedTokenThatBeginsWithIt) {
  auto v = words_vocabulary();
  const TokenId word = add(v, "▁te", TokenKind::user_defined);
  const auto t = v.make();
  EXPECT_THAT(t->encode("te"), ElementsAre(word));
  EXPECT_THAT(t->encode("</s>te"), ElementsAre(2, word));
  EXPECT_THAT(t->encode("te te"), ElementsAre(word, word));
  for (const std::string text : {"te", " te", "</s>te", "</s> te", "te te", "tex", "te</s>te"}) {
    EXPECT_EQ(t->decode(t->encode(text)), text) << '"' << text << '"';
  }
  EXPECT_EQ(t->encode("▁te"), t->encode(" te"));
}

TEST(TokenizerSpacePrefix, ByteLevelVocabulariesHaveNoneUnlessTheySaySo) {
  auto v = byte_vocabulary();
  EXPECT_THAT(v.make()->encode("a"), ElementsAre('a'));
  v.data.add_space_prefix = true;
  const auto t = v.make();
  EXPECT_THAT(t->encode("a"), ElementsAre(' ', 'a'));
  EXPECT_EQ(t->decode(t->encode("a")), "a");
}

// ---- begin and end of text ----

OwnedVocabulary bos_vocabulary() {
  auto v = byte_vocabulary("llama-bpe");
  v.data.bos = add(v, "<|begin_of_text|>", TokenKind::control);  // 256
  v.data.eos = add(v, "<|eot_id|>", TokenKind::control);         // 257
  return v;
}

TEST(TokenizerBos, ComesFromTheFileThenFromTheKind) {
  auto v = bos_vocabulary();
  EXPECT_THAT(v.make()->encode("a"), ElementsAre(256, 'a'));  // what this pre-tokenizer's row says
  EXPECT_THAT(v.make()->encode("a", {.add_special = false}), ElementsAre('a'));
  EXPECT_THAT(v.make()->encode(""), ElementsAre(256));
  v.data.add_bos = false;
  EXPECT_THAT(v.make()->encode("a"), ElementsAre('a'));
  v.data.add_eos = true;
  EXPECT_THAT(v.make()->encode("a"), ElementsAre('a', 257));

  auto spm = piece_vocabulary();
  EXPECT_TRUE(spm.make()->adds_bos());
  EXPECT_FALSE(spm.make()->adds_eos());
  EXPECT_FALSE(byte_vocabulary().make()->adds_bos());
}

TEST(TokenizerBos, IsNotDoubledWhereTheTextBeginsWithIt) {
  auto v = bos_vocabulary();
  v.data.add_eos = true;
  const auto t = v.make();
  EXPECT_THAT(t->encode("<|begin_of_text|>hi<|eot_id|>"), ElementsAre(256, 'h', 'i', 257));
  EXPECT_THAT(t->encode("<|begin_of_text|><|begin_of_text|>"), ElementsAre(256, 256, 257));  // asked for twice
  EXPECT_THAT(t->encode("<|begin_of_text|>hi", {.add_special = false}), ElementsAre(256, 'h', 'i'));
  // As plain text it is no BOS.
  EXPECT_EQ(t->encode("<|begin_of_text|>", {.parse_special = false}).size(), 1 + 17 + 1u);
}

TEST(TokenizerBos, OfAChatTemplateStaysSingle) {
  const auto t = bos_vocabulary().make();
  const std::string rendered = "<|begin_of_text|>hi";
  const Span template_wrote[] = {{0, 17}};
  EXPECT_THAT(t->encode(rendered, {.literal = template_wrote, .has_literal_marks = true}), ElementsAre(256, 'h', 'i'));
}

// ---- end of generation ----

TEST(TokenizerEog, IsASetFromMetadataAndTexts) {
  auto v = byte_vocabulary();
  v.data.eos = add(v, "<done>", TokenKind::control);
  v.data.eot = add(v, "<turn-over>", TokenKind::control);
  v.data.eom = add(v, "<more>", TokenKind::control);
  v.data.fim_pad = add(v, "<fill>", TokenKind::control);
  const TokenId known = add(v, "<|im_end|>", TokenKind::control);
  const TokenId user = add(v, "<end_of_turn>", TokenKind::user_defined);
  const TokenId other = add(v, "<|im_start|>", TokenKind::control);
  const TokenId chosen = add(v, "###", TokenKind::normal);
  v.data.extra_eog = {chosen, *v.data.eos};
  const auto t = v.make();
  EXPECT_THAT(t->eog_tokens(), ElementsAre(256, 257, 258, 259, known, user, chosen));
  EXPECT_TRUE(t->is_eog(known));
  EXPECT_FALSE(t->is_eog(other));
  EXPECT_FALSE(t->is_eog(-1));
}

TEST(TokenizerEog, ATextAloneIsNotEnough) {
  auto v = byte_vocabulary();
  add(v, "</s>", TokenKind::normal);
  EXPECT_THAT(v.make()->eog_tokens(), IsEmpty());
}

TEST(TokenizerEog, WhereAnswersHaveSeveralMessagesTheEndOfOneIsNotTheEnd) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|end|>", TokenKind::control);
  EXPECT_TRUE(v.make()->is_eog(end));
  const TokenId answer = add(v, "<|return|>", TokenKind::control);
  const auto t = v.make();
  EXPECT_FALSE(t->is_eog(end));
  EXPECT_TRUE(t->is_eog(answer));
}

// ---- bytes ----

TEST(TokenizerBytes, AnyBytesComeBackExactly) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::string texts[] = {all,
                               "a\xFF"
                               "b",
                               "\xC3",
                               "\xE2\x82",
                               "\xF0\x9F\xA6 \x99",
                               "\xED\xA0\x80",
                               "\xC0\x80",
                               std::string("\0x\0", 3)};
  auto spm = piece_vocabulary();
  add(spm, "▁");
  for (const std::string pre : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    const auto t = byte_vocabulary(pre).make();
    for (const auto& text : texts) EXPECT_EQ(t->decode(t->encode(text)), text) << pre << " " << json::quote(text);
  }
  const auto t = spm.make();
  for (const auto& text : texts) EXPECT_EQ(t->decode(t->encode(text), true), text) << json::quote(text);
}

TEST(TokenizerBytes, FallBackForCharactersWithoutAToken) {
  auto v = piece_vocabulary();
  v.data.add_bos = false;
  v.data.add_space_prefix = false;
  EXPECT_THAT(v.make()->encode("🦙"), ElementsAre(3 + 0xF0, 3 + 0x9F, 3 + 0xA6, 3 + 0x99));
}

TEST(TokenizerBytes, WithoutByteTokensThereIsOneUnknownForNeighbours) {
  OwnedVocabulary v;
  v.data.model = "llama";
  v.data.add_space_prefix = false;
  const TokenId unk = add(v, "<unk>", TokenKind::unknown);
  const TokenId a = add(v, "a");
  EXPECT_THAT(v.make()->encode("a🦙🦙a🦙"), ElementsAre(a, unk, a, unk));
}

TEST(TokenizerBytes, AByteLevelVocabularyWithoutAByteLosesIt) {
  OwnedVocabulary v;
  v.data.model = "gpt2";
  v.data.pre = "gpt-2";
  v.data.unk = add(v, "<|endoftext|>", TokenKind::control);
  const TokenId a = add(v, "a");
  EXPECT_THAT(v.make()->encode("a\x06"
                               "a"),
              ElementsAre(a, a));
}

// ---- the vocabulary as a table ----

TEST(TokenizerTable, TextsBytesAndKinds) {
  auto v = byte_vocabulary();
  const TokenId the = add(v, "Ġthe");
  const TokenId odd = add(v, "<｜end▁of▁sentence｜>", TokenKind::control);
  const auto t = v.make();
  EXPECT_EQ(t->token_text(the), "Ġthe");
  EXPECT_EQ(t->token_bytes(the), " the");
  EXPECT_EQ(t->token_bytes(odd), "<｜end▁of▁sentence｜>");
  EXPECT_EQ(t->kind(odd), TokenKind::control);
  EXPECT_EQ(t->find("Ġthe"), the);
  EXPECT_EQ(t->find("nothing of the kind"), std::nullopt);
  EXPECT_EQ(t->size(), 258u);
  for (const TokenId outside : {-1, 258, 1 << 30}) {
    EXPECT_FALSE(t->contains(outside));
    EXPECT_EQ(t->token_text(outside), "");
    EXPECT_EQ(t->token_bytes(outside), "");
    EXPECT_FALSE(t->is_control(outside));
    EXPECT_EQ(t->decode(Ids{'a', outside, 'b'}), "ab");
  }
}

TEST(TokenizerTable, SkippingSpecialTokensKeepsUserDefinedOnes) {
  auto v = byte_vocabulary();
  const TokenId end = add(v, "<|im_end|>", TokenKind::control);
  const TokenId tag = add(v, "<think>", TokenKind::user_defined);
  const auto t = v.make();
  EXPECT_EQ(t->decode(Ids{tag, 'a', end}, true), "<think>a");
  EXPECT_EQ(t->decode(Ids{tag, 'a', end}), "<think>a<|im_end|>");
}

TEST(TokenizerTable, UnusedTokensAreOnlyStepsOfMerging) {
  auto v = piece_vocabulary();
  v.data.add_bos = false;
  v.data.add_space_prefix = false;
  const TokenId a = add(v, "a", TokenKind::normal, -9);
  const TokenId b = add(v, "b", TokenKind::normal, -9);
  const TokenId c = add(v, "c", TokenKind::normal, -9);
  add(v, "ab", TokenKind::unused, -1);
  const TokenId abc = add(v, "abc", TokenKind::normal, -2);
  const auto t = v.make();
  EXPECT_THAT(t->encode("abc"), ElementsAre(abc));
  EXPECT_THAT(t->encode("abb"), ElementsAre(a, b, b));
  EXPECT_THAT(t->encode("c"), ElementsAre(c));
}

TEST(TokenizerTable, RunsOfSpacesMayBeTokensOfTheirOwn) {
  auto v = piece_vocabulary();
  v.data.add_bos = false;
  v.data.add_space_prefix = false;
  const TokenId space = add(v, "▁", TokenKind::normal, -5);
  const TokenId a = add(v, "a", TokenKind::normal, -5);
  add(v, "▁a", TokenKind::normal, -1);
  const TokenId two = add(v, "  ", TokenKind::user_defined);
  const TokenId three = add(v, "   ", TokenKind::user_defined);
  const auto t = v.make();
  EXPECT_THAT(t->encode("a  a"), ElementsAre(a, two, a));
  EXPECT_THAT(t->encode("    "), ElementsAre(three, space));
  EXPECT_THAT(t->encode("▁▁a"), ElementsAre(two, a));  // U+2581 is a space
  EXPECT_EQ(t->decode(t->encode("a     a ")), "a     a ");
}

}  // namespace
}  // namespace puna::text
