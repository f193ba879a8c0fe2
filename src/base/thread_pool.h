// Threads that live as long as the pool and share loops of independent items. Which thread computes which item is left
// to chance; nothing may depend on it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/cores.h"

namespace puna {

// Calls `work` on `n_threads` threads, the caller's among them, and returns when all have. Where the system gives fewer
// threads it is called less often, at least once: `work` takes its items from a counter.
void on_threads(std::size_t n_threads, const std::function<void()>& work);

class ThreadPool {
 public:
  // `n_threads` (at least 1) with the caller of parallel_for as thread 0; fewer, with a warning, where the system gives no
  // more. The others run where `places` says; the caller, which has the first place, pins itself (pin_this_thread in cores.h).
  explicit ThreadPool(int n_threads, Places places = {});
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // body(thread, item) for each item in [0, n_items), thread in [0, size()); returns when all are done. Every thread has a range
  // of its own, from the front on, and who is done takes from the ends of the others', so neighbours mostly meet one thread
  // one after the other. n_items below 2^32. An exception of a body ends the loop early (items not
  // yet begun are dropped) and is rethrown here. One loop at a time: a body must not start another on the same pool.
  template <class Body>
  void parallel_for(std::int64_t n_items, Body&& body) {
    if (n_items <= 0) return;
    if (workers_.empty() || n_items == 1) {
      for (std::int64_t item = 0; item < n_items; ++item) body(0, item);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run({const_cast<void*>(static_cast<const void*>(&body)),
         [](void* context, int thread, std::int64_t begin, std::int64_t end) {
           for (std::int64_t item = begin; item < end; ++item) (*static_cast<Plain*>(context))(thread, item);
         },
         n_items});
  }

 private:
  // A loop with its type forgotten; plain pointers, so that starting one allocates nothing.
  struct Job {
    void* body = nullptr;
    void (*run_items)(void* body, int thread, std::int64_t begin, std::int64_t end) = nullptr;
    std::int64_t n_items = 0;
    std::int64_t run_length = 1;  // items taken at once
  };

  // The items of a job that a thread has before it. Its own cache line: taking from it costs nothing while nobody else does.
  class alignas(64) Range {
   public:
    void set(std::int64_t begin, std::int64_t end) { bounds_ = pair(begin, end); }
    struct Taken {
      std::int64_t begin, end;  // equal: nothing is left
    };
    Taken take_first(std::int64_t n);
    Taken take_last(std::int64_t n);

   private:
    static std::uint64_t pair(std::int64_t begin, std::int64_t end) {
      return static_cast<std::uint64_t>(end) << 32 | static_cast<std::uint64_t>(begin);
    }
    template <class Part>
    Taken take(Part part);
    std::atomic<std::uint64_t> bounds_{0};
  };

  void run(Job job);
  void work_on_job(int thread);
  void worker_main(int thread);
  template <class Ready>
  void wait_until(Ready ready);
  void wake();

  std::vector<std::jthread> workers_;
  Places places_;
  std::int64_t spin_ns_ = 0;

  // Low half: threads at work on the job, besides the caller. Bit 31: the job is open for joining. High half: the job's
  // number. A worker that comes late finds the job closed and nobody has waited for it.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  std::vector<Range> ranges_;  // by thread; those of the last job are empty once it has ended
  alignas(64) Job job_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;  // the first; under mutex_

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int> sleepers_{0};
};

}  // namespace puna
