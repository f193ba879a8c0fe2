// A file's bytes in memory, read-only: mapped (shared with every other process that maps it) or read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace puna {

class MappedFile {
 public:
  enum class How { map, read };  // read: into anonymous memory, by several threads

  // Errors: not found, a directory, no regular file, no permission, the system's own words otherwise.
  static Result<MappedFile> open(const std::filesystem::path& path, How how = How::map);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    MappedFile(std::move(other)).swap(*this);
    return *this;
  }
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  bool is_mapped() const { return mapped_; }

  // Keeps the pages in memory. Error: the limit (RLIMIT_MEMLOCK) and how to raise it.
  Result<void> lock() const;

 private:
  void swap(MappedFile& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
  }

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace puna
