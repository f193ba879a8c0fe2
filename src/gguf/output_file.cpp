#include "gguf/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/os.h"

namespace puna::gguf {
namespace {
constexpr std::size_t kBufferBytes = 1u << 20;
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path part = fmt::format("{}.part-{}-{}", path.string(), ::getpid(), counter++);
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(ErrorKind::io, "{}: cannot write: {}", path.string(), os::describe(errno));
  return OutputFile(path, std::move(part), fd);
}

OutputFile::OutputFile(std::filesystem::path path, std::filesystem::path part, int fd)
    : path_(std::move(path)), part_(std::move(part)), fd_(fd) {
  buffer_.reserve(kBufferBytes);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(part_.c_str());
}

Result<void> OutputFile::put(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) PUNA_TRY(flush());
  if (bytes.size() >= kBufferBytes) return write_through(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> OutputFile::flush() {
  PUNA_TRY(write_through(buffer_));
  buffer_.clear();
  return {};
}

Result<void> OutputFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(ErrorKind::io, "{}: cannot write: {}", path_.string(), os::describe(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> OutputFile::finish() {
  PUNA_TRY(flush());
  int failure = ::fsync(fd_) != 0 ? errno : 0;
  if (::close(std::exchange(fd_, -1)) != 0 && !failure) failure = errno;
  if (!failure && ::rename(part_.c_str(), path_.c_str()) != 0) failure = errno;
  if (!failure) return {};
  ::unlink(part_.c_str());
  return fail(ErrorKind::io, "{}: cannot write: {}", path_.string(), os::describe(failure));
}

}  // namespace puna::gguf
