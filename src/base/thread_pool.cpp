#include "base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/cores.h"
#include "base/log.h"

namespace puna {
namespace {

constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kActive = kOpen - 1;
constexpr int kJobShift = 32;

// Long enough to bridge the gap between two loops of a step, short enough that an idle engine soon sleeps.
constexpr std::int64_t kSpinNs = 40'000;
// With more threads than processors a spinning thread keeps a working one away.
constexpr std::int64_t kCrowdedSpinNs = 1'000;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// False where the system has no thread left to give (a limit of processes or of memory): that is no reason to end.
bool start_thread(std::vector<std::jthread>& threads, std::function<void()> body) {
  try {
    threads.emplace_back(std::move(body));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

void on_threads(std::size_t n_threads, const std::function<void()>& work) {
  std::vector<std::jthread> helpers;
  while (helpers.size() + 1 < n_threads && start_thread(helpers, work)) {
  }
  work();
}

ThreadPool::ThreadPool(int n_threads, Places places) : places_(std::move(places)) {
  PUNA_CHECK(n_threads >= 1);
  std::size_t n_cpus = places_.empty() ? allowed_cpus().size() : 0;
  for (const std::vector<int>& place : places_) n_cpus += place.size();
  spin_ns_ = static_cast<std::size_t>(n_threads) <= n_cpus ? kSpinNs : kCrowdedSpinNs;
  ranges_ = std::vector<Range>(static_cast<std::size_t>(n_threads));
  workers_.reserve(static_cast<std::size_t>(n_threads) - 1);
  for (int thread = 1; thread < n_threads; ++thread)
    if (!start_thread(workers_, [this, thread] { worker_main(thread); })) break;
  if (size() < n_threads) log::warning("the system gives {} threads, wanted {}", size(), n_threads);
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  wake();
  workers_.clear();  // joins
}

// Spins, then sleeps. What makes `ready` true is written before wake() is called; sequential consistency between that
// write and sleepers_ on one side, sleepers_ and `ready` on the other, rules out a lost wake-up.
template <class Ready>
void ThreadPool::wait_until(Ready ready) {
  if (ready()) return;
  const std::int64_t end = now_ns() + spin_ns_;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return;
      pause_briefly();
    }
  } while (now_ns() < end);
  std::unique_lock lock(mutex_);
  ++sleepers_;
  changed_.wait(lock, ready);
  --sleepers_;
}

void ThreadPool::wake() {
  if (sleepers_ == 0) return;
  {
    std::lock_guard lock(mutex_);
  }  // a thread between its last look and its sleep holds it
  changed_.notify_all();
}

// part(begin, end): what is taken from the front or the back, with end - begin > 0.
template <class Part>
ThreadPool::Range::Taken ThreadPool::Range::take(Part part) {
  std::uint64_t bounds = bounds_.load(std::memory_order_relaxed);
  for (;;) {
    const auto begin = static_cast<std::int64_t>(bounds & 0xffffffff), end = static_cast<std::int64_t>(bounds >> 32);
    if (begin >= end) return {0, 0};
    const Taken taken = part(begin, end);
    const std::uint64_t left = taken.begin == begin ? pair(taken.end, end) : pair(begin, taken.begin);
    if (bounds_.compare_exchange_weak(bounds, left, std::memory_order_relaxed)) return taken;
  }
}
ThreadPool::Range::Taken ThreadPool::Range::take_first(std::int64_t n) {
  return take([n](std::int64_t begin, std::int64_t end) { return Taken{begin, std::min(end, begin + n)}; });
}
ThreadPool::Range::Taken ThreadPool::Range::take_last(std::int64_t n) {
  return take([n](std::int64_t begin, std::int64_t end) { return Taken{std::max(begin, end - n), end}; });
}

void ThreadPool::run(Job job) {
  PUNA_CHECK(!busy_.exchange(true), "a loop within a loop of the same pool");
  PUNA_CHECK(job.n_items < std::int64_t{1} << 32);
  // Runs short enough that the last one keeps nobody waiting for long.
  job.run_length = std::max<std::int64_t>(1, job.n_items / (std::int64_t{8} * size()));
  job_ = job;
  const std::int64_t n_threads = size();
  for (std::int64_t t = 0; t < n_threads; ++t)
    ranges_[static_cast<std::size_t>(t)].set(job.n_items * t / n_threads, job.n_items * (t + 1) / n_threads);
  const std::uint64_t number = (state_ >> kJobShift) + 1;
  state_ = number << kJobShift | kOpen;
  wake();
  work_on_job(0);
  state_ &= ~kOpen;
  wait_until([this] { return (state_ & kActive) == 0; });
  std::exception_ptr failure = std::exchange(failure_, nullptr);
  busy_ = false;
  if (failure) std::rethrow_exception(failure);
}

void ThreadPool::work_on_job(int thread) {
  const Job job = job_;
  const auto own = static_cast<std::size_t>(thread), n_threads = static_cast<std::size_t>(size());
  try {
    const auto work = [&](Range::Taken taken) {
      if (taken.begin < taken.end) job.run_items(job.body, thread, taken.begin, taken.end);
      return taken.begin < taken.end;
    };
    while (work(ranges_[own].take_first(job.run_length))) {
    }
    for (std::size_t i = 1; i < n_threads; ++i)
      while (work(ranges_[(own + i) % n_threads].take_last(job.run_length))) {
      }
  } catch (...) {
    for (Range& range : ranges_) range.set(0, 0);
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadPool::worker_main(int thread) {
  if (!places_.empty()) pin_this_thread(places_[static_cast<std::size_t>(thread) % places_.size()]);
  std::uint64_t done = 0;  // the last job that this thread has seen
  const auto fresh = [&] {
    const std::uint64_t state = state_;
    return stop_ || ((state & kOpen) && state >> kJobShift != done);
  };
  for (;;) {
    wait_until(fresh);
    if (stop_) return;
    std::uint64_t state = state_;
    bool joined = false;
    while ((state & kOpen) && !joined) joined = state_.compare_exchange_weak(state, state + 1);
    done = state >> kJobShift;
    if (!joined) continue;
    work_on_job(thread);
    if ((state_.fetch_sub(1) & kActive) == 1) wake();
  }
}

}  // namespace puna
