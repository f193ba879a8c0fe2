#include "tasks/pull/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/os.h"

extern char** environ;

namespace puna::tasks {
namespace {

constexpr std::size_t kMostOutput = 64 << 10;
constexpr int kTick = 100;  // milliseconds

struct Fd {
  int fd = -1;
  explicit Fd(int number) : fd(number) {}
  Fd(const Fd&) = delete;
  ~Fd() { close(); }
  void close() {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> result = extra;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& own : extra) replaced = replaced || own.starts_with(name);
    if (!replaced) result.push_back(text);
  }
  return result;
}

// The new process's id, or an errno. It leads a process group of its own, so that a Ctrl-C at the terminal reaches us alone
// and we end it with all its children.
std::pair<pid_t, int> spawn(const Command& command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults, none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const auto environment = whole_environment(command.environment);
  pid_t child = -1;
  const int failure = posix_spawnp(&child, command.arguments.front().c_str(), &actions, &attributes,
                                   pointers(command.arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return {child, failure};
}

// Reads until the child closes its end. False: stopped.
bool drain(int from, const Command& command, const std::stop_token& stop, std::string& output) {
  char block[4096];
  while (!stop.stop_requested()) {
    if (command.on_tick) command.on_tick();
    pollfd waited{.fd = from, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, kTick) <= 0) continue;
    const ssize_t got = ::read(from, block, sizeof block);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return true;
    if (got > 0) output.append(block, static_cast<std::size_t>(got));
    if (output.size() > 2 * kMostOutput) output.erase(0, output.size() - kMostOutput);
  }
  return false;
}

}  // namespace

Result<Finished> run(const Command& command, const std::stop_token& stop) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::io, "cannot make a pipe: {}", os::describe(errno));
  Fd from(ends[0]), to(ends[1]);
  const auto [child, failure] = spawn(command, to.fd);
  if (failure == ENOENT) return fail(ErrorKind::not_found, "{}: no such program", command.arguments.front());
  if (failure != 0) return fail(ErrorKind::io, "{}: cannot run: {}", command.arguments.front(), os::describe(failure));
  to.close();
  Finished finished;
  const bool ended = drain(from.fd, command, stop, finished.output);
  if (!ended) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return fail(ErrorKind::cancelled, "{}: stopped", command.arguments.front());
  if (finished.output.size() > kMostOutput) finished.output.erase(0, finished.output.size() - kMostOutput);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace puna::tasks
