#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <thread>

#include "cli/chat_session.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/version.h"

namespace puna::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Progress, ALineHasShareSizeRateAndTimeLeft) {
  EXPECT_EQ(Progress::line("model", 50 << 20, 100 << 20, 10 << 20, Unit::bytes, 100),
            "model  [###############               ]   50 %  50.0 MiB of 100 MiB  10.0 MiB/s  5 s left");
}

TEST(Progress, ALineFitsIntoTheTerminal) {
  for (std::size_t width : {1u, 5u, 20u, 40u, 60u, 80u, 200u})
    EXPECT_LT(Progress::line("a-rather-long-model-name", 5, 10, 1, Unit::bytes, width).size(), std::max<std::size_t>(width, 2));
}

TEST(Progress, WithoutATotalThereIsNoShare) {
  EXPECT_THAT(Progress::line("model", 2048, 0, 1024, Unit::bytes, 80),
              AllOf(HasSubstr("2.00 KiB"), Not(HasSubstr("%")), Not(HasSubstr("left"))));
}

TEST(Progress, MoreThanTheTotalIsAll) { EXPECT_THAT(Progress::line("m", 20, 10, 0, Unit::tokens, 80), HasSubstr("100 %")); }

TEST(Progress, DurationsAreReadable) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59.5), "1 min 0 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(3780), "1 h 3 min");
}

struct Shown {
  Console console;  // no terminal: plain lines
  Progress::Clock::time_point now{};
  std::string at(int milliseconds, std::string_view what, std::uint64_t done, std::uint64_t total, Progress& progress) {
    now = Progress::Clock::time_point(std::chrono::milliseconds(milliseconds));
    testing::internal::CaptureStderr();
    progress.update(what, done, total);
    return testing::internal::GetCapturedStderr();
  }
};

TEST(Progress, WhatIsQuickSaysNothing) {
  Shown shown;
  Progress progress(shown.console, Unit::bytes, std::chrono::milliseconds(500), [&] { return shown.now; });
  EXPECT_EQ(shown.at(100, "load", 1, 10, progress), "");
  EXPECT_EQ(shown.at(400, "load", 10, 10, progress), "");
}

TEST(Progress, ElsewhereThanOnATerminalALineComesNowAndThen) {
  Shown shown;
  Progress progress(shown.console, Unit::bytes, std::chrono::milliseconds(500), [&] { return shown.now; });
  EXPECT_THAT(shown.at(1100, "load", 1, 10, progress), AllOf(HasSubstr("10 %"), Not(HasSubstr("\r"))));
  EXPECT_EQ(shown.at(2000, "load", 2, 10, progress), "");
  EXPECT_THAT(shown.at(7000, "load", 5, 10, progress), HasSubstr("50 %"));
  EXPECT_THAT(shown.at(7100, "load", 10, 10, progress), HasSubstr("100 %"));
}

TEST(Progress, WhatHasEndedBeginsAnewUnderTheSameName) {
  Shown shown;
  Progress progress(shown.console, Unit::tokens, std::chrono::milliseconds(500), [&] { return shown.now; });
  EXPECT_EQ(shown.at(10'000, "prompt", 0, 100, progress), "");
  EXPECT_THAT(shown.at(12'000, "prompt", 50, 100, progress), HasSubstr("25 tokens/s"));
  progress.clear();
  EXPECT_EQ(shown.at(90'000, "prompt", 0, 100, progress), "");
  EXPECT_EQ(shown.at(90'100, "prompt", 10, 100, progress), "");
  EXPECT_THAT(shown.at(92'000, "prompt", 80, 100, progress), HasSubstr("40 tokens/s"));
}

TEST(Progress, ALessThanWholeRateIsNotShown) {
  EXPECT_THAT(Progress::line("m", 1, 10, 0.5, Unit::tokens, 80), Not(HasSubstr("/s")));
}

TEST(Console, PaintsOnlyWhereThereAreColours) {
  Console console;
  EXPECT_EQ(console.paint(Colour::red, "x"), "x");
  console.set_colours("on");
  EXPECT_EQ(console.paint(Colour::red, "x"), "\033[31mx\033[0m");
  EXPECT_EQ(console.paint(Colour::none, "x"), "x");
  console.set_colours("auto");
  EXPECT_EQ(console.paint(Colour::red, "x"), "x");
}

TEST(Console, ReportsAnErrorAndItsHint) {
  Console console;
  testing::internal::CaptureStderr();
  console.report(error(ErrorKind::invalid, "bad {}", "thing").with_hint("try another"));
  console.report(error(ErrorKind::invalid, "worse"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "puna: bad thing\nhint: try another\npuna: worse\n");
}

TEST(Interrupt, TheFirstSignalAsksToStop) {
  {
    Interruptible work;
    EXPECT_FALSE(work.happened());
    std::raise(SIGINT);
    for (int i = 0; i < 2000 && !work.happened(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(work.happened());
  }
  Interruptible next;
  EXPECT_FALSE(next.happened());
}

TEST(InterruptDeathTest, TheSecondOneEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Interruptible work;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(kInterrupted), "");
}

std::optional<std::string> read(std::deque<std::string> lines) {
  return MessageReader::read([&](std::string_view) -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string line = lines.front();
    lines.pop_front();
    return line;
  });
}

TEST(MessageReader, ALineIsAMessage) { EXPECT_EQ(read({"hello", "more"}), "hello"); }

TEST(MessageReader, ABackslashAtTheEndGoesOn) { EXPECT_EQ(read({"one\\", "two\\", "three", "four"}), "one\ntwo\nthree"); }

TEST(MessageReader, ABackslashBeforeTheEndOfTheInputIsALineEnd) { EXPECT_EQ(read({"one\\"}), "one\n"); }

TEST(MessageReader, EverythingBetweenTripleQuotesIsOneMessage) {
  EXPECT_EQ(read({"\"\"\"", "one", "", "  two\\", "\"\"\"", "three"}), "one\n\n  two\\");
  EXPECT_EQ(read({"\"\"\"", "\"\"\""}), "");
  EXPECT_EQ(read({"\"\"\"", "one"}), "one");
}

TEST(MessageReader, TheEndIsNoMessage) { EXPECT_EQ(read({}), std::nullopt); }

TEST(Version, NamesWhatItIsMadeOf) {
  EXPECT_THAT(version_text(), AllOf(HasSubstr("puna "), HasSubstr("compiler"), HasSubstr("kernels"), HasSubstr("scalar"),
                                    HasSubstr("PCRE2"), HasSubstr("OpenSSL"), HasSubstr("libedit")));
}

}  // namespace
}  // namespace puna::cli
