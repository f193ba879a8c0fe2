// What a long task says about itself while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace puna::tasks {

struct Progress {
  std::string what;         // "model.gguf", "NAME (part 3 of 22)", "checking model.gguf" …
  std::uint64_t done = 0;   // bytes
  std::uint64_t total = 0;  // bytes; 0: unknown
};

// Called from the thread that runs the task, at most about ten times a second and once at the end. May be empty.
using OnProgress = std::function<void(const Progress&)>;

}  // namespace puna::tasks
