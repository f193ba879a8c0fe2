// No input is slow, and none needs a deep stack.
#include <gtest/gtest.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <functional>

#include "text/pretokenizers.h"
#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

// Seconds of this thread's own processor time: other programs on the machine do not count.
double seconds_of(const std::function<void()>& work) {
  auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

void on_a_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread{};
  auto run = [](void* job) -> void* {
    (*static_cast<std::function<void()>*>(job))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string repeat(std::string_view unit, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += unit;
  return text;
}

struct Vocabulary {
  std::string name;
  std::unique_ptr<Tokenizer> tokenizer;
};

// Every pre-tokenizer over merges that build ever longer runs of what the texts repeat, and SentencePiece in the same way.
std::vector<Vocabulary> all_vocabularies() {
  std::vector<Vocabulary> all;
  const std::vector<std::string> units = {"Z", "A", "Ċ", "Ġ", ".", "1"};
  const std::vector<std::string> plain_units = {"Z", "A", "\n", "▁", ".", "中"};
  std::vector<const std::string_view*> seen;
  for (const auto name : pretokenizer_names()) {
    const auto* patterns = find_pretokenizer(name)->patterns.data();
    if (std::find(seen.begin(), seen.end(), patterns) != seen.end()) continue;  // another name of the same
    seen.push_back(patterns);
    const bool characters = find_pretokenizer(name)->characters;
    auto v = characters ? character_vocabulary(std::string(name)) : byte_vocabulary(std::string(name));
    for (const auto& unit : characters ? plain_units : units) {
      if (characters) add(v, unit);
      for (std::size_t n = 1; n <= 64; n *= 2) {
        add(v, repeat(unit, 2 * n));
        v.merges.push_back(repeat(unit, n) + " " + repeat(unit, n));
      }
    }
    add(v, "<|im_end|>", TokenKind::control);
    all.push_back({std::string(name), v.make()});
  }
  for (const bool prefix : {true, false}) {
    auto v = piece_vocabulary();
    v.data.add_space_prefix = prefix;
    for (const std::string unit : {"Z", "A", "\n", "▁", ".", "中"}) {
      for (std::size_t n = 1; n <= 128; n *= 2) add(v, repeat(unit, n), TokenKind::normal, static_cast<float>(n));
    }
    for (std::size_t n = 2; n < 32; ++n) add(v, std::string(n, '\n'), TokenKind::user_defined);
    for (std::size_t n = 2; n < 32; ++n) add(v, std::string(n, ' '), TokenKind::user_defined);
    all.push_back({prefix ? "llama" : "llama without prefix", v.make()});
  }
  auto unigram = unigram_vocabulary();
  for (const std::string& unit : plain_units) {
    for (std::size_t n = 1; n <= 16; n *= 2) add(unigram, repeat(unit, n), TokenKind::normal, -8 - static_cast<float>(n));
  }
  add(unigram, "a▁b", TokenKind::normal, -20);  // so that no text falls into words
  all.push_back({"t5", unigram.make()});
  auto greedy = rwkv_vocabulary();
  for (const std::string unit : {"Z", "A", "\n", " ", ".", "中"}) {
    for (std::size_t n = 1; n <= 64; n *= 2) add(greedy, repeat(unit, n));
  }
  all.push_back({"rwkv", greedy.make()});
  return all;
}

TEST(TokenizerSpeed, LongRunsOfOneCharacterNeedNeitherStackNorTime) {
  const std::string texts[] = {std::string(131072, 'Z'), std::string(43000, 'A'),      std::string(200000, '\n'),
                               std::string(200000, ' '), std::string(200000, '.'),     repeat("中", 60000),
                               std::string(200000, '1'), repeat("\xFF", 100000),       repeat("'", 100000),
                               repeat("a\u0301", 50000), repeat("\u0301\u0316", 50000)};
  for (const auto& [name, tokenizer] : all_vocabularies()) {
    for (const auto& text : texts) {
      on_a_small_stack([&] {
        std::vector<TokenId> ids;
        EXPECT_LT(seconds_of([&] { ids = tokenizer->encode(text, {.add_special = false}); }), 2.0)
            << name << " " << text.substr(0, 3);
        if (text.find("\u0301") == std::string::npos) {
          EXPECT_TRUE(tokenizer->decode(ids) == text) << name << " " << text.substr(0, 3);
        }
      });
    }
  }
}

TEST(TokenizerSpeed, TwiceTheTextTakesAboutTwiceTheTime) {
  const char* const units[] = {"Z", "\n", " ", ".", "中", "1", "ab ", "\r\n ", "<|im_end|", "<", "'", "\u0301\u0316", "Z1 .\n"};
  for (const auto& [name, tokenizer] : all_vocabularies()) {
    for (const char* unit : units) {
      const std::string half = repeat(unit, 40000 / std::string_view(unit).size());
      const std::string whole = half + half;
      auto best = [&](const std::string& text) {
        double least = 1e9;
        for (int i = 0; i < 2; ++i) least = std::min(least, seconds_of([&] { tokenizer->encode(text); }));
        return least;
      };
      // Whoever shares the caches can spoil a measurement, hardly three.
      bool is_linear = false;
      for (int i = 0; i < 3 && !is_linear; ++i) is_linear = best(whole) < 3 * best(half) + 0.01;
      EXPECT_TRUE(is_linear) << name << " " << json::quote(unit);
    }
  }
}

TEST(TokenizerSpeed, ManySpecialTokensDoNotSlowTheTextDown) {
  auto make = [](int n) {
    auto v = byte_vocabulary();
    for (int i = 0; i < n; ++i) add(v, "<unused" + std::to_string(i) + ">", TokenKind::control);
    return v.make();
  };
  const auto few = make(10);
  const auto many = make(6000);
  const std::string text = repeat("<unused <unused59 a", 20000);
  auto best = [&](const Tokenizer& t) {
    double least = 1e9;
    for (int i = 0; i < 3; ++i) least = std::min(least, seconds_of([&] { t.encode(text); }));
    return least;
  };
  EXPECT_LT(best(*many), 2 * best(*few) + 0.02);
}

TEST(TokenizerSpeed, AVocabularyOf150000TokensIsReadyInAMoment) {
  auto v = byte_vocabulary("qwen2");
  std::vector<std::string> words(v.tokens);
  for (std::size_t i = 0; v.tokens.size() < 150000; ++i) {
    // Each token is an earlier one and a letter more.
    const std::string& left = v.tokens[33 + i % 90 + i / 26];
    const std::string right(1, static_cast<char>('a' + i % 26));
    v.merges.push_back(left + " " + right);
    add(v, left + right);
  }
  for (int i = 0; i < 300; ++i) add(v, "<|reserved_" + std::to_string(i) + "|>", TokenKind::control);
  v.view();
  EXPECT_LT(seconds_of([&] { EXPECT_TRUE(Tokenizer::make(v.data)); }), 0.6);  // 0.1 s with optimization; sanitizers take more
}

}  // namespace
}  // namespace puna::text
