// Ctrl-C: the first one asks what is running to stop, a second one within the same work ends the process.
#pragma once

#include <stop_token>

namespace puna::cli {

// While one lives, SIGINT and SIGTERM ask its token to stop. One at a time.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  std::stop_token token() const;
  bool happened() const { return token().stop_requested(); }
  // SIGTERM came while one lived: not only this piece of work but the program is to end.
  static bool must_end();
};

inline constexpr int kInterrupted = 130;  // what a process that Ctrl-C ended returns

}  // namespace puna::cli
