#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/check.h"

namespace puna::cli {

namespace {

// A handler may do next to nothing: it writes a byte, and a thread that waits for it does the rest.
struct Watch {
  std::stop_source source;
  int pipe[2] = {-1, -1};
  std::thread thread;
  struct sigaction old_interrupt{};
  struct sigaction old_terminate{};
};

Watch* current = nullptr;
std::atomic<int> write_end{-1};
std::atomic<int> n_signals{0};
std::atomic<bool> told_to_end{false};

void on_signal(int signal) {
  if (signal == SIGTERM) told_to_end = true;
  if (n_signals.fetch_add(1) > 0) ::_exit(kInterrupted);
  const char byte = 1;
  [[maybe_unused]] const ssize_t put = ::write(write_end.load(), &byte, 1);
}

}  // namespace

Interruptible::Interruptible() {
  PUNA_CHECK(!current, "one at a time");
  current = new Watch;
  PUNA_CHECK(::pipe2(current->pipe, O_CLOEXEC) == 0);
  n_signals = 0;
  write_end = current->pipe[1];
  current->thread = std::thread([watch = current] {
    char byte = 0;
    if (::read(watch->pipe[0], &byte, 1) == 1 && byte == 1) watch->source.request_stop();
  });
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &current->old_interrupt);
  ::sigaction(SIGTERM, &action, &current->old_terminate);
}

Interruptible::~Interruptible() {
  ::sigaction(SIGINT, &current->old_interrupt, nullptr);
  ::sigaction(SIGTERM, &current->old_terminate, nullptr);
  const char byte = 0;
  [[maybe_unused]] const ssize_t put = ::write(current->pipe[1], &byte, 1);
  current->thread.join();
  ::close(current->pipe[0]);
  ::close(current->pipe[1]);
  delete current;
  current = nullptr;
}

bool Interruptible::must_end() { return told_to_end; }

std::stop_token Interruptible::token() const { return current->source.get_token(); }

}  // namespace puna::cli
