// How texts are cut into words: every name against Hugging Face's own splitters, and the functions written by hand against the
// patterns that they stand for.
#include "text/pretokenizers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

Words words_of(std::string_view text, const std::vector<Span>& spans) {
  Words words;
  for (const Span span : spans) {
    EXPECT_GT(span.end, span.begin);
    words.emplace_back(text.substr(span.begin, span.size()));
  }
  return words;
}

std::vector<Span> spans_of(const WordSplitter& splitter, std::string_view text) {
  std::vector<Span> spans;
  splitter.split(text, spans);
  return spans;
}

// All of the text, in order.
Words split(const PreTokenizer& pre, std::string_view text) {
  const Words words = words_of(text, spans_of(WordSplitter::make(pre).value(), text));
  std::string all;
  for (const auto& word : words) all += word;
  EXPECT_EQ(all, text);
  return words;
}

// One character of every sort that some pattern tells apart, in random order.
std::string random_text(std::mt19937& random) {
  static const Words kParts = {"a",      "Z",      "s",      "t",  "re", "LL",     "'",  "'s", "'T",     "'Ve", "é",
                               "É",      "中",     "一",     "か", "ー", "〇",     "한", "1",  "2",      "12",  "٣",
                               "½",      " ",      " ",      "  ", "\t", "\n",     "\n", "\r", "\r\n",   "/",   "\u00A0",
                               "\u2003", "\u0085", "\u2028", ".",  "!",  "-",      "_",  "…",  "+",      "€",   "\u0301",
                               "🦙",     "\x01",   "ſ",      "ǅ",  "ʰ",  "\u180E", "、", "。", "1234567"};
  std::string text;
  for (std::size_t n = random() % 24; n > 0; --n) text += kParts[random() % kParts.size()];
  return text;
}

class HandWrittenPatterns : public testing::TestWithParam<std::size_t> {};

TEST_P(HandWrittenPatterns, CutAsTheirPatternDoes) {
  const HandWritten& hand = hand_written_patterns()[GetParam()];
  const Regex pattern = Regex::compile(hand.pattern).value();
  auto check = [&](const std::string& text) {
    std::vector<Span> by_hand;
    hand.cut(text, 0, by_hand);
    std::vector<Piece> pieces;
    Regex::Search(pattern).split(text, {0, text.size()}, pieces);
    std::vector<Span> by_pattern;
    for (const Piece& piece : pieces) {
      by_pattern.push_back(piece.span);
      EXPECT_TRUE(piece.matches || !hand.covers) << json::quote(text);
    }
    EXPECT_EQ(words_of(text, by_hand), words_of(text, by_pattern)) << hand.pattern << " on " << json::quote(text);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 20000 && !HasFailure(); ++i) check(random_text(random));
  for (const auto& text : strings(read_json("texts.json").find("texts"))) check(text);
}

INSTANTIATE_TEST_SUITE_P(All, HandWrittenPatterns, testing::Range(std::size_t{0}, hand_written_patterns().size()));

// tools/make_tokenizer_cases.py words: groups of names, and the lengths of the words that their steps make of each text.
TEST(PreTokenizers, OfEveryNameCutAsTheReferenceDoes) {
  const Value file = read_json("words.json");
  const auto texts = strings(file.find("texts"));
  std::vector<std::string_view> seen;
  for (const Value& group : *file.find("groups")->if_array()) {
    for (const Value& name : *group.find("names")->if_array()) {
      const auto pre = find_pretokenizer(*name.if_string());
      ASSERT_TRUE(pre) << *name.if_string();
      seen.push_back(pre->name);
      const WordSplitter splitter = WordSplitter::make(*pre).value();
      const Value::Array& expected = *group.find("lengths")->if_array();
      ASSERT_EQ(expected.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        std::vector<TokenId> lengths;
        for (const Span word : spans_of(splitter, texts[i])) lengths.push_back(static_cast<TokenId>(word.size()));
        EXPECT_EQ(lengths, ids(expected[i])) << pre->name << " on " << json::quote(texts[i]);
      }
    }
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAreArray(pretokenizer_names()));
}

TEST(PreTokenizers, AnUnknownNameGetsTheNearestAndAll) {
  const auto pre = find_pretokenizer("qwen3");
  ASSERT_FALSE(pre);
  EXPECT_THAT(pre.error().message, HasSubstr("'qwen3'"));
  EXPECT_THAT(pre.error().hint, testing::AllOf(HasSubstr("did you mean qwen2?"), HasSubstr("--pre"), HasSubstr("tekken")));
}

