// A schema comes from outside: whatever it asks for, the answer is a grammar or one clear error, soon, on any stack.
#include <pthread.h>

#include <chrono>
#include <functional>

#include "text/grammar/regex_grammar.h"
#include "text/json_schema_support.h"

namespace puna::text::grammar {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(PUNA_DEBUG)
constexpr std::size_t kSmallStack = 2U << 20U;  // frames are several times as large
#else
constexpr std::size_t kSmallStack = 256U << 10U;
#endif

void on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(JsonSchemaLimits, are_named_whatever_the_schema) {
  std::string deep = "{}";
  for (int i = 0; i < 60; ++i) deep = R"({"allOf":[)" + deep + "]}";
  expect_refused(deep, "schemas, one inside of another, speak of one value");
  std::string wide = R"({"allOf":[)";
  for (int i = 0; i < 14; ++i)
    wide += fmt::format(R"({}{{"anyOf":[{{"required":["a{}"]}},{{"required":["b{}"]}}]}})", i ? "," : "", i, i);
  expect_refused(wide + "]}", "more than 2000 alternatives");
  std::string nested = R"({"type":"null"})";
  for (int i = 0; i < 100; ++i) nested = R"({"type":"array","items":)" + nested + "}";
  EXPECT_TRUE(compile_schema(nested));
  std::string chain = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 5000; ++i) chain += fmt::format(R"("{}":{{"properties":{{"a":{{"$ref":"#/$defs/{}"}}}}}},)", i, i + 1);
  EXPECT_TRUE(compile_schema(chain + R"("5000":{"type":"null"}}})"));
  std::string refs = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 5000; ++i) refs += fmt::format(R"("{}":{{"allOf":[{{"$ref":"#/$defs/{}"}}]}},)", i, i + 1);
  expect_refused(refs + R"("5000":{"type":"null"}}})", "speak of one value");
  expect_refused(R"({"type":"object","maxProperties":1000000,"properties":{"a":{}},"additionalProperties":{"type":"null"}})",
                 "too large to count");
}

std::string nested(int depth, const std::string& before, const std::string& inside, const std::string& after) {
  std::string text = inside;
  for (int i = 0; i < depth; ++i) text = before + text + after;
  return text;
}

TEST(JsonSchemaLimits, need_no_deep_stack) {
  on_small_stack([] {
    EXPECT_TRUE(compile_schema(nested(38, R"({"allOf":[)", R"({"type":"null"})", "]}")));
    EXPECT_TRUE(compile_schema(
        nested(12, R"({"oneOf":[{"type":"string","maxLength":3},{"not":)", R"({"type":["string","null"]})", "}]}")));
    EXPECT_TRUE(compile_schema(nested(38, R"({"if":true,"then":)", R"({"type":"null"})", "}")));
    EXPECT_TRUE(compile_schema(nested(38, R"({"dependentSchemas":{"a":)", R"({"type":"object"})", "}}")));
    EXPECT_TRUE(compile_schema(nested(120, R"({"properties":{"a":)", R"({"type":"null"})", "}}")));
    EXPECT_TRUE(compile_schema(R"({"const":)" + nested(200, "[", "1", "]") + "}"));
    expect_refused(nested(110, R"({"not":)", R"({"type":"null"})", "}"), "speak of one value");
    EXPECT_TRUE(regex_grammar(nested(49, "(?:a|", "b", ")*")));
    // Options that must be told apart by what they hold, and that by what it holds.
    std::string trees = R"({"$ref":"#/$defs/0","$defs":{)";
    for (int i = 0; i < 30; ++i) {
      trees += fmt::format(
          R"("{}":{{"oneOf":[{{"type":"object","properties":{{"k":{{"$ref":"#/$defs/{}"}},"t":{{"const":1}}}},"required":["k","t"]}},)"
          R"({{"type":"object","properties":{{"k":{{"$ref":"#/$defs/{}"}},"t":{{"const":2}}}},"required":["k","t"]}}]}},)",
          i, i + 1, i + 1);
    }
    EXPECT_TRUE(compile_schema(trees + R"("30":{"type":"null"}}})"));
  });
}

TEST(JsonSchemaLimits, end_within_seconds) {
  const std::string hostile[] = {
      R"({"pattern":"(a|b)*a(a|b){18}","allOf":[{"pattern":"(a|b)*b(a|b){17}"},{"pattern":"(b|a)*a(a|b){16}c"}]})",
      R"({"type":"string","pattern":"^.*x.{0,400}$","minLength":100000,"maxLength":200000})",
      R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":60},"uniqueItems":true})",
      R"({"type":"array","contains":{"type":"integer"},"minContains":15000,"maxItems":15000})",
      R"({"type":"number","multipleOf":0.00199,"allOf":[{"multipleOf":0.00997},{"multipleOf":7919}]})",
      R"({"enum":)" + nested(100, "[", "1", "]") + "}",
  };
  for (const auto& schema : hostile) {
    const auto begin = std::chrono::steady_clock::now();
    const auto grammar = compile_schema(schema);
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    EXPECT_LT(time.count(), 10'000) << schema.substr(0, 100) << (grammar ? "" : grammar.error().message);
  }
}

}  // namespace
}  // namespace puna::text::grammar
