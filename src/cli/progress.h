// How far a long thing is: a moving line on a terminal, a plain line now and then elsewhere. Nothing at all where the thing
// ends within the delay.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/console.h"

namespace puna::cli {

enum class Unit { bytes, tokens };

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `now`: the clock, or a test's.
  Progress(Console& console, Unit unit, std::chrono::milliseconds delay = {},
           std::function<Clock::time_point()> now = Clock::now);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` 0: unknown.
  void update(std::string_view what, std::uint64_t done, std::uint64_t total);
  // Takes the moving line away; what comes next, of the same name or another, begins anew.
  void clear();

  // "smollm2-135m  [#####     ]  52 %  51.0 MiB of 98.3 MiB  12.1 MiB/s  4 s left"
  static std::string line(std::string_view what, std::uint64_t done, std::uint64_t total, double rate, Unit unit,
                          std::size_t width);

 private:
  Console& console_;
  Unit unit_;
  std::chrono::milliseconds delay_;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_;  // of this `what`; of the first that has done something already, the object's
  Clock::time_point last_shown_;
  std::uint64_t first_done_ = 0;  // what a resumed transfer began with
  std::string what_;
  bool is_new_ = true;  // the next update begins something
  bool shown_ = false;
  bool at_end_ = false;
};

// "4 s", "2 min 5 s", "1 h 3 min"
std::string duration_text(double seconds);

}  // namespace puna::cli
