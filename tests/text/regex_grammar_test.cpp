// Regular expressions as automata: what ECMA-262's own say of texts, and what is refused where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os.h"
#include "base/value.h"
#include "text/grammar/char_set.h"
#include "text/grammar/regex_grammar.h"
#include "text/utf8.h"

namespace puna::text::grammar {
namespace {

using ::testing::HasSubstr;

Result<Dfa> compile(std::string_view pattern, Reach reach, Spelling spelling) {
  Budget budget;
  return regex_dfa(pattern, {reach, spelling}, budget);
}

// tools/make_regex_cases.mjs
TEST(RegexGrammar, matches_what_ecmascript_matches_plain_and_inside_of_json_strings) {
  const auto text = os::read_file(PUNA_TEST_DATA "/regex_cases.json");
  ASSERT_TRUE(text);
  const auto cases = json::parse(*text);
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_GE(cases->if_array()->size(), 600u);
  for (const Value& one : *cases->if_array()) {
    const auto& parts = *one.if_array();
    const Reach reach = *parts[1].if_string() == "whole" ? Reach::whole : Reach::anywhere;
    SCOPED_TRACE(*parts[0].if_string());
    SCOPED_TRACE(*parts[1].if_string());
    for (const Spelling spelling : {Spelling::utf8, Spelling::json}) {
      const auto dfa = compile(*parts[0].if_string(), reach, spelling);
      ASSERT_TRUE(dfa) << dfa.error().message;
      const auto spelled = [&](const Value& word) {
        return spelling == Spelling::json ? json_escaped(*word.if_string()) : *word.if_string();
      };
      for (const Value& word : *parts[2].if_array()) EXPECT_TRUE(dfa->matches(spelled(word))) << spelled(word);
      for (const Value& word : *parts[3].if_array()) EXPECT_FALSE(dfa->matches(spelled(word))) << spelled(word);
    }
  }
}

TEST(RegexGrammar, knows_every_character_but_no_bytes_that_are_none) {
  const Dfa any = compile("[^]", Reach::whole, Spelling::utf8).value();
  for (char32_t code : {0x0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    append_utf8(code, text);
    EXPECT_TRUE(any.matches(text)) << std::hex << static_cast<unsigned>(code);
  }
  for (const char* text : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\x80", "\xC3", "ab"})
    EXPECT_FALSE(any.matches(text));
  const Dfa range = compile("[\\u{7F0}-\\u{10010}]", Reach::whole, Spelling::utf8).value();
  for (char32_t code = 0x700; code < 0x10100; code += code > 0x900 && code < 0xFF00 ? 0x101 : 1) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(range.matches(text), code >= 0x7F0 && code <= 0x10010) << std::hex << static_cast<unsigned>(code);
  }
}

TEST(RegexGrammar, writes_json_with_the_shortest_escapes) {
  EXPECT_EQ(json_escaped("a\"\\/\b\f\n\r\t\x01\x1f\x7f\xC3\xA9"), "a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xC3\xA9");
  const Dfa json = compile("[^]*", Reach::whole, Spelling::json).value();
  EXPECT_TRUE(json.matches("\\u0001\\n\\\"/"));
  for (const char* text : {"\"", "\\", "\n", "\\u000a", "\\u0041", "\\/", "\\u001F"}) EXPECT_FALSE(json.matches(text)) << text;
}

struct Refusal {
  const char* pattern;
  const char* message;
};

TEST(RegexGrammar, refuses_what_it_cannot_run_and_says_where) {
  const Refusal all[] = {
      {"a(?=b)", "before character 4: look-ahead"},
      {"é(?!b)", "before character 4: look-ahead"},
      {"(?<=a)b", "before character 4: look-behind"},
      {"(?<!a)b", "look-behind"},
      {"(a)\\1", "before character 6: a back reference"},
      {"(?<x>a)\\k<x>", "a back reference"},
      {"\\bword", "a word boundary"},
      {"a**", "a quantifier after a quantifier"},
      {"*a", "before character 1: a quantifier with nothing to repeat"},
      {"^*", "a quantifier after an anchor"},
      {"(a", "a '(' without its ')'"},
      {"a)", "a ')' that closes nothing"},
      {"[a", "a '[' without its ']'"},
      {"[b-a]", "out of order"},
      {"a{3,2}", "out of order"},
      {"a{2000000}", "a million or more"},
      {"\\", "a backslash at the end"},
      {"\\a", "the escape '\\a'"},
      {"\\Z", "the escape '\\Z'"},
      {"\\u12", "four hexadecimal digits"},
      {"\\uD800", "half of a surrogate pair"},
      {"\\u{110000}", "no character"},
      {"\\p{Script=Greek}", "the Unicode property 'Script=Greek'"},
      {"(?i)a", "a kind of group"},
      {"\xFF", "not UTF-8"},
  };
  for (const auto& [pattern, message] : all) {
    const auto grammar = regex_grammar(pattern);
    ASSERT_FALSE(grammar) << pattern;
    EXPECT_THAT(grammar.error().message, HasSubstr(message)) << pattern;
  }
  EXPECT_THAT(regex_grammar("a[]").error().message, HasSubstr("no text matches it"));
}

TEST(RegexGrammar, keeps_its_bounds_whatever_the_expression) {
  EXPECT_THAT(regex_grammar("(?:a|b)*a(?:a|b){40}").error().message, HasSubstr("would grow too large"));
  EXPECT_THAT(regex_grammar("((((a{999}){999}){999}){999}){999}").error().message, HasSubstr("would grow too large"));
  EXPECT_THAT(regex_grammar(std::string(100'000, '(')).error().message, HasSubstr("more than 50 deep"));
  EXPECT_TRUE(regex_grammar(std::string(40, '(') + "a" + std::string(40, ')')));
  EXPECT_TRUE(regex_grammar("[a-z]{1,2000}"));
  EXPECT_TRUE(regex_grammar("\\p{L}{1,100}"));
}

TEST(RegexGrammar, is_one_automaton) {
  const auto grammar = regex_grammar("^(yes|no)$").value();
  const auto& node = grammar.nodes[grammar.rules[grammar.root].body];
  ASSERT_TRUE(std::holds_alternative<Regular>(node));
  const Dfa& dfa = *std::get<Regular>(node).dfa;
  EXPECT_TRUE(dfa.matches("yes"));
  EXPECT_TRUE(dfa.matches("no"));
  EXPECT_FALSE(dfa.matches("yes "));
}

}  // namespace
}  // namespace puna::text::grammar
