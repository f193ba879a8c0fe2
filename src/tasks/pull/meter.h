// Progress, passed on about ten times a second instead of with every block.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "tasks/progress.h"

namespace puna::tasks {

class Meter {
 public:
  Meter(const OnProgress& progress, std::string what) : progress_(progress), what_(std::move(what)) {}

  void rename(std::string what) { what_ = std::move(what), last_ = {}; }
  void at(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!progress_ || (done != total && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    progress_({.what = what_, .done = done, .total = total});
  }

 private:
  const OnProgress& progress_;
  std::string what_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace puna::tasks
