#include "cli/console.h"

#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/log.h"
#include "base/os.h"
#include "cli/escapes.h"

namespace puna::cli {

namespace {

void write_log(log::Level level, std::string_view message) {
  const char* kind = level == log::Level::warning ? "warning: " : "";
  std::fprintf(stderr, "puna: %s%s\n", kind, one_line(message).c_str());
}

constexpr std::string_view kLogWords[] = {"off", "error", "warning", "info", "debug"};

std::optional<int> verbosity_of(std::string_view word) {
  const auto* found = std::ranges::find(kLogWords, word);
  if (found == std::end(kLogWords)) return std::nullopt;
  return static_cast<int>(found - std::begin(kLogWords));
}

}  // namespace

Console Console::make() {
  Console console;
  console.in_is_terminal_ = ::isatty(STDIN_FILENO) == 1;
  console.out_is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  console.set_colours("auto");
  const std::string wanted = os::environment("PUNA_LOG");
  const std::optional<int> verbosity = verbosity_of(wanted);
  console.set_verbosity(verbosity.value_or(2));
  if (!verbosity && !wanted.empty())
    log::warning("PUNA_LOG: '{}' is none of {}; taken as warning", wanted, fmt::join(kLogWords, ", "));
  return console;
}

void Console::set_colours(std::string_view choice) {
  const std::string terminal = os::environment("TERM");
  const bool plain = !os::environment("NO_COLOR").empty() || terminal.empty() || terminal == "dumb";
  colours_ = choice == "on" || (choice == "auto" && out_is_terminal_ && !plain);
}

std::size_t Console::width() const {
  winsize size{};
  for (int fd : {STDERR_FILENO, STDOUT_FILENO})
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

void Console::answer(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Console::stream(std::string_view text) { answer(out_is_terminal_ ? harmless(text) : std::string(text)); }

void Console::note(std::string_view line) { note_raw(std::string(line) + "\n"); }

void Console::note_raw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Console::report(const Error& error) {
  note("puna: " + one_line(error.message));
  if (!error.hint.empty()) note("hint: " + one_line(error.hint));
}

std::string Console::paint(Colour colour, std::string_view text) const {
  static constexpr const char* kCodes[] = {"", "1", "2", "31", "32", "33", "34", "36"};
  if (!colours_ || colour == Colour::none) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<int>(colour)], text);
}

void Console::set_verbosity(int level) {
  if (level <= 0) return log::set_sink({});
  static constexpr log::Level kLeast[] = {log::Level::error, log::Level::warning, log::Level::info, log::Level::debug};
  log::set_sink(write_log, kLeast[std::min(level, 4) - 1]);
}

Result<void> Console::finish() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail(ErrorKind::io, "standard output: {}", os::describe(errno ? errno : EIO));
  return {};
}

}  // namespace puna::cli
