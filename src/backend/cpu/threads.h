// The pools that steps run on: one for single tokens, where bandwidth is short, one for many, where arithmetic is.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/thread_pool.h"

namespace puna::backend::cpu {

class Threads {
 public:
  Threads(int n_single, int n_batch, const Places& places)
      : single_(std::make_unique<ThreadPool>(n_single, places)),
        batch_(n_batch == n_single ? nullptr : std::make_unique<ThreadPool>(n_batch, places)) {}

  ThreadPool& for_rows(std::int64_t n) const { return n > 1 && batch_ ? *batch_ : *single_; }
  int most() const { return std::max(single_->size(), batch_ ? batch_->size() : 1); }
  int single() const { return single_->size(); }

 private:
  std::unique_ptr<ThreadPool> single_;
  std::unique_ptr<ThreadPool> batch_;  // null: the same
};

}  // namespace puna::backend::cpu
