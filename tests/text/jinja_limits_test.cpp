// A template is a program that came with a file: whatever it does, the answer is text or one clear error, soon, on any stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <ctime>
#include <functional>

#include "text/chat_template.h"

namespace puna::text {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PUNA_SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PUNA_SLOW_BUILD 1
#endif
#endif
#if defined(PUNA_SLOW_BUILD) || !defined(__OPTIMIZE__)
constexpr double kSecondsAllowed = 30;
constexpr std::size_t kSmallStack = 4U << 20U;
#else
constexpr double kSecondsAllowed = 2;  // one, on a machine that does nothing else
constexpr std::size_t kSmallStack = 384U << 10U;
#endif

std::string repeat(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread{};
  const auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Runs the template on a small stack; what went wrong, or the size of what it made.
std::string outcome(const std::string& source) {
  std::string result;
  const std::clock_t begin = std::clock();  // processor time: other programs may be busy
  on_small_stack([&] {
    const auto parsed = ChatTemplate::parse(source);
    if (!parsed) {
      result = parsed.error().message;
      return;
    }
    const auto rendered = parsed->render(Value::array({Value::object({{"role", "user"}, {"content", "hi"}})}));
    result = rendered ? fmt::format("{} bytes", rendered->text.size()) : rendered.error().message;
  });
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSecondsAllowed);
  return result;
}

TEST(JinjaLimits, a_range_is_limited_as_in_the_sandbox) {
  EXPECT_THAT(outcome("{% for i in range(1000000000) %}{% endfor %}"), HasSubstr("a range is limited to 100000 items"));
  EXPECT_EQ(outcome("{% for i in range(100000) %}{% endfor %}"), "0 bytes");
}

TEST(JinjaLimits, loops_in_loops_end) {
  EXPECT_THAT(outcome("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"),
              HasSubstr("too much work"));
  EXPECT_THAT(outcome("{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}"),
              HasSubstr("too much"));
}

TEST(JinjaLimits, a_macro_that_calls_itself_ends) {
  EXPECT_THAT(outcome("{% macro x() %}{{ x() }}{% endmacro %}{{ x() }}"), HasSubstr("too deep"));
  EXPECT_THAT(outcome("{% macro x() %}{{ x() }}{{ x() }}{% endmacro %}{{ x() }}"), HasSubstr("too deep"));
  EXPECT_THAT(outcome("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"), HasSubstr("too deep"));
  EXPECT_THAT(outcome("{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{% endmacro %}{{ f() }}"), HasSubstr("too deep"));
}

TEST(JinjaLimits, macros_may_call_themselves_as_deep_as_templates_need) {
  EXPECT_EQ(outcome("{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{% else %}x{% endif %}{% endmacro %}{{ f(30) }}"), "1 bytes");
}

TEST(JinjaLimits, nesting_in_the_source_is_limited) {
  for (const char* open : {"(", "[", "{1:", "not ", "-", "x(", "x[", "'a'|f(", "a if b else "}) {
    SCOPED_TRACE(open);
    EXPECT_THAT(outcome("{{ " + repeat(open, 100'000) + "x }}"), HasSubstr("nested more than"));
  }
  EXPECT_THAT(outcome(repeat("{% if a %}", 100'000)), HasSubstr("nested more than"));
  EXPECT_THAT(outcome(repeat("{% for a in b %}", 100'000)), HasSubstr("nested more than"));
  EXPECT_THAT(outcome(repeat("{% macro a() %}", 100'000)), HasSubstr("nested more than"));
  for (const char* more : {" + 1", "|upper", ".a", "[0]", "()", " and 1", " ** 2", " if 1"}) {
    SCOPED_TRACE(more);
    EXPECT_THAT(outcome("{{ 1" + repeat(more, 100'000) + " }}"), HasSubstr("nested more than"));
  }
}

TEST(JinjaLimits, flat_lists_may_be_long) {
  EXPECT_EQ(outcome("{{ [" + repeat("1, ", 20'000) + "]|length }}"), "5 bytes");
  EXPECT_EQ(outcome("{{ 1" + repeat(" ~ 1", 20'000) + " }}"), "20001 bytes");
  EXPECT_EQ(outcome("{% if false %}" + repeat("{% elif false %}", 2'000) + "{% endif %}"), "0 bytes");
  EXPECT_EQ(outcome("{{ " + repeat("(", 40) + "1" + repeat(")", 40) + " }}"), "1 bytes");
}

TEST(JinjaLimits, strings_and_lists_cannot_grow_without_end) {
  EXPECT_THAT(outcome("{{ 'a' * 1000000000 }}"), HasSubstr("too long"));
  EXPECT_THAT(outcome("{{ [1] * 1000000000 }}"), HasSubstr("too long"));
  EXPECT_THAT(outcome("{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}"),
              HasSubstr("bytes"));
  EXPECT_THAT(outcome("{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"),
              HasSubstr("too much"));
  EXPECT_THAT(outcome("{% set x = 'a' * 1000000 %}{% for i in range(10000) %}{{ x }}{% endfor %}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ '%1000000000d' % 1 }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ '%.1000000000f' % 1 }}"), HasSubstr("too large"));
  EXPECT_THAT(outcome("{{ '{:1000000000}'.format('') }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ 'a'.ljust(1000000000) }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ 'a'.center(10 ** 18) }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ 'a'|indent(1000000000) }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ [1]|tojson(indent=1000000000) }}"), HasSubstr("too much"));
  EXPECT_THAT(outcome("{{ [1]|batch(1000000000, 0)|list }}"), HasSubstr("too large"));
  EXPECT_THAT(outcome("{{ [1]|slice(1000000000)|list }}"), HasSubstr("too many"));
  EXPECT_THAT(outcome("{{ ('a' * 1000000).replace('', 'b' * 1000) }}"), HasSubstr("too much"));
}

TEST(JinjaLimits, values_cannot_nest_without_end) {
  EXPECT_THAT(outcome("{% set ns = namespace(x=[]) %}{% for i in range(1000) %}{% set ns.x = [ns.x] %}{% endfor %}"),
              HasSubstr("nested more than"));
  EXPECT_THAT(outcome("{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns }}"), HasSubstr("too deep"));
  EXPECT_THAT(
      outcome("{% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}"),
      HasSubstr("too much"));
  EXPECT_THAT(outcome("{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = "
                      "[ns.y, ns.y] %}"
                      "{% endfor %}{{ ns.x == ns.y }}"),
              HasSubstr("too much"));
  EXPECT_THAT(
      outcome(
          "{% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}"),
      HasSubstr("too much"));
  EXPECT_THAT(outcome("{% set ns = namespace(g=[1]) %}{% for i in range(10000) %}{% set ns.g = ns.g|map('string') %}{% endfor "
                      "%}{{ ns.g|list }}"),
              HasSubstr("too deep"));
}

TEST(JinjaLimits, numbers_beyond_127_bits_are_refused) {
  EXPECT_THAT(outcome("{{ 10 ** 100 }}"), HasSubstr("too large a number"));
  EXPECT_THAT(outcome("{{ 2 ** 126 * 4 }}"), HasSubstr("too large a number"));
  EXPECT_THAT(outcome("{{ 999999999999999999999999999999999999999999 }}"), HasSubstr("too large"));
}

TEST(JinjaLimits, sources_of_megabytes_are_read_or_refused_soon) {
  outcome(repeat("{", 1'000'000));
  outcome(repeat("{#", 500'000));
  outcome(repeat("{% raw %}", 100'000));
  outcome(repeat("{{ a }}", 100'000));
  outcome(repeat("\"", 1'000'000));
  std::string names;
  for (int i = 0; i < 20'000; ++i) names += fmt::format("{{% if a{} %}}{{% set b{} = 1 %}}{{% endif %}}", i, i);
  EXPECT_THAT(outcome(names), AnyOf(HasSubstr("too large"), "0 bytes"));
  EXPECT_THAT(outcome(std::string(5'000'000, 'a')), HasSubstr("at most"));
}

}  // namespace
}  // namespace puna::text
