#include "tasks/pull/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/os.h"
#include "tasks/pull/checked_file.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic = "GGUF";  // how every model file that puna reads begins

std::unexpected<Error> system_failure(const fs::path& path, std::string_view what) {
  const int number = errno;
  return fail(ErrorKind::io, "{}: cannot {}: {}", path.string(), what, os::describe(number));
}

}  // namespace

PartFile::PartFile(fs::path target)
    : target_(std::move(target)), part_(target_.string() + ".part"), memory_path_(target_.string() + ".part.json") {}

PartFile::PartFile(PartFile&& other) noexcept
    : target_(std::move(other.target_)),
      part_(std::move(other.part_)),
      memory_path_(std::move(other.memory_path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      hashed_(other.hashed_),
      memory_(std::move(other.memory_)),
      sum_(std::move(other.sum_)) {}

PartFile::~PartFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<PartFile> PartFile::open(fs::path target) {
  PartFile file(std::move(target));
  file.fd_ = ::open(file.part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file.fd_ < 0) return system_failure(file.part_, "write");
  struct stat status{};
  if (::fstat(file.fd_, &status) != 0) return system_failure(file.part_, "read");
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  if (auto text = os::read_file(file.memory_path_)) {
    if (auto memory = json::parse(*text)) file.memory_ = std::move(*memory);
  }
  return file;
}

Result<void> PartFile::remember(Value memory) {
  PUNA_TRY(os::write_file(memory_path_, json::write(memory) + "\n"));
  memory_ = std::move(memory);
  return {};
}

Result<void> PartFile::keep(std::uint64_t count, const std::stop_token& stop) {
  if (count == size_ && hashed_ == size_) return {};
  sum_ = Sha256();
  std::vector<std::byte> block(1 << 20);
  std::uint64_t at = 0;
  while (at < count) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "{}: stopped", name());
    const ssize_t got = ::pread(fd_, block.data(), std::min<std::uint64_t>(block.size(), count - at), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return system_failure(part_, "read");
    sum_.add(std::span(block).first(static_cast<std::size_t>(got)));
    at += static_cast<std::uint64_t>(got);
  }
  if (::ftruncate(fd_, static_cast<off_t>(count)) != 0) return system_failure(part_, "shorten");
  size_ = hashed_ = count;
  return {};
}

Result<void> PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_failure(part_, "write");
    sum_.add(bytes.first(static_cast<std::size_t>(put)));
    size_ += static_cast<std::uint64_t>(put);
    hashed_ = size_;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> PartFile::check(const Expected& expected, const std::string& sha256) const {
  if (expected.size != 0 && expected.size != size_) return fail("{}: wanted {} bytes, {} came", name(), expected.size, size_);
  if (!expected.sha256.empty()) {
    if (expected.sha256 == sha256) return {};
    return fail("{}: wanted sha256 {}, what came has {}", name(), expected.sha256, sha256);
  }
  return check_start();
}

Result<void> PartFile::check_start() const {
  std::array<char, kStart> start{};
  const ssize_t got = ::pread(fd_, start.data(), start.size(), 0);
  const std::string_view found(start.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  if (!found.starts_with(kMagic))
    return std::unexpected(error(ErrorKind::invalid, "{}: no GGUF file came, it starts with {}", name(), json::quote(found))
                               .with_hint("is it the address of the file itself, not of a page about it?"));
  return {};
}

Result<void> PartFile::finish(const Expected& expected) {
  const std::string sha256 = sum_.finish();
  if (auto right = check(expected, sha256); !right) {
    discard();
    return right;
  }
  if (::fsync(fd_) != 0) return system_failure(part_, "write");
  if (::rename(part_.c_str(), target_.c_str()) != 0) return system_failure(target_, "write");
  if (const int folder = ::open(target_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  ::unlink(memory_path_.c_str());
  remember_sha256(target_, sha256);
  return {};
}

void PartFile::discard() {
  ::unlink(part_.c_str());
  ::unlink(memory_path_.c_str());
}

Result<void> check_space(const fs::path& folder, std::uint64_t bytes, std::string_view what) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  if (code || space.available >= bytes) return {};
  return std::unexpected(error(ErrorKind::io, "{}: needs {} of disk, {} has {} free", what, os::size_text(bytes), folder.string(),
                               os::size_text(space.available))
                             .with_hint("free some space, or let PUNA_HOME name a folder on a larger disk"));
}

}  // namespace puna::tasks
