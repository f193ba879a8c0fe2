// A child process that is run for its result: no shell, no input, its output caught for the error message.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace puna::tasks {

struct Command {
  std::vector<std::string> arguments;    // the first is the program, looked up on PATH
  std::filesystem::path folder;          // it runs there
  std::vector<std::string> environment;  // NAME=value, besides what this process has
  std::function<void()> on_tick;         // a few times a second while it runs
};

struct Finished {
  int status = 0;      // its exit status; 128 + the signal that ended it
  std::string output;  // what it wrote to standard output and error, the last 64 KiB of it
};

// not_found: there is no such program; cancelled: stopped (the child and its children are ended).
Result<Finished> run(const Command& command, const std::stop_token& stop);

}  // namespace puna::tasks