Words split_by(SplitStep step, std::string_view text) {
  const WordSplitter splitter = WordSplitter::make(std::span(&step, 1)).value();
  return words_of(text, spans_of(splitter, text));
}

TEST(SplitStep, DoesWithItsMatchesWhatItsBehaviourSays) {
  using enum SplitStep::Behaviour;
  constexpr std::string_view kText = "--a-b--c-";
  EXPECT_EQ(split_by({"-", isolated}, kText), (Words{"-", "-", "a", "-", "b", "-", "-", "c", "-"}));
  EXPECT_EQ(split_by({"-", removed}, kText), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_by({"-", merged_with_previous}, kText), (Words{"-", "-", "a-", "b-", "-", "c-"}));
  EXPECT_EQ(split_by({"-", merged_with_next}, kText), (Words{"-", "-a", "-b", "-", "-c", "-"}));
  EXPECT_EQ(split_by({"-", contiguous}, kText), (Words{"--", "a", "-", "b", "--", "c", "-"}));
  EXPECT_EQ(split_by({"[a-z]", removed, true}, kText), (Words{"a", "b", "c"}));
}

TEST(Regex, NamesWhatItCannotRead) {
  EXPECT_THAT(Regex::compile("(a").error().message, HasSubstr("'(a'"));
  EXPECT_THAT(Regex::compile("[a[b]]").error().message, HasSubstr("a class within a class"));
  EXPECT_THAT(Regex::compile("[a&&b]").error().message, HasSubstr("a class within a class"));
  EXPECT_THAT(Regex::compile("\\h").error().message, HasSubstr("\\h"));
  EXPECT_TRUE(Regex::compile("[[:alpha:]]+[^]]"));
}

TEST(Regex, KnowsTheReferencesSpacesAndWords) {
  using enum SplitStep::Behaviour;
  EXPECT_EQ(split_by({R"(\s)", removed}, "a\u180Eb\u2003c"), (Words{"a\u180Eb", "c"}));
  EXPECT_EQ(split_by({R"([\s.])", removed}, "a\u3000b.c"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_by({R"(\w+)", removed, true}, "a½\u0301b‿cⓐ⅓d"), (Words{"a½\u0301b‿cⓐ", "d"}));
  EXPECT_EQ(split_by({R"(\p{Han}+)", removed, true}, "中。文"), (Words{"中", "文"}));
  EXPECT_EQ(split_by({R"(\b)", isolated}, "ab cd."), (Words{"ab", " ", "cd", "."}));
  EXPECT_EQ(split_by({"$", isolated}, "a\nb"), (Words{"a", "\nb"}));
}

TEST(Regex, GivesUpOnAPatternThatBacktracksWithoutEnd) {
  const std::string text = std::string(60, 'a') + "b";
  EXPECT_EQ(split_by({"(a|aa)+$", SplitStep::Behaviour::isolated}, text), Words{text});
}

TEST(PreTokenizer, AByteThatIsNotUtf8IsASymbol) {
  const auto pre = find_pretokenizer("qwen2");
  EXPECT_EQ(split(*pre,
                  "a\xFF"
                  "b"),
            (Words{"a",
                   "\xFF"
                   "b"}));  // as "a.b" would be
  EXPECT_EQ(split(*pre, "\xE2\x82 1"), (Words{"\xE2\x82", " ", "1"}));
}

TEST(PreTokenizer, OfPatternsCutsUpWhatEachOneLeaves) {
  const auto gpt4o = find_pretokenizer("gpt-4o");
  EXPECT_EQ(split(*gpt4o, "HelloWorld's 12345  x/\n"), (Words{"Hello", "World's", " ", "123", "45", " ", " x", "/\n"}));
  const auto deepseek = find_pretokenizer("deepseek-v3");
  EXPECT_EQ(split(*deepseek, "ab12345漢字かなa .x\n"), (Words{"ab", "123", "45", "漢字かな", "a", " .", "x", "\n"}));
  EXPECT_EQ(split(*deepseek, ""), Words());
}

TEST(PreTokenizer, OfPatternsKeepsBytesThatAreNotUtf8Apart) {
  const auto pre = find_pretokenizer("bloom");
  EXPECT_EQ(split(*pre, "ab\xFF\xFE \xE2\x82 c"), (Words{"ab", "\xFF", "\xFE", " ", "\xE2", "\x82", " c"}));
}

}  // namespace
}  // namespace puna::text
