// JSON Schema as grammars: the normal form of texts, keyword by keyword. The JSON Schema Test Suite runs in
// tests/tools/json_schema_suite_test.py.
#include <chrono>
#include <ctime>

#include "text/json_schema_support.h"

namespace puna::text::grammar {
namespace {

TEST(JsonSchema, accepts_any_value_in_the_normal_form_where_nothing_is_asked) {
  expect_texts("{}", {"null", "true", "[]", "{}", "[1, \"a\", {\"b\": [null]}]", "-12.5", R"("é\n\"")"},
               {"", "nul", "[1,2]", "{\"a\":1}", "[ ]", "1.0", "01", "-0", "1e5", R"("\u00e9")", R"("\/")", "\"\n\"", " 1"});
  expect_texts("true", {"1"}, {});
}

TEST(JsonSchema, knows_types) {
  expect_texts(R"({"type":"integer"})", {"0", "-7", "123456789012345678901234567890"}, {"1.5", "\"1\"", "true"});
  expect_texts(R"({"type":"number"})", {"0", "1.5", "-0.001", "10"}, {"1.50", ".5", "1.", "null", "0.1234567890123456"});
  expect_texts(R"({"type":["string","null"]})", {"\"\"", "null"}, {"1", "{}"});
  expect_texts(R"({"type":"boolean"})", {"true", "false"}, {"null"});
}

TEST(JsonSchema, writes_objects_in_the_order_of_the_schema_and_others_last) {
  const char* schema =
      R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}},"required":["b"]})";
  expect_texts(schema,
               {R"({"b": 1})", R"({"a": 1, "b": 2})", R"({"a": 1, "b": 2, "c": 3})", R"({"b": 2, "c": 3, "d": []})",
                R"({"b": 2, "d": 1, "e": 2})"},
               {"{}", R"({"a": 1})", R"({"b": 1, "a": 2})", R"({"b": 1, "d": 2, "c": 3})", R"({"b": "x"})", R"({"b": 1, "b": 2})",
                R"({"b": 1,})"});
  expect_texts(R"({"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false})",
               {"{}", R"({"a": 1})", R"({"b": 1})", R"({"a": 1, "b": 1})"},
               {R"({"c": 1})", R"({"b": 1, "a": 1})", R"({, "a": 1})"});
  expect_texts(R"({"type":"object","properties":{}})", {"{}", R"({"a": 1})"}, {"[]"});
  expect_texts(R"({"properties":{"a\"\n":{}},"required":["a\"\n"],"additionalProperties":false,"type":"object"})",
               {R"({"a\"\n": 0})"}, {"{}"});
}

TEST(JsonSchema, keeps_the_names_of_other_properties_apart_from_those_declared) {
  expect_texts(R"({"type":"object","properties":{"ab":{"type":"null"}},"additionalProperties":{"type":"integer"}})",
               {R"({"ab": null})", R"({"a": 1})", R"({"abc": 1, "": 2})"}, {R"({"ab": 1})", R"({"abc": null})"});
  expect_texts(
      R"({"type":"object","patternProperties":{"^i":{"type":"integer"},"s$":{"type":["integer","string"]}},"additionalProperties":false})",
      {R"({"i": 1, "s": "x"})", R"({"is": 1})"}, {R"({"is": "x"})", R"({"x": 1})", R"({"i": "x"})"});
  expect_texts(R"({"type":"object","propertyNames":{"pattern":"^[a-c]$"}})", {R"({"a": 1, "c": 2})"}, {R"({"d": 1})"});
  expect_texts(
      R"({"type":"object","propertyNames":{"enum":["x","y"]},"additionalProperties":{"type":"boolean"},"minProperties":2})",
      {R"({"x": true, "y": false})"}, {R"({"x": true})", R"({"x": true, "x": true})", R"({"x": 1, "y": 1})"});
}

