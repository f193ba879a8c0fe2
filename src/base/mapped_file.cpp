#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "base/os.h"
#include "base/thread_pool.h"

namespace puna {
namespace {

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Reads [begin, end) of `fd` to `out`; the errno of the first failure, or 0.
int read_range(int fd, std::byte* out, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const ssize_t got = ::pread(fd, out + begin, std::min(end - begin, std::size_t{1} << 30), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;  // the file shrank
    begin += static_cast<std::size_t>(got);
  }
  return 0;
}

int read_in_parallel(int fd, std::byte* out, std::size_t size) {
  const std::size_t n_threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  const std::size_t share = size / n_threads + 1;
  std::atomic<std::size_t> next{0};
  std::atomic<int> failure{0};
  on_threads(n_threads, [&] {
    for (std::size_t i = next++; i < n_threads; i = next++)
      if (const int code = read_range(fd, out, std::min(size, i * share), std::min(size, (i + 1) * share))) failure = code;
  });
  return failure;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path, How how) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    return fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "{}: {}", path.string(), os::describe(errno));
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) return fail(ErrorKind::io, "{}: {}", path.string(), os::describe(errno));
  if (S_ISDIR(status.st_mode)) return fail("{}: is a directory, wanted a file", path.string());
  if (!S_ISREG(status.st_mode)) return fail("{}: is no regular file", path.string());

  MappedFile result;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return result;
  const bool map = how == How::map;
  void* memory = map ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd, 0)
                     : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(ErrorKind::out_of_memory, "{}: cannot get {} of address space: {}", path.string(), os::size_text(size),
                os::describe(errno));
  result.data_ = static_cast<const std::byte*>(memory);
  result.size_ = size;
  result.mapped_ = map;
  if (!map) {
    if (int failure = read_in_parallel(file.fd, static_cast<std::byte*>(memory), size))
      return fail(ErrorKind::io, "{}: {}", path.string(), os::describe(failure));
    ::mprotect(memory, size, PROT_READ);
  }
  return result;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<void> MappedFile::lock() const {
  if (!data_ || ::mlock(data_, size_) == 0) return {};
  const int failure = errno;
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  auto problem = error(ErrorKind::out_of_memory, "cannot lock {} in memory: {} (limit {})", os::size_text(size_),
                       os::describe(failure), limit.rlim_cur == RLIM_INFINITY ? "none" : os::size_text(limit.rlim_cur));
  return std::unexpected(std::move(problem).with_hint("raise the limit with `ulimit -l unlimited`, or leave out --mlock"));
}

}  // namespace puna
