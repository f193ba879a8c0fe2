// Inside the room: a file of any size written piece by piece, whose name appears only when it is whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"

namespace puna::gguf {

class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path);  // beside `path`, under another name
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // removes what was not finished

  Result<void> put(std::span<const std::byte> bytes);
  Result<void> finish();  // on disk, then renamed

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path part, int fd);
  Result<void> flush();
  Result<void> write_through(std::span<const std::byte> bytes);

  std::filesystem::path path_, part_;
  int fd_ = -1;
  std::vector<std::byte> buffer_;  // small pieces gathered to one call of the system
};

}  // namespace puna::gguf