TEST(JsonSchema, counts_properties) {
  expect_texts(R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,"minProperties":2})",
               {R"({"a": 1, "b": 1})", R"({"b": 1, "c": 1})", R"({"a": 1, "b": 1, "c": 1})"}, {"{}", R"({"a": 1})"});
  expect_texts(R"({"type":"object","properties":{"a":{},"b":{}},"maxProperties":2})",
               {"{}", R"({"a": 1, "x": 1})", R"({"x": 1, "y": 1})"},
               {R"({"a": 1, "b": 1, "x": 1})", R"({"x": 1, "y": 1, "z": 1})"});
  expect_texts(R"({"type":"object","minProperties":1})", {R"({"x": 1})", R"({"x": 1, "y": 1})"}, {"{}"});
  expect_refused(R"({"type":"object","minProperties":2})", "#: minProperties 2 counts on properties that are not declared");
}

TEST(JsonSchema, knows_arrays) {
  expect_texts(R"({"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3})", {"[1]", "[1, 2, 3]"},
               {"[]", "[1, 2, 3, 4]", "[null]"});
  expect_texts(R"({"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"},"minItems":1})",
               {R"(["a"])", R"(["a", 1])", R"(["a", 1, null, null])"}, {"[]", "[1]", R"(["a", "b"])", R"(["a", 1, 2])"});
  expect_texts(R"({"type":"array","prefixItems":[{},{}],"items":false})", {"[]", "[1]", "[1, 2]"}, {"[1, 2, 3]"});
  expect_texts(R"({"type":"array","items":[{"type":"integer"}],"additionalItems":{"type":"string"}})",
               {"[]", "[1]", R"([1, "a"])"}, {R"(["a"])"});
  expect_texts(R"({"type":"array","minItems":3,"maxItems":100000})", {"[1, 2, 3]"}, {"[1, 2]"});
}

TEST(JsonSchema, counts_what_arrays_contain) {
  const char* schema = R"({"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":3})";
  expect_texts(schema, {"[1, 2]", "[null, 1, null, 2]", "[1, 2, 3]"}, {"[]", "[1]", "[1, 2, 3, 4]"});
  expect_texts(R"({"type":"array","contains":{"type":"integer"},"maxItems":2})", {"[1]", "[null, 1]", "[1, 1]"},
               {"[null, null]", "[null, null, 1]"});
  expect_texts(R"({"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"integer"},"minItems":3})",
               {R"(["a", 1, 2])", R"(["a", null, 2])"}, {R"(["a", 1])", R"([1, 1, 1])", R"(["a", null, null])"});
}

TEST(JsonSchema, tells_items_apart_where_they_are_few) {
  expect_texts(R"({"type":"array","items":{"enum":["a","b",1]},"uniqueItems":true,"minItems":1})",
               {R"(["a"])", R"([1, "b", "a"])"}, {"[]", R"(["a", "a"])", R"(["a", "b", "a"])"});
  expect_texts(R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true})", {"[]", "[true, false]"}, {"[true, true]"});
  expect_texts(R"({"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"uniqueItems":true})",
               {R"(["a", 1])"}, {});
  expect_texts(R"({"type":"array","uniqueItems":true,"maxItems":1})", {"[]", "[1]"}, {"[1, 2]"});
  expect_refused(R"({"properties":{"a":{"type":"array","uniqueItems":true}}})",
                 "#/properties/a/uniqueItems: that all items differ");
}

TEST(JsonSchema, bounds_numbers) {
  expect_texts(R"({"type":"integer","minimum":-12,"maximum":105})", {"-12", "-9", "0", "99", "105"},
               {"-13", "-20", "106", "110", "1000", "-100"});
  expect_texts(R"({"type":"number","exclusiveMinimum":0.5,"maximum":10})", {"0.51", "0.6", "1", "9.99", "10", "0.500001"},
               {"0.5", "0.49", "10.1", "0", "-1", "11"});
  expect_texts(R"({"type":"number","minimum":-0.25,"exclusiveMaximum":0})", {"-0.25", "-0.1", "-0.001"},
               {"-0.26", "0", "-1", "0.1"});
  expect_texts(R"({"type":"integer","minimum":0.5,"maximum":3.5})", {"1", "3"}, {"0", "4"});
  expect_texts(R"({"type":"integer","format":"int32"})", {"2147483647", "-2147483648"}, {"2147483648", "-2147483649"});
  expect_texts(R"({"type":"number","minimum":5,"exclusiveMinimum":true})", {"5.1"}, {"5"});
  expect_refused(R"({"type":"integer","minimum":1.2,"maximum":1.8})", "no value is valid");
  expect_refused(R"({"minimum":"1"})", "#: minimum must be a number, not \"1\"");
  expect_refused(R"({"minimum":1e400})", "#: minimum must be a number, not a number too large");
}

