// A file on its way. Its bytes gather in NAME.part, what is needed to go on with them after a stop lies in
// NAME.part.json, and only a whole, checked file gets its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/value.h"
#include "tasks/pull/sha256.h"

namespace puna::tasks {

// What the finished file must be; empty and 0 where nobody has said.
struct Expected {
  std::uint64_t size = 0;
  std::string sha256;
};

class PartFile {
 public:
  // Takes over what an earlier try left. The folder must exist.
  static Result<PartFile> open(std::filesystem::path target);

  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile();

  std::uint64_t size() const { return size_; }
  // What remember() wrote last, null where nothing is known about the bytes.
  const Value& memory() const { return memory_; }
  Result<void> remember(Value memory);

  // The first `count` bytes stay (and are hashed), the rest goes.
  Result<void> keep(std::uint64_t count, const std::stop_token& stop);
  Result<void> append(std::span<const std::byte> bytes);

  // Whether the first kStart bytes, or the fewer that there are, are a model's. Invalid: what they are instead.
  static constexpr std::size_t kStart = 16;
  Result<void> check_start() const;
  // Throws away what came.
  void discard();

  // Checks, writes through to the disk, and renames. A file that is not what was expected is thrown away: invalid, with
  // what was wanted and found.
  Result<void> finish(const Expected& expected);

 private:
  explicit PartFile(std::filesystem::path target);
  Result<void> check(const Expected& expected, const std::string& sha256) const;
  std::string name() const { return target_.filename().string(); }

  std::filesystem::path target_, part_, memory_path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t hashed_ = 0;  // the first bytes that sum_ has seen
  Value memory_;
  Sha256 sum_;
};

// Error (with the numbers) unless the file system of `folder` has `bytes` free.
Result<void> check_space(const std::filesystem::path& folder, std::uint64_t bytes, std::string_view what);

}  // namespace puna::tasks
