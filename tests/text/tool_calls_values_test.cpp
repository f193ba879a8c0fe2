// The values inside of calls: JSON as it comes, Python's constants, braces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/os.h"
#include "base/value.h"
#include "text/tool_calls/json_scanner.h"
#include "text/tool_calls/literals.h"

namespace puna::text::tool_calls {
namespace {

// Whether the scanner takes the text as one whole object or array.
bool scans(std::string_view text) {
  JsonScanner scanner;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!scanner.feed(text[i])) return false;
  return scanner.done();
}

std::vector<std::string> documents() {
  const auto text = os::read_file(PUNA_TEST_DATA "/json/cases.json");
  std::vector<std::string> all;
  if (!text) return all;
  const Result<Value> data = json::parse(*text);
  for (const Value& one : *data->find("documents")->if_array()) all.push_back(*one.find("text")->if_string());
  return all;
}

TEST(JsonScanner, takes_what_python_takes_and_knows_the_byte_that_ends_it) {
  const std::vector<std::string> all = documents();
  ASSERT_GE(all.size(), 100u);
  int n = 0;
  for (std::string text : all) {
    text = "[" + text + "]";
    EXPECT_TRUE(scans(text)) << text;
    JsonScanner scanner;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      ASSERT_TRUE(scanner.feed(text[i]));
      ASSERT_FALSE(scanner.done()) << text.substr(0, i + 1);
    }
    ++n;
  }
  EXPECT_GE(n, 100);
}

TEST(JsonScanner, one_byte_changed_is_judged_as_the_parser_judges_it) {
  int n_refused = 0;
  for (const std::string& document : documents()) {
    if (document.size() > 60) continue;
    const std::string text = "{\"k\":" + document + "}";
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char c : {'x', '"', ',', ':', '0', '.', '-', '}', ']', '{', '\\', 'e', ' '}) {
        std::string changed = text;
        changed[at] = c;
        const Result<Value> value = json::parse(changed);
        const bool is_whole = value && (value->if_object() || value->if_array());
        if (is_whole) {
          EXPECT_TRUE(scans(changed.substr(0, changed.find_last_not_of(' ') + 1))) << changed;
        }
        // The parser also refuses half of a surrogate pair, bytes that are no UTF-8, and powers beyond a double's: no byte tells.
        const bool may_differ = c == '\\' || (c == 'e' && document.size() > 8) || std::ranges::any_of(changed, [](char byte) {
                                  return byte == '\\' || static_cast<unsigned char>(byte) >= 0x7f;
                                });
        if (!value && !may_differ) {
          EXPECT_FALSE(scans(changed)) << changed;
        }
        n_refused += !value;
      }
    }
  }
  EXPECT_GT(n_refused, 1000);
}

TEST(JsonScanner, goes_no_deeper_than_its_limit) {
  EXPECT_TRUE(scans(std::string(JsonScanner::kDeepest, '[') + std::string(JsonScanner::kDeepest, ']')));
  EXPECT_FALSE(scans(std::string(JsonScanner::kDeepest + 1, '[') + std::string(JsonScanner::kDeepest + 1, ']')));
}

std::string keywords(std::string_view text) {
  const Result<Value> value = parse_keywords(text);
  return value ? json::write(*value) : "no";
}

TEST(Constants, keywords_are_read_as_python_reads_them) {
  EXPECT_EQ(keywords(""), "{}");
  EXPECT_EQ(keywords("a=1, b='x', c=\"y\","), R"({"a":1,"b":"x","c":"y"})");
  EXPECT_EQ(keywords("a=[1, 2.5, -3, None, True, False], b=(), c={'k': {}}"),
            R"({"a":[1,2.5,-3,null,true,false],"b":[],"c":{"k":{}}})");
  EXPECT_EQ(keywords(R"(a='it\'s', b="\x41\u00e9\U0001F999\n\\", c='\ud83e\udd99', d='\q')"),
            R"({"a":"it's","b":"Aé🦙\n\\","c":"🦙","d":"\\q"})");
  EXPECT_EQ(keywords("a='x' \"y\", b=.5, c=1e3"), R"({"a":"xy","b":0.5,"c":1000.0})");
  for (const char* text : {"a", "a=", "=1", "a=b", "a=1 b=2", "a='x", "a=[1", "a=1)", "1", "a=f()", "a=--1", "a='\\x4'"})
    EXPECT_EQ(keywords(text), "no") << text;
  EXPECT_EQ(keywords("a=" + std::string(100'000, '[')), "no");
}

TEST(Constants, one_alone) {
  EXPECT_EQ(json::write(*parse_constant("{'a': None}")), R"({"a":null})");
  EXPECT_FALSE(parse_constant("1 2"));
  EXPECT_FALSE(parse_constant(""));
}

TEST(Braces, strings_stand_between_their_own_quotes) {
  const auto read = [](std::string_view text) {
    const Result<Value> value = parse_braces(text, "<|\"|>");
    return value ? json::write(*value) : "no";
  };
  EXPECT_EQ(read(R"(a:1,b:<|"|>x, "y"<|"|>,c:[true,null],d:{e:<|"|><|"|>})"),
            R"({"a":1,"b":"x, \"y\"","c":[true,null],"d":{"e":""}})");
  EXPECT_EQ(read(""), "{}");
  EXPECT_EQ(read(R"(a:<|"|>x)"), "no");
  EXPECT_EQ(read("a:\"x\""), "no");
  EXPECT_EQ(read("a:" + std::string(100'000, '{')), "no");
}

}  // namespace
}  // namespace puna::text::tool_calls
