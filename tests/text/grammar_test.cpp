// Grammars held against texts: GBNF as it is written, and what every legal grammar may ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <time.h>

#include <functional>
#include <random>
#include <string>

#include "text/grammar/gbnf.h"
#include "text/grammar/matcher.h"

namespace puna::text::grammar {
namespace {

using testing::HasSubstr;

std::string repeat(const std::string& text, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

std::shared_ptr<const Automaton> automaton_of(const std::string& gbnf) {
  const auto grammar = parse_gbnf(gbnf);
  EXPECT_TRUE(grammar) << gbnf << ": " << grammar.error().message;
  if (!grammar) return nullptr;
  auto automaton = compile(*grammar);
  EXPECT_TRUE(automaton) << gbnf << ": " << automaton.error().message;
  return automaton ? *automaton : nullptr;
}

bool accepts(const std::shared_ptr<const Automaton>& automaton, const std::string& text) {
  const auto result = matches(automaton, text);
  EXPECT_TRUE(result) << text.substr(0, 100) << ": " << result.error().message;
  return result && *result;
}

// The texts that are the grammar's, and some that are not.
void expect(const std::string& gbnf, const std::vector<std::string>& texts, const std::vector<std::string>& others) {
  const auto automaton = automaton_of(gbnf);
  ASSERT_TRUE(automaton);
  for (const std::string& text : texts) EXPECT_TRUE(accepts(automaton, text)) << gbnf << "\nshould match '" << text << "'";
  for (const std::string& text : others) EXPECT_FALSE(accepts(automaton, text)) << gbnf << "\nshould not match '" << text << "'";
}

std::string error_of(const std::string& gbnf) {
  const auto grammar = parse_gbnf(gbnf);
  if (!grammar) return grammar.error().message;
  const auto automaton = compile(*grammar);
  EXPECT_FALSE(automaton) << gbnf;
  return automaton ? "" : automaton.error().message;
}

double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

TEST(Gbnf, ReadsLiteralsWithEscapes) {
  expect(R"(root ::= "a\n\t\r\"\\\x41\u00e9\U0001F600é")", {"a\n\t\r\"\\A\u00e9\U0001F600é"}, {"", "a"});
  expect(R"(root ::= "")", {""}, {"a"});
  expect(R"(root ::= "\x00")", {std::string(1, '\0')}, {""});
}

TEST(Gbnf, ReadsSetsOfCharacters) {
  expect("root ::= [a-cx]", {"a", "b", "c", "x"}, {"", "d", "-", "ab"});
  expect("root ::= [^a-c]", {"d", "\n", "é", "中", "😀"}, {"", "a", "b", "c", "\xC3", "\xFF"});
  expect("root ::= [a-]", {"a", "-"}, {"b"});
  expect("root ::= [-a]", {"a", "-"}, {"b"});
  expect(R"(root ::= [\]\[\\\"^\x41-\x43])", {"]", "[", "\\", "\"", "^", "A", "C"}, {"D"});
  expect("root ::= [ぁ-ゟ]+", {"ひらがな"}, {"カ", "\xE3\x81"});
  expect("root ::= .", {"a", "\n", "é", "\xF4\x8F\xBF\xBF"}, {"", "ab", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\x80"});
  expect("root ::= [] | \"b\"", {"b"}, {"", "a"});
  expect("root ::= [\\uD000-\\uF000]", {"\uD000", "\uD7FF", "\uE000", "\uF000"}, {"\xED\xA0\x80", "\xED\xBF\xBF", "\uF001"});
}

TEST(Gbnf, ReadsGroupsAlternativesAndRepetitions) {
  expect("root ::= (\"a\" | \"b\") \"c\"", {"ac", "bc"}, {"c", "abc"});
  expect("root ::= \"a\" | | \"b\"", {"", "a", "b"}, {"ab"});
  expect("root ::= \"ab\"* \"c\"+ \"d\"?", {"c", "ababcd", "ccc"}, {"abab", "abbc", "cdd"});
  expect("root ::= \"a\"{2} \"b\"{2,} \"c\"{0,2} \"d\"{1,3}", {"aabbd", "aabbbbccddd"}, {"aabd", "abbd", "aabbcccd", "aabbdddd"});
  expect("root ::= \"a\"{0}", {""}, {"a"});
  expect("root ::= (\"a\"{2}){3}", {"aaaaaa"}, {"aaaaa", "aaaaaaa"});
}

TEST(Gbnf, ReadsRulesOverSeveralLines) {
  expect("# a comment\n\nroot ::= a # another\r\n\n  a ::= (\n \"x\" # here too\n | \"y\"\n)\n", {"x", "y"}, {"xy"});
  expect("root ::=\n  \"x\" |\n  \"y\"\n", {"x", "y"}, {});
  expect("root ::= \"x\"\n  | \"y\"\n  # and\n  | \"z\"", {"x", "y", "z"}, {});
  expect("root ::= rule_1 UPPER-case\nrule_1 ::= \"1\"\nUPPER-case ::= \"2\"", {"12"}, {});
}

TEST(Gbnf, ErrorsSayWhere) {
  EXPECT_THAT(error_of("root ::= \"a"), HasSubstr("line 1, column 10: this text is never closed"));
  EXPECT_THAT(error_of("root ::= a\nb ::= \"x\""), HasSubstr("line 1, column 10: there is no rule 'a'"));
  EXPECT_THAT(error_of("start ::= \"x\""), HasSubstr("there is no rule 'root'"));
  EXPECT_THAT(error_of(""), HasSubstr("there is no rule 'root'"));
  EXPECT_THAT(error_of("root ::= \"a\"\nroot ::= \"b\""), HasSubstr("line 2, column 1: 'root' is there twice"));
  EXPECT_THAT(error_of("root ::= (\"a\"\n\"b\""), HasSubstr("line 1, column 10: this parenthesis is never closed"));
  EXPECT_THAT(error_of("root ::= (\"a\"\nb ::= \"b\""), HasSubstr("line 1, column 10: this parenthesis is never closed"));
  EXPECT_THAT(error_of("root ::= \"a\")"), HasSubstr("column 13: this parenthesis closes none"));
  EXPECT_THAT(error_of("root ::= * \"a\""), HasSubstr("column 10: nothing stands before this '*'"));
  EXPECT_THAT(error_of("root ::= [a"), HasSubstr("its ] is missing"));
  EXPECT_THAT(error_of("root ::= [b-a]"), HasSubstr("ends before it begins"));
  EXPECT_THAT(error_of("root ::= \"\\q\""), HasSubstr("no such escape"));
  EXPECT_THAT(error_of("root ::= \"\\x4\""), HasSubstr("2 hexadecimal digits"));
  EXPECT_THAT(error_of("root ::= \"\\uD800\""), HasSubstr("U+D800 is no character"));
  EXPECT_THAT(error_of("root ::= \"\xFF\""), HasSubstr("0xFF is no UTF-8"));
  EXPECT_THAT(error_of("root ::= \"a\"{,3}"), HasSubstr("wanted a count"));
  EXPECT_THAT(error_of("root ::= \"a\"{3,2}"), HasSubstr("between 3 and 2"));
  EXPECT_THAT(error_of("root ::= \"a\"{99999999999}"), HasSubstr("more than"));
  EXPECT_THAT(error_of("root = \"a\""), HasSubstr("wanted ::="));
  EXPECT_THAT(error_of("root ::= <[x]>"), HasSubstr("number of a token"));
  EXPECT_THAT(error_of("root ::= <think"), HasSubstr("its > is missing"));
  EXPECT_THAT(error_of("root ::= <think>"), HasSubstr("without a model's vocabulary"));
  EXPECT_THAT(error_of("root ::= $"), HasSubstr("found '$'"));
}

// Public reports of other engines: endless recursion, stack overflow, or a refusal of what is legal.
TEST(Grammar, NullableRepetitionsAreLegal) {
  expect(R"(root ::= ("a"*)*)", {"", "a", "aaa"}, {"b"});
  expect("root ::= ws \"x\"\nws ::= (sp | nl)*\nsp ::= [ \\t]*\nnl ::= \"\\n\"*", {"x", "  \n\t x"}, {"", " "});
  expect("root ::= a\na ::= \"a\" ( \"\" | \"b\" )*", {"a", "abbb"}, {"", "b", "ba"});
  expect("root ::= ((((\"\"*)+)?){3,5} | \"a\"?){2,7}", {"", "a", "aaaaaaa"}, {"aaaaaaaa"});
  expect("root ::= (\"a\"?){3}", {"", "a", "aaa"}, {"aaaa"});
  expect("root ::= (\"a\"? \"b\"?){100,200}", {"", "ab", repeat("ab", 200), repeat("a", 200)}, {repeat("a", 201)});
}

TEST(Grammar, LeftRecursionIsLegal) {
  expect("root ::= root \"a\" | \"b\"", {"b", "ba", "baaa"}, {"", "a", "bb"});
  expect("root ::= e\ne ::= e \"+\" t | t\nt ::= t \"*\" f | f\nf ::= \"(\" e \")\" | [0-9]",
         {"1", "1+2*3", "(1+2)*(3)", "((((1))))"}, {"1+", "(1", "1)", "+1"});
  // By way of others.
  expect("root ::= a\na ::= b \"x\" | \"1\"\nb ::= c \"y\" | \"2\"\nc ::= a \"z\" | \"3\"",
         {"1", "2x", "3yx", "1zyx", "1zyxzyx", "3yxzyx", "2xzyx"}, {"", "x", "1x", "1z", "1zy", "2xz"});
  // Behind what may be empty.
  expect("root ::= a\na ::= n a \"b\" | \"c\"\nn ::= \"n\"?", {"c", "cb", "ncb", "cbb", "ncbb", "nncbb"}, {"nc", "nncb"});
  expect("root ::= a\na ::= a | \"x\"", {"x"}, {"", "xx"});
  expect("root ::= a\na ::= b | \"x\"\nb ::= a | \"y\"", {"x", "y"}, {"xy"});
  expect("root ::= a\na ::= a a | \"x\"", {"x", "xx", "xxxxxxxx"}, {""});
  expect("root ::= a\na ::= a? \"x\"", {"x", "xx"}, {""});
  expect("root ::= a\na ::= a{0,2} \"x\"", {"x", "xx", "xxx", "xxxx"}, {""});
  expect("root ::= a\na ::= a{0,100} \"x\" | \"y\"", {"x", "y", "yx", "yyx", repeat("y", 100) + "x"}, {"", "yy"});
}

TEST(Grammar, RightAndMiddleRecursionIsLegal) {
  expect("root ::= \"a\" root \"b\" | \"\"", {"", "ab", "aaabbb"}, {"a", "aab", "abb", "abab"});
  expect("root ::= \"a\" root | \"b\"", {"b", "aaab"}, {"a", ""});
  expect("root ::= p\np ::= \"a\" p \"a\" | \"b\" p \"b\" | \"a\" | \"b\"", {"a", "aba", "abbba"}, {"ab", "abab"});
  expect("root ::= s\ns ::= \"(\" s \")\" s | \"\"", {"", "()", "(())()", "()()()"}, {"(", ")(", "(()"});
}

TEST(Grammar, RulesWithoutAnEndAreLeftOut) {
  expect("root ::= \"a\" | b\nb ::= \"b\" b", {"a"}, {"", "b", "bb"});
  expect("root ::= \"a\" b?\nb ::= c{2,100}\nc ::= \"c\" c", {"a"}, {"ac"});
  EXPECT_THAT(error_of("root ::= \"a\" root"), HasSubstr("'root' never ends"));
  EXPECT_THAT(error_of("root ::= root"), HasSubstr("'root' never ends"));
  EXPECT_THAT(error_of("root ::= []"), HasSubstr("'root' never ends"));
}

// A prefix that is not refused is the beginning of a text that is accepted.
TEST(Grammar, RefusesAtTheFirstByteThatFitsNoText) {
  const auto automaton = automaton_of("root ::= \"a\" (b | \"c\")\nb ::= \"b\" b | \"b\" []");
  Matcher matcher = *Matcher::make(automaton);
  EXPECT_TRUE(*matcher.accept("a"));
  EXPECT_FALSE(*matcher.accept("b"));
  EXPECT_TRUE(*matcher.accept("c"));
  EXPECT_TRUE(matcher.is_complete());
  EXPECT_FALSE(matcher.goes_on());
}

TEST(Grammar, LargeCountsAreCounted) {
  expect("root ::= \"a\"{0,100000}", {"", "a", repeat("a", 100000)}, {repeat("a", 100001)});
  expect("root ::= \"a\"{99999,100000} \"b\"?", {repeat("a", 99999) + "b", repeat("a", 100000)}, {repeat("a", 99998)});
  expect("root ::= [a-zé]{1000,} \"!\"", {repeat("é", 1000) + "!", repeat("z", 5000) + "!"}, {repeat("é", 999) + "!"});
  expect("root ::= (\"a\" | \"aa\"){300,400}", {repeat("a", 300), repeat("a", 500), repeat("a", 800)},
         {repeat("a", 299), repeat("a", 801)});
  expect("root ::= (\"a\"{100,200} \"b\"){100,200}", {repeat(repeat("a", 100) + "b", 200)}, {repeat(repeat("a", 99) + "b", 200)});
  expect("root ::= (\"a\" | \"aaa\"){100,200} \"c\"", {repeat("a", 99) + "aaac", repeat("a", 600) + "c"},
         {repeat("a", 601) + "c", repeat("a", 99) + "c"});
  expect("root ::= x{1000000000}\nx ::= \"a\"", {}, {"", repeat("a", 10000)});
}

TEST(Grammar, DeepNestingIsLegal) {
  const std::string deep = repeat("(", 60000), closed = repeat(")", 60000);
  expect("root ::= " + deep + "\"a\"" + closed, {"a"}, {"", "aa"});
  expect("root ::= " + deep + "\"a\"" + repeat(")*", 60000), {"", "aaa"}, {"b"});
  expect("root ::= " + repeat("(\"a\" ", 60000) + closed, {repeat("a", 60000)}, {repeat("a", 59999)});
  expect("root ::= \"(\" root \")\" | \"\"", {deep + closed}, {deep, deep + closed + ")"});
  std::string rules = "root ::= r0\n";
  for (int i = 0; i < 20000; ++i) rules += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + " \"x\" | \"y\"\n";
  expect(rules + "r20000 ::= \"z\"", {"y", "yx", "z" + repeat("x", 20000)}, {"z"});
}

// 256 KiB of stack are enough for any grammar and any text.
TEST(Grammar, NeedsNoDeepStack) {
  const auto body = [](void*) -> void* {
    const std::string deep = repeat("(", 60000), closed = repeat(")", 60000);
    expect("root ::= " + repeat("((\"a\" ", 30000) + closed, {repeat("a", 30000)}, {});
    expect("root ::= \"(\" root \")\" | \"\"", {deep + closed}, {deep});
    std::string rules = "root ::= r0\n";
    for (int i = 0; i < 10000; ++i) rules += "r" + std::to_string(i) + " ::= \"x\" r" + std::to_string(i + 1) + " \"x\"\n";
    expect(rules + "r10000 ::= \"z\"", {repeat("x", 10000) + "z" + repeat("x", 10000)}, {});
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, body, nullptr), 0);
  pthread_join(thread, nullptr);
}

TEST(Grammar, MoreTransitionsThanMemoryHoldsAreAnError) {
  EXPECT_THAT(error_of("root ::= " + repeat("(\"a\"* ", 60000) + repeat(")", 60000)), HasSubstr("too large"));
  std::string doubled = "root ::= r0\n";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "r" + std::to_string(i + 1);
    doubled += "r" + std::to_string(i) + " ::= " + next + " \"x\" | \"y\" " + next + " | " + next + " r0\n";
  }
  expect(doubled + "r60 ::= \"z\"", {"z" + repeat("x", 60), repeat("y", 60) + "z"}, {"y", "z"});
}

TEST(Grammar, AmbiguityCostsNoMoreThanClarity) {
  // 2^n ways to read n letters.
  const std::string text = repeat("a", 3000);
  const auto check = [&](const std::string& gbnf, const std::string& fits) {
    const auto automaton = automaton_of(gbnf);
    EXPECT_LT(seconds_of([&] { EXPECT_TRUE(accepts(automaton, fits)) << gbnf; }), 3.0) << gbnf;
  };
  check("root ::= (a | b)*\na ::= \"a\"+\nb ::= \"a\" | \"aa\"", text);
  check("root ::= s\ns ::= p | q\np ::= \"a\" s \"x\" | \"y\"\nq ::= \"a\" s \"x\" | \"a\" q \"x\" | \"y\"",
        repeat("a", 300) + "y" + repeat("x", 300));
  check("root ::= s\ns ::= s s | \"a\"", repeat("a", 200));
  check("root ::= x*\nx ::= \"a\" x | \"a\"", text);
}

TEST(Grammar, TooMuchAmbiguityIsAnError) {
  std::string gbnf = "root ::= r0";
  for (int i = 1; i < 300; ++i) gbnf += " | r" + std::to_string(i);
  for (int i = 0; i < 300; ++i)
    gbnf += "\nr" + std::to_string(i) + " ::= \"a\" root \"" + std::to_string(i) + "\" | \"a\" root root \"b\" | \"c\"";
  const auto automaton = automaton_of(gbnf);
  Matcher matcher = *Matcher::make(automaton);
  std::string error;  // perhaps none: it is the time that counts
  EXPECT_LT(seconds_of([&] {
              for (int i = 0; i < 50 && error.empty(); ++i) {
                const auto accepted = matcher.accept("a");
                if (!accepted) error = accepted.error().message;
              }
            }),
            20.0);
}

TEST(Grammar, CopiesGoTheirOwnWays) {
  const auto automaton = automaton_of("root ::= \"(\" root \")\" | [a-z]{1,500}");
  Matcher matcher = *Matcher::make(automaton);
  ASSERT_TRUE(*matcher.accept("(((ab"));
  Matcher other = matcher;
  ASSERT_TRUE(*matcher.accept("c)))"));
  EXPECT_TRUE(matcher.is_complete());
  EXPECT_FALSE(other.is_complete());
  EXPECT_FALSE(*other.accept("))))"));
  ASSERT_TRUE(*other.accept(")))"));
  EXPECT_TRUE(other.is_complete());
}

// What a text has behind it is forgotten when it grows too large; where it stands is not.
TEST(Grammar, LongTextsTakeBoundedMemory) {
  const auto automaton = automaton_of("root ::= (\"(\" [a-z]{1,1000000} \")\")* \".\"");
  Matcher matcher = *Matcher::make(automaton);
  ASSERT_TRUE(*matcher.accept("("));
  ASSERT_TRUE(*matcher.accept(repeat("x", 600000)));
  Matcher copy = matcher;
  ASSERT_TRUE(*copy.accept(repeat("x", 400000)));
  EXPECT_FALSE(*copy.accept("x"));
  EXPECT_TRUE(*copy.accept(")."));
  EXPECT_TRUE(copy.is_complete());
}

}  // namespace
}  // namespace puna::text::grammar
