// One process at a time brings a file: FILE.lock is held (flock) while it does, and goes with the process however it ends.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/result.h"

namespace puna::tasks {

class FileLock {
 public:
  // Waits while another process has it; `on_wait` is called once, before the first wait.
  static Result<FileLock> take(const std::filesystem::path& file, const std::stop_token& stop,
                               const std::function<void()>& on_wait);

  FileLock(FileLock&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace puna::tasks