TEST(JsonSchema, bounds_agree_with_arithmetic_on_every_number_of_a_grid) {
  const char* const limits[] = {"-10.5", "-1", "-0.05", "0", "0.3", "2", "9.9", "10", "99"};
  for (const char* limit : limits) {
    for (const char* keyword : {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"}) {
      const auto grammar = compile_schema(fmt::format(R"({{"type":"number","{}":{}}})", keyword, limit)).value();
      Recognizer recognizer(grammar);
      const double bound = std::stod(limit);
      for (int hundredths = -1200; hundredths <= 10100; hundredths += hundredths < 1100 ? 1 : 23) {
        const double value = hundredths / 100.0;
        std::string text = fmt::format("{}", value);
        if (text.ends_with(".0")) text.resize(text.size() - 2);
        if (text == "-0") text = "0";
        const std::string_view name = keyword;
        const bool valid = name == "minimum"            ? value >= bound
                           : name == "exclusiveMinimum" ? value > bound
                           : name == "maximum"          ? value <= bound
                                                        : value < bound;
        ASSERT_EQ(recognizer.matches(text), valid) << keyword << " " << limit << ": " << text;
      }
    }
  }
}

TEST(JsonSchema, knows_multiples) {
  expect_texts(R"({"type":"integer","multipleOf":7})", {"0", "7", "-14", "700"}, {"1", "8", "-13", "3.5"});
  expect_texts(R"({"type":"number","multipleOf":0.01})", {"0", "1", "1.5", "-3.14", "19.99"}, {"0.001", "1.505"});
  expect_texts(R"({"type":"number","multipleOf":2.5})", {"2.5", "5", "7.5", "-10"}, {"1", "2", "6.5"});
  expect_texts(R"({"type":"integer","multipleOf":4,"allOf":[{"multipleOf":6}],"minimum":1,"maximum":30})", {"12", "24"},
               {"4", "6", "0", "36"});
  expect_refused(R"({"multipleOf":0})", "#: multipleOf must be a number above 0, not 0");
  expect_refused(R"({"properties":{"a":{"multipleOf":123456789}}})", "#/properties/a: multiples of 123456789 need an automaton");
}

TEST(JsonSchema, knows_strings_by_length_pattern_and_value) {
  expect_texts(R"({"type":"string","minLength":2,"maxLength":3})", {R"("ab")", R"("\n\"é")", R"("😀😀")"},
               {R"("a")", R"("abcd")", R"("\n")"});
  expect_texts(R"({"type":"string","pattern":"^\\d+$"})", {R"("12")"}, {R"("")", R"("1a")"});
  expect_texts(R"({"type":"string","pattern":"^[a-z]+$","maxLength":3})", {R"("abc")"}, {R"("abcd")", R"("")", R"("ab1")"});
  expect_texts(R"({"type":"string","pattern":"\""})", {R"("a\"b")"}, {R"("a")"});
  expect_texts(R"({"enum":["a","b\n",1,1.5,null,[1,{"x":2}]]})", {R"("a")", R"("b\n")", "1", "1.5", "null", R"([1, {"x": 2}])"},
               {R"("c")", "2", "[]", R"([1, {"x": 2, "y": 3}])"});
  expect_texts(R"({"const":3.141592653589793})", {"3.141592653589793"}, {"3.14"});
  expect_texts(R"({"type":"integer","enum":[1,2,"a",2.5]})", {"1", "2"}, {"2.5", R"("a")"});
  expect_texts(R"({"const":1.0})", {"1"}, {"1.0"});
}

