// The order of merges, held to the definition: of all pairs of neighbours the one that comes first in the list is merged, the
// leftmost of equals first, again and again.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

std::vector<std::string> by_definition(std::vector<std::string> parts, const std::vector<std::string>& merges) {
  while (true) {
    std::size_t best = merges.size();
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = std::find(merges.begin(), merges.end(), parts[i] + " " + parts[i + 1]);
      const auto rank = static_cast<std::size_t>(found - merges.begin());
      if (rank < best) {
        best = rank;
        place = i;
      }
    }
    if (best == merges.size()) return parts;
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

// Merges of earlier tokens drawn at random, the shorter ones more often; more tokens than the small table of pairs holds.
OwnedVocabulary random_vocabulary(std::mt19937& dice) {
  OwnedVocabulary v = byte_vocabulary("gpt-2");
  std::vector<std::string> parts = {"a", "b", "c"};
  while (v.tokens.size() < 1200) {
    auto draw = [&] { return parts[std::min(dice() % parts.size(), dice() % parts.size())]; };
    const std::string left = draw();
    const std::string right = draw();
    if (left.size() + right.size() > 12 || std::find(v.tokens.begin(), v.tokens.end(), left + right) != v.tokens.end()) continue;
    add(v, left + right);
    v.merges.push_back(left + " " + right);
    parts.push_back(left + right);
  }
  return v;
}

TEST(Bpe, MergesInTheOrderOfTheListAtEveryLength) {
  std::mt19937 dice(7);
  for (int round = 0; round < 3; ++round) {
    OwnedVocabulary v = random_vocabulary(dice);
    const auto tokenizer = v.make();
    for (std::size_t length = 1; length < 120; ++length) {
      std::string word;
      std::vector<std::string> letters;
      for (std::size_t i = 0; i < length; ++i) letters.emplace_back(1, "abc"[dice() % 3]);
      for (const std::string& letter : letters) word += letter;
      std::vector<std::string> texts;
      for (const TokenId id : tokenizer->encode(word, {.add_special = false})) texts.emplace_back(tokenizer->token_text(id));
      EXPECT_EQ(texts, by_definition(letters, v.merges)) << word;
    }
  }
}

// A text long enough for words to be remembered: what is remembered is what was found.
TEST(Bpe, AWordHasTheSameTokensWhereverItStands) {
  std::mt19937 dice(8);
  OwnedVocabulary v = random_vocabulary(dice);
  const auto tokenizer = v.make();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 300; ++i) {
    words.emplace_back(1, ' ');
    for (std::size_t n = 1 + dice() % 70; n > 0; --n) words.back() += "abc"[dice() % 3];
  }
  std::string text;
  std::vector<TokenId> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string& word = words[dice() % words.size()];
    text += word;
    for (const TokenId id : tokenizer->encode(word, {.add_special = false})) expected.push_back(id);
  }
  EXPECT_EQ(tokenizer->encode(text, {.add_special = false}), expected);
}

}  // namespace
}  // namespace puna::text
