#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace puna {
namespace {

Result<int> half(int x) {
  if (x % 2) return fail("{} is odd", x);
  return x / 2;
}

Result<int> quarter(int x) {
  const int once = PUNA_TRY(half(x));
  return PUNA_TRY(half(once));
}

TEST(Result, TryPassesTheValueOrLeavesWithTheError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(5).error().message, "5 is odd");
}

Result<std::unique_ptr<int>> boxed(int x) { return std::make_unique<int>(PUNA_TRY(half(x))); }

Result<void> nothing(int x) {
  PUNA_TRY(boxed(x));
  return {};
}

TEST(Result, TryMovesWhatCannotBeCopied) {
  EXPECT_EQ(**boxed(4), 2);
  EXPECT_TRUE(nothing(4));
  EXPECT_FALSE(nothing(3));
}

TEST(Result, ErrorsCarryKindContextAndHint) {
  const Error problem = error(ErrorKind::not_found, "no tensor '{}'", "x").within("model.gguf").with_hint("look again");
  EXPECT_EQ(problem.kind, ErrorKind::not_found);
  EXPECT_EQ(problem.message, "model.gguf: no tensor 'x'");
  EXPECT_EQ(problem.hint, "look again");
}

TEST(Check, ABrokenPromiseThrowsWithItsPlace) {
  const int two = 2;
  EXPECT_NO_THROW(PUNA_CHECK(two == 2));
  try {
    PUNA_CHECK(two == 3, "arithmetic");
    FAIL() << "did not throw";
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("two == 3"), std::string::npos);
    EXPECT_NE(std::string(bug.what()).find("result_test.cpp"), std::string::npos);
    EXPECT_NE(std::string(bug.what()).find("arithmetic"), std::string::npos);
  }
}

TEST(Log, HandsWantedMessagesToTheSink) {
  std::vector<std::string> lines;
  log::set_sink([&](log::Level, std::string_view message) { lines.emplace_back(message); }, log::Level::info);
  log::debug("not {}", "wanted");
  log::info("{} tokens", 7);
  log::warning("careful");
  EXPECT_FALSE(log::wanted(log::Level::debug));
  log::set_sink({});
  log::warning("nobody listens");
  EXPECT_FALSE(log::wanted(log::Level::error));
  EXPECT_EQ(lines, (std::vector<std::string>{"7 tokens", "careful"}));
}

}  // namespace
}  // namespace puna
