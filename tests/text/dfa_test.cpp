// Automata over bytes: the operations on languages, minimal forms, and what is refused as too large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "text/grammar/dfa.h"
#include "text/grammar/nfa.h"

namespace puna::text::grammar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dfa words(const std::vector<std::string>& all) {
  Budget budget;
  return any_of(all, budget).value();
}

// Every word that `a` has not.
Dfa complement(const Dfa& a, Budget& budget) {
  Dfa::Table every;
  every.next = {0};
  every.accepting = {1};
  return subtract(Dfa::from(std::move(every), budget).value(), a, budget).value();
}

TEST(Dfa, has_the_words_that_it_was_given_and_no_others) {
  const Dfa dfa = words({"cat", "car", "", "do"});
  for (const char* word : {"cat", "car", "", "do"}) EXPECT_TRUE(dfa.matches(word)) << word;
  for (const char* word : {"c", "ca", "cats", "d", "dog", "x"}) EXPECT_FALSE(dfa.matches(word)) << word;
  EXPECT_EQ(dfa.shortest(), "");
  EXPECT_THAT(*dfa.words(4), ElementsAre("", "do", "car", "cat"));
  EXPECT_FALSE(dfa.words(3));
}

TEST(Dfa, is_minimal_so_that_equal_languages_are_equal_automata) {
  Budget budget;
  const Dfa a = words({"a"}), b = words({"b"});
  const Dfa ab_star = star(unite(a, b, budget).value(), budget).value();
  const Dfa other = star(unite(star(a, budget).value(), star(b, budget).value(), budget).value(), budget).value();
  EXPECT_EQ(ab_star, other);
  EXPECT_EQ(ab_star.size(), 1u);
  EXPECT_EQ(words({"xay", "xby"}).size(), 4u);
}

TEST(Dfa, of_nothing_is_empty_and_has_no_start) {
  Budget budget;
  const Dfa nothing = intersect(words({"a"}), words({"b"}), budget).value();
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.start(), Dfa::kDead);
  EXPECT_FALSE(nothing.shortest());
  EXPECT_EQ(nothing, Dfa());
  EXPECT_FALSE(words({""}).empty());
}

TEST(Dfa, counts_repeats) {
  Budget budget;
  const Dfa some = repeat(words({"ab", "c"}), 2, 3, budget).value();
  for (const char* word : {"abab", "cc", "abc", "cabab", "ccc"}) EXPECT_TRUE(some.matches(word)) << word;
  for (const char* word : {"", "ab", "c", "cccc", "aba"}) EXPECT_FALSE(some.matches(word)) << word;
  EXPECT_TRUE(repeat(words({"a"}), 0, 0, budget)->matches(""));
  EXPECT_TRUE(repeat(words({"a"}), 3, std::nullopt, budget)->matches("aaaaa"));
  EXPECT_FALSE(repeat(words({"a"}), 3, std::nullopt, budget)->matches("aa"));
}

TEST(Dfa, complement_and_difference_agree_with_membership_on_every_short_word) {
  Budget budget;
  const Dfa a = star(words({"ab", "b", "aab"}), budget).value(), b = repeat(words({"a", "bb"}), 1, 4, budget).value();
  const Dfa both = intersect(a, b, budget).value(), only = subtract(a, b, budget).value(), either = unite(a, b, budget).value(),
            rest = complement(a, budget);
  for (unsigned length = 0; length < 10; ++length) {
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      std::string word;
      for (unsigned i = 0; i < length; ++i) word += bits >> i & 1 ? 'a' : 'b';
      const bool in_a = a.matches(word), in_b = b.matches(word);
      ASSERT_EQ(both.matches(word), in_a && in_b) << word;
      ASSERT_EQ(only.matches(word), in_a && !in_b) << word;
      ASSERT_EQ(either.matches(word), in_a || in_b) << word;
      ASSERT_EQ(rest.matches(word), !in_a) << word;
    }
  }
}

TEST(Dfa, of_random_tables_is_the_same_language_in_no_more_states) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Dfa::Table table;
    table.n_classes = 2;
    for (unsigned byte = 0; byte < 256; ++byte) table.class_of[byte] = byte == 'b';
    const std::size_t n = 1 + random() % 12;
    for (std::size_t i = 0; i < 2 * n; ++i)
      table.next.push_back(random() % 4 == 0 ? Dfa::kDead : static_cast<Dfa::State>(random() % n));
    for (std::size_t i = 0; i < n; ++i) table.accepting.push_back(random() % 3 == 0);
    Budget budget;
    const Dfa dfa = Dfa::from(table, budget).value();
    EXPECT_LE(dfa.size(), n);
    for (unsigned length = 0; length < 9; ++length) {
      for (unsigned bits = 0; bits < 1u << length; ++bits) {
        std::string word;
        Dfa::State state = 0;
        for (unsigned i = 0; i < length; ++i) {
          word += bits >> i & 1 ? 'b' : 'a';
          if (state != Dfa::kDead) state = table.next[state * 2 + (bits >> i & 1)];
        }
        ASSERT_EQ(dfa.matches(word), state != Dfa::kDead && table.accepting[state]);
      }
    }
    // Every pair of states is told apart by some word: else it would not be minimal.
    Budget more;
    EXPECT_EQ(complement(complement(dfa, more), more), dfa);
  }
}

TEST(Dfa, that_would_grow_too_large_is_refused_by_name) {
  Budget small(1000);
  const auto dfa = repeat(words({"abc"}), 1000, std::nullopt, small);
  ASSERT_FALSE(dfa);
  EXPECT_EQ(dfa.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(dfa.error().message, HasSubstr("would grow too large"));
}

TEST(Nfa, jumps_bound_to_the_ends_hold_only_there) {
  Nfa nfa;
  const auto begin = nfa.add(), middle = nfa.add(), end = nfa.add();
  nfa.edge(begin, 'a', 'a', begin);
  nfa.jump(begin, middle, Nfa::Where::at_start);
  nfa.edge(middle, 'b', 'b', middle);
  nfa.jump(middle, end, Nfa::Where::at_end);
  nfa.edge(end, 'c', 'c', end);
  Budget budget;
  const Dfa dfa = nfa.determine(begin, end, budget).value();
  for (const char* word : {"", "b", "bbb"}) EXPECT_TRUE(dfa.matches(word)) << word;
  for (const char* word : {"a", "ab", "bc", "c"}) EXPECT_FALSE(dfa.matches(word)) << word;
}

}  // namespace
}  // namespace puna::text::grammar
