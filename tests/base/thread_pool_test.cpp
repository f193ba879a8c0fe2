#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/check.h"
#include "base/cores.h"
#include "base/log.h"

namespace puna {
namespace {

// Leaves room in the address space for a few threads' stacks, for as long as it lives.
class ShortOfMemory {
 public:
  ShortOfMemory() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + (64u << 20);
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~ShortOfMemory() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PUNA_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PUNA_TEST_SANITIZED 1
#endif
#endif
#ifndef PUNA_TEST_SANITIZED  // whose own memory is beyond any limit
TEST(ThreadPool, GoesOnWithTheThreadsThatTheSystemGives) {
  std::string warning;
  log::set_sink([&](log::Level, std::string_view message) { warning = message; }, log::Level::warning);
  {
    const ShortOfMemory limit;
    ThreadPool pool(256);
    EXPECT_LT(pool.size(), 256);
    std::atomic<int> n{0};
    pool.parallel_for(1000, [&](int, std::int64_t) { ++n; });
    EXPECT_EQ(n, 1000);
    std::atomic<int> calls{0};
    on_threads(256, [&] { ++calls; });
    EXPECT_GE(calls, 1);
    EXPECT_LT(calls, 256);
  }
  log::set_sink({});
  EXPECT_NE(warning.find("wanted 256"), std::string::npos) << warning;
}
#endif

TEST(ThreadPool, OnThreadsCallsOncePerThread) {
  for (const int n : {0, 1, 2, 5}) {
    std::atomic<int> calls{0};
    on_threads(static_cast<std::size_t>(n), [&] { ++calls; });
    EXPECT_EQ(calls, std::max(n, 1));
  }
}

class Pool : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Pool, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

TEST_P(Pool, RunsEveryItemOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.size(), GetParam());
  for (std::int64_t n : {0, 1, 2, 3, 16, 17, 1000, 4097}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
    pool.parallel_for(n, [&](int thread, std::int64_t item) {
      EXPECT_GE(thread, 0);
      EXPECT_LT(thread, pool.size());
      ++times[static_cast<std::size_t>(item)];
    });
    for (const auto& count : times) ASSERT_EQ(count, 1);
  }
}

TEST_P(Pool, WhatTheThreadsWroteIsSeenAfterwards) {
  ThreadPool pool(GetParam());
  std::vector<std::int64_t> squares(500);  // plain memory: the loop's end is the only synchronization
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for(500, [&](int, std::int64_t item) { squares[static_cast<std::size_t>(item)] = item * item + round; });
    for (std::int64_t i = 0; i < 500; ++i) ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i + round);
  }
}

TEST_P(Pool, NoTwoItemsShareAThreadsPlace) {
  ThreadPool pool(GetParam());
  struct alignas(64) Place {
    std::int64_t sum = 0;  // unsynchronized on purpose
  };
  std::vector<Place> places(static_cast<std::size_t>(pool.size()));
  pool.parallel_for(10'000, [&](int thread, std::int64_t item) { places[static_cast<std::size_t>(thread)].sum += item; });
  std::int64_t total = 0;
  for (const Place& place : places) total += place.sum;
  EXPECT_EQ(total, 10'000 * 9'999 / 2);
}

TEST_P(Pool, RethrowsAnItemsException) {
  ThreadPool pool(GetParam());
  for (std::int64_t bad : {0, 5, 99}) {
    EXPECT_THROW(pool.parallel_for(100,
                                   [&](int, std::int64_t item) {
                                     if (item == bad) raise_bug("item", "file", 1, "on purpose");
                                   }),
                 Bug);
    std::atomic<int> done = 0;  // and goes on working
    pool.parallel_for(100, [&](int, std::int64_t) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

TEST_P(Pool, IsReadyAfterARest) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // long enough for the threads to fall asleep
    std::atomic<int> done = 0;
    pool.parallel_for(64, [&](int, std::int64_t) { ++done; });
    EXPECT_EQ(done, 64);
  }
}

TEST_P(Pool, CanBeMadeAndDroppedAtOnce) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(GetParam());
}

TEST(ThreadPool, SpreadsLongItemsOverItsThreads) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> by_thread(3);
  pool.parallel_for(12, [&](int thread, std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ++by_thread[static_cast<std::size_t>(thread)];
  });
  for (const auto& count : by_thread) EXPECT_GE(count, 2);
}

TEST(ThreadPool, ManyMoreThreadsThanCoresAreNeverStuck) {
  ThreadPool pool(4 * static_cast<int>(allowed_cpus().size()));
  std::atomic<std::int64_t> total = 0;
  for (int round = 0; round < 3000; ++round) pool.parallel_for(40, [&](int, std::int64_t item) { total += item; });
  EXPECT_EQ(total, 3000 * 780);
}

TEST(ThreadPool, TwoPoolsWorkSideBySide) {
  const auto work = [] {
    ThreadPool pool(2);
    std::atomic<int> done = 0;
    for (int round = 0; round < 500; ++round) pool.parallel_for(10, [&](int, std::int64_t) { ++done; });
    EXPECT_EQ(done, 5000);
  };
  std::jthread other(work);
  work();
}

TEST(ThreadPool, ALoopWithinALoopIsOurMistake) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_for(4, [&](int, std::int64_t) { pool.parallel_for(4, [](int, std::int64_t) {}); }), Bug);
}

TEST(ThreadPool, ItsThreadsStayOnTheirProcessors) {
  const int last = allowed_cpus().back();
  ThreadPool pool(3, {{last}});
  std::vector<std::vector<int>> seen(3);
  for (int round = 0; round < 20; ++round)
    pool.parallel_for(30, [&](int thread, std::int64_t) {
      seen[static_cast<std::size_t>(thread)] = allowed_cpus();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  for (std::size_t thread = 1; thread < 3; ++thread) EXPECT_EQ(seen[thread], std::vector<int>{last});
}

}  // namespace
}  // namespace puna