TEST(JsonSchema, knows_formats) {
  const auto expect_format = [](const char* name, const std::vector<std::string>& accepted,
                                const std::vector<std::string>& refused) {
    std::vector<std::string> quoted[2];
    for (const auto& text : accepted) quoted[0].push_back(json::quote(text));
    for (const auto& text : refused) quoted[1].push_back(json::quote(text));
    expect_texts(fmt::format(R"({{"type":"string","format":"{}"}})", name), quoted[0], quoted[1]);
  };
  expect_format("date", {"2024-02-29", "1999-12-31", "2000-02-29"},
                {"2023-02-29", "1900-02-29", "2024-13-01", "2024-04-31", "0000-01-01", "24-01-01"});
  expect_format("time", {"12:00:00Z", "23:59:59.123+05:30"}, {"24:00:00Z", "12:00:00", "12:00Z", "12:00:60Z"});
  expect_format("date-time", {"2024-02-29T12:00:00Z"}, {"2023-02-29T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29"});
  expect_format("uuid", {"123e4567-E89B-12d3-a456-426614174000"},
                {"123e4567e89b12d3a456426614174000", "g23e4567-e89b-12d3-a456-426614174000"});
  expect_format("email", {"a.b+c@example.com", "x@localhost"}, {"a@", "@b", "a..b@c.de", "a b@c.de", "a@-b.de"});
  expect_format("ipv4", {"0.0.0.0", "255.249.199.99"}, {"256.0.0.1", "1.2.3", "01.2.3.4"});
  expect_format("ipv6", {"::", "::1", "1::", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"},
                {"1:2:3:4:5:6:7", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9", "::1.2.3", ":1:2:3:4:5:6:7:8"});
  expect_format("uri", {"https://a.b/c?d=e#f", "mailto:a@b.c", "urn:x:y", "http://[::1]:80/"},
                {"a/b", "//a.b", "http://a b", "http://[::1", "1http://x"});
  expect_format("duration", {"P1Y2M3DT4H5M6S", "PT36H", "P1W"}, {"P", "PT", "1D", "P1YT", "P1D2H"});
  expect_format("hostname", {"a.b-c.de"}, {"-a", "a-", "a..b", ""});
  expect_texts(R"({"format":"date"})", {"1", R"("2024-01-01")"}, {R"("x")"});
  expect_texts(R"({"type":"string","format":"password"})", {R"("x")"}, {});
  expect_refused(R"({"properties":{"a":{"format":"idn-email"}}})",
                 "#/properties/a/format: the format 'idn-email' is not known here");
}

TEST(JsonSchema, compiles_a_hundred_properties_in_fifty_milliseconds) {
  std::string schema = R"({"type":"object","additionalProperties":false,"properties":{)";
  const char* const kinds[] = {R"({"type":"string"})", R"({"type":"integer","minimum":0,"maximum":%d})",
                               R"({"type":"array","items":{"type":"number"}})", R"({"type":"string","maxLength":100})",
                               R"({"anyOf":[{"type":"string","pattern":"^[A-Z]{3}-%d$"},{"type":"null"}]})"};
  for (int i = 0; i < 100; ++i) {
    std::string kind = kinds[i % 5];
    if (const auto at = kind.find("%d"); at != kind.npos) kind.replace(at, 2, std::to_string(i));
    schema += fmt::format("{}\"property_{}\":{}", i ? "," : "", i, kind);
  }
  schema += "}}";
  const auto value = json::parse(schema).value();
  ASSERT_TRUE(json_schema_grammar(value));
  const std::clock_t begin = std::clock();  // processor time: other programs may be busy
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(json_schema_grammar(value));
  const std::chrono::milliseconds time{(std::clock() - begin) * 1000 / CLOCKS_PER_SEC / 3};
#ifdef PUNA_DEBUG
  EXPECT_LT(time.count(), 5000);
#else
  EXPECT_LE(time.count(), 50);
#endif
}

}  // namespace
}  // namespace puna::text::grammar
