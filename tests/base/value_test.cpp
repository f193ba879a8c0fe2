#include "base/value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/check.h"
#include "base/os.h"

namespace puna {
namespace {

Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *std::move(value) : Value();
}

std::string refusal(std::string_view text, int max_depth = 128) {
  const auto value = json::parse(text, max_depth);
  EXPECT_FALSE(value) << text << " was accepted";
  return value ? "" : value.error().message;
}

double as_double(const Value& value) {
  if (value.if_double()) return *value.if_double();
  if (value.if_int()) return static_cast<double>(*value.if_int());
  return value.if_uint() ? static_cast<double>(*value.if_uint()) : std::nan("");
}

const Value& python_cases() {
  static const Value cases = parsed(os::read_file(PUNA_TEST_DATA "/json/cases.json").value());
  return cases;
}

TEST(Json, ReadsAndWritesDocumentsAsPythonDoes) {
  const Value::Array& documents = *python_cases().find("documents")->if_array();
  ASSERT_GE(documents.size(), 100u);
  for (const Value& document : documents) {
    const std::string& text = *document.find("text")->if_string();
    EXPECT_EQ(json::write(parsed(text)), *document.find("compact")->if_string()) << text;
  }
}

TEST(Json, WhatItWritesReadsBackTheSame) {
  for (const Value& document : *python_cases().find("documents")->if_array()) {
    const Value value = parsed(*document.find("text")->if_string());
    EXPECT_EQ(parsed(json::write(value)), value);
    EXPECT_EQ(parsed(json::write(value, {.indent = 2})), value);
  }
}

TEST(Json, ReadsNumbersToTheLastBitAsPythonDoes) {
  for (const Value& number : *python_cases().find("numbers")->if_array()) {
    const std::string& text = *number.find("text")->if_string();
    const double exact = std::strtod(number.find("exact")->if_string()->c_str(), nullptr);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(as_double(parsed(text))), std::bit_cast<std::uint64_t>(exact)) << text;
  }
}

TEST(Json, WritesTheShortestNumberThatReadsBackTheSame) {
  EXPECT_EQ(json::write(0.7), "0.7");
  EXPECT_EQ(json::write(parsed("0.7")), "0.7");
  EXPECT_EQ(json::write(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(json::write(static_cast<double>(0.1f)), "0.10000000149011612");
  for (const Value& number : *python_cases().find("numbers")->if_array()) {
    const double value = as_double(parsed(*number.find("text")->if_string()));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(as_double(parsed(json::write(value)))), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Json, KeepsWhichNumbersAreIntegers) {
  EXPECT_EQ(json::write(parsed("[1,1.0,-0,-0.0]")), "[1,1.0,0,-0.0]");
  EXPECT_TRUE(parsed("9223372036854775807").if_int());
  EXPECT_TRUE(parsed("9223372036854775808").if_uint());
  EXPECT_TRUE(parsed("18446744073709551615").if_uint());
  EXPECT_TRUE(parsed("18446744073709551616").if_double());
  EXPECT_TRUE(parsed("1e2").if_double());
}

TEST(Json, WritesWhatIsNoNumberAsNull) {
  EXPECT_EQ(json::write(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json::write(-std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, KeepsTheOrderOfKeysAndTheLastOfARepeatedOne) {
  EXPECT_EQ(json::write(parsed(R"({"z":1,"a":2,"m":3})")), R"({"z":1,"a":2,"m":3})");
  EXPECT_EQ(json::write(parsed(R"({"z":1,"a":2,"z":3})")), R"({"z":3,"a":2})");
}

TEST(Json, AMillionKeysTakeNoTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{}\"{}\":{}", i ? "," : "", i, i);
  text += "}";
  EXPECT_EQ(parsed(text).if_object()->size(), 200'000u);
}

TEST(Json, RefusesNestingBeyondItsLimit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(json::parse(nested(128)));
  EXPECT_FALSE(json::parse(nested(129)));
  EXPECT_TRUE(json::parse(nested(3), 3));
  EXPECT_FALSE(json::parse(nested(4), 3));
  EXPECT_FALSE(json::parse(std::string(1'000'000, '[')));
}

TEST(Json, SaysWhereTheMistakeIs) {
  EXPECT_NE(refusal("{\n  \"a\": }").find("line 2, column 8"), std::string::npos) << refusal("{\n  \"a\": }");
  EXPECT_NE(refusal("[1,2] x").find("line 1, column 7"), std::string::npos) << refusal("[1,2] x");
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text :
       {"",    " ",   "[1,]",     "{\"a\":1,}", "{a:1}",  "'a'",     "01",          "+1",     "1.",      ".5",
        "nul", "NaN", "Infinity", "[1 2]",      "\"\n\"", "\"\\x\"", "\"\\ud800\"", "\"open", "/* */ 1", "1 1"})
    refusal(text);
}

TEST(Json, RefusesInvalidUtf8AndWritesItAsReplacement) {
  refusal("\"\xFF\"");
  refusal("\"\xC0\x80\"");
  EXPECT_EQ(json::quote("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json::quote("\xE6\x97\xA5"), "\"\xE6\x97\xA5\"");
  EXPECT_EQ(json::quote("\xE6\x97"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"") << "a character cut short";
  EXPECT_EQ(json::quote("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") << "a surrogate";
}

TEST(Json, QuotesControlCharacters) {
  EXPECT_EQ(json::quote(std::string_view("\"\\\n\t\r\0\x1F", 7)), R"("\"\\\n\t\r\u0000\u001f")");
}

TEST(Json, IndentsWhenAsked) {
  const Value value = Value::object({{"a", Value::array({1, 2})}, {"b", Value::object()}, {"c", Value::array()}});
  EXPECT_EQ(json::write(value, {.indent = 2}), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

TEST(Json, WritesAFloatAsShortlyAsItIs) {
  EXPECT_EQ(json::write(json::shortest(0.7f)), "0.7");
  EXPECT_EQ(json::write(json::shortest(1e-5f)), "1e-05");
  EXPECT_EQ(json::write(json::shortest(-3.0f)), "-3.0");
  EXPECT_TRUE(std::isnan(json::shortest(NAN)));
  EXPECT_EQ(json::shortest(INFINITY), INFINITY);
}

TEST(Value, FindsSetsAndAppends) {
  Value value;
  value.set("a", 1);
  value.set("b", "two");
  value.set("a", 3);
  EXPECT_EQ(*value.find("a")->if_int(), 3);
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(Value(5).find("a"), nullptr);
  Value list;
  list.push_back(1);
  list.push_back("x");
  EXPECT_EQ(json::write(list), R"([1,"x"])");
  EXPECT_THROW(list.set("a", 1), Bug);
  EXPECT_THROW(value.push_back(1), Bug);
}

TEST(Value, NamesItsTypes) {
  EXPECT_EQ(Value().type_name(), "null");
  EXPECT_EQ(Value(true).type_name(), "boolean");
  EXPECT_EQ(Value(1).type_name(), "integer");
  EXPECT_EQ(Value(std::uint64_t{1}).type_name(), "integer");
  EXPECT_EQ(Value(1.5).type_name(), "number");
  EXPECT_EQ(Value("x").type_name(), "string");
  EXPECT_EQ(Value::array().type_name(), "array");
  EXPECT_EQ(Value::object().type_name(), "object");
}

}  // namespace
}  // namespace puna
