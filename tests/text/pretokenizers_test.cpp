// How texts are cut into words: the hand-written splitters against the patterns that they stand for, run by PCRE2.
#include "text/pretokenizers.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <algorithm>
#include <memory>
#include <random>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using Words = std::vector<std::string>;

Words split(const PreTokenizer& pre, std::string_view text) {
  std::vector<Span> spans;
  WordSplitter(pre).split(text, spans);
  Words words;
  std::size_t at = 0;
  for (const Span span : spans) {
    EXPECT_EQ(span.begin, at);
    EXPECT_GT(span.end, span.begin);
    words.emplace_back(text.substr(span.begin, span.size()));
    at = span.end;
  }
  EXPECT_EQ(at, text.size());
  return words;
}

class Pattern {
 public:
  explicit Pattern(const std::string& pattern) {
    int error = 0;
    std::size_t offset = 0;
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset,
                          nullptr);
    EXPECT_NE(code_, nullptr) << pattern << " at " << offset;
    match_ = pcre2_match_data_create_from_pattern(code_, nullptr);
  }
  ~Pattern() {
    pcre2_match_data_free(match_);
    pcre2_code_free(code_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Matches and what lies between them.
  Words split(std::string_view text) const {
    Words words;
    std::size_t at = 0;
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    while (at < text.size() && pcre2_match(code_, subject, text.size(), at, 0, match_, nullptr) > 0) {
      const auto* found = pcre2_get_ovector_pointer(match_);
      if (found[0] > at) words.emplace_back(text.substr(at, found[0] - at));
      words.emplace_back(text.substr(found[0], found[1] - found[0]));
      at = found[1];
    }
    if (at < text.size()) words.emplace_back(text.substr(at));
    return words;
  }

 private:
  pcre2_code* code_ = nullptr;
  pcre2_match_data* match_ = nullptr;
};

// One character of every sort that some pattern tells apart, in random order. PCRE2's \s has U+180E, Unicode's has not: it
// is left out.
std::string random_text(std::mt19937& random) {
  static const Words kParts = {"a",      "Z", "s", "t", "re", "LL", "'",      "'s", "'T",   "'Ve",  "é",      "中",     "1",
                               "2",      "٣", "½", " ", " ",  "  ", "\t",     "\n", "\r",   "\r\n", "\u00A0", "\u2003", "\u0085",
                               "\u2028", ".", "!", "-", "_",  "…",  "\u0301", "🦙", "\x01", "ſ",    "ǅ",      "ʰ"};
  std::string text;
  for (std::size_t n = random() % 24; n > 0; --n) text += kParts[random() % kParts.size()];
  return text;
}

struct Row {
  const char* name;
  std::vector<const char*> patterns;  // each splits what the one before left
};

const char* const kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const Row kRows[] = {
    {"gpt-2", {kGpt2}},
    {"smollm", {R"(\p{N})", kGpt2}},
    {"llama-bpe",
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
    {"qwen2",
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
};

class PreTokenizers : public testing::TestWithParam<Row> {};

TEST_P(PreTokenizers, AgreeWithTheirPattern) {
  const Row& row = GetParam();
  const auto pre = find_pretokenizer(row.name);
  ASSERT_TRUE(pre);
  std::vector<std::unique_ptr<Pattern>> patterns;
  for (const char* pattern : row.patterns) patterns.push_back(std::make_unique<Pattern>(pattern));
  auto check = [&](const std::string& text) {
    Words expected{text};
    for (const auto& pattern : patterns) {
      Words finer;
      for (const auto& part : expected) std::ranges::move(pattern->split(part), std::back_inserter(finer));
      expected = finer;
    }
    if (text.empty()) expected.clear();
    EXPECT_EQ(split(*pre, text), expected) << json::quote(text);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 20000 && !HasFailure(); ++i) check(random_text(random));
  for (const auto& text : strings(read_json("texts.json").find("texts"))) {
    if (text.find("\u180E") == std::string::npos) check(text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PreTokenizers, testing::ValuesIn(kRows), [](const auto& row) {
  std::string name = row.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(PreTokenizer, ABytethatIsNotUtf8IsASymbol) {
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
  const auto pre = find_pretokenizer("gpt-4o");
  EXPECT_EQ(split(*pre, "ab\xFF\xFE  \xE2\x82 c"), (Words{"ab", "\xFF", "\xFE", "  ", "\xE2", "\x82", " c"}));
}

}  // namespace
}  // namespace puna::text
