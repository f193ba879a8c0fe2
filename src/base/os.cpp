#include "base/os.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace puna::os {
namespace fs = std::filesystem;

std::string describe(int error_number) { return std::strerror(error_number); }

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes);
  int unit = -1;
  while (size >= 1024 && unit < 5) size /= 1024, ++unit;
  return fmt::format("{:.{}f} {}", size, size < 10 ? 2 : size < 100 ? 1 : 0, kUnits[unit]);
}

std::string environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

fs::path home() {
  if (std::string set = environment("HOME"); !set.empty()) return set;
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(::getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found) return found->pw_dir;
  return "/tmp";
}

fs::path puna_home() {
  if (std::string set = environment("PUNA_HOME"); !set.empty()) return set;
  if (std::string set = environment("XDG_CACHE_HOME"); !set.empty()) return fs::path(set) / "puna";
  return home() / ".cache" / "puna";
}

namespace {

// The number in bytes behind `key` in a file like /proc/meminfo (kB), or 0.
std::uint64_t meminfo(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  return 0;
}

// A cgroup file that holds one number; the largest number where it says "max" or does not exist.
std::uint64_t cgroup_number(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : UINT64_MAX;
}

std::uint64_t cgroup_limit() {
  return std::min(cgroup_number("/sys/fs/cgroup/memory.max"), cgroup_number("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

std::uint64_t cgroup_used() {
  const std::uint64_t v2 = cgroup_number("/sys/fs/cgroup/memory.current");
  return v2 != UINT64_MAX ? v2 : cgroup_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
}

}  // namespace

std::uint64_t total_memory() { return std::min(meminfo("MemTotal:"), cgroup_limit()); }

std::uint64_t available_memory() {
  const std::uint64_t machine = meminfo("MemAvailable:");
  const std::uint64_t limit = cgroup_limit();
  if (limit >= meminfo("MemTotal:")) return machine;
  const std::uint64_t used = cgroup_used();
  return used == UINT64_MAX ? std::min(machine, limit) : std::min(machine, limit > used ? limit - used : 0);
}

std::uint64_t peak_resident() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

CpuTimes cpu_times() {
  CpuTimes total;
  for (const fs::path& task : entries("/proc/self/task")) {
    std::ifstream file(task / "schedstat");
    double ran = 0, waited = 0;  // nanoseconds
    if (!(file >> ran >> waited)) continue;
    total.ran += ran * 1e-9;
    total.waited += waited * 1e-9;
  }
  return total;
}

namespace {

// All of `bytes` to `fd`; the errno of the first failure, or 0.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

// Beside the file, then renamed over it.
int replace_file(const fs::path& path, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  const fs::path part = fmt::format("{}.part-{}-{}", path.string(), ::getpid(), counter++);
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  int failure = write_all(fd, bytes);
  if (!failure && ::fsync(fd) != 0) failure = errno;
  ::close(fd);
  if (!failure && ::rename(part.c_str(), path.c_str()) != 0) failure = errno;
  if (failure) ::unlink(part.c_str());
  return failure;
}

// To a device or a pipe, which a rename would put a file in place of.
int write_through(const fs::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int failure = write_all(fd, bytes);
  ::close(fd);
  return failure;
}

}  // namespace

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  const bool is_special = fs::exists(status) && !fs::is_regular_file(status);
  const fs::path target = fs::is_symlink(fs::symlink_status(path, code)) ? fs::weakly_canonical(path, code) : path;
  const int failure = is_special ? write_through(path, bytes) : replace_file(target.empty() ? path : target, bytes);
  if (!failure) return {};
  return fail(ErrorKind::io, "{}: cannot write: {}", path.string(), describe(failure));
}

Result<std::string> read_all(int fd, std::string_view name) {
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::io, "{}: {}", name, describe(errno));
    if (got == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(got));
    if (text.size() > kLongestText)
      return fail("{}: is longer than {}, the longest text puna takes", name, size_text(kLongestText));
  }
}

Result<std::string> read_file(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return fail("{}: is a directory, wanted a file", path.string());
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "{}: {}", path.string(), describe(errno));
  Result<std::string> text = read_all(fd, path.string());
  ::close(fd);
  return text;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) found.push_back(at->path());
  return found;
}

namespace {

// madvise() for the pages that hold the bytes.
bool advise_pages(std::span<const std::byte> bytes, int advice) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = begin / page * page, end = (begin + bytes.size() + page - 1) / page * page;
  return ::madvise(reinterpret_cast<void*>(first), end - first, advice) == 0;
}

}  // namespace

// Pages that are locked stay, which does no harm.
void release_file_pages(std::span<const std::byte> bytes) { advise_pages(bytes, MADV_DONTNEED); }

// A system that holds a file in pages of 2 MiB maps all of one when any byte of it is read, but not beyond an area of its own.
void abandon_file_pages(std::span<const std::byte> bytes) {
  release_file_pages(bytes);
  advise_pages(bytes, MADV_NOHUGEPAGE);
}

bool map_file_pages(std::span<const std::byte> bytes) {
#ifdef MADV_POPULATE_READ
  constexpr int kPopulate = MADV_POPULATE_READ;
#else
  constexpr int kPopulate = 22;  // newer than the headers; an older system refuses it
#endif
  return advise_pages(bytes, kPopulate);
}

Result<Reservation> Reservation::make(std::size_t bytes, Pages pages) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  Reservation result;
  if (bytes == 0) return result;
  const bool huge = pages == Pages::huge && bytes >= kHugePage;
  const std::size_t mapping_size = huge ? bytes + kHugePage : bytes;
  void* memory = ::mmap(nullptr, mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return fail(ErrorKind::out_of_memory, "cannot reserve {}: {}", size_text(bytes), describe(errno));
  result.mapping_ = memory;
  result.mapping_size_ = mapping_size;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  result.data_ = static_cast<std::byte*>(memory) + (huge ? (kHugePage - address % kHugePage) % kHugePage : 0);
  result.size_ = bytes;
  if (huge) ::madvise(result.data_, bytes, MADV_HUGEPAGE);  // where refused, normal pages do
  return result;
}

Reservation::~Reservation() {
  if (mapping_) ::munmap(mapping_, mapping_size_);
}

}  // namespace puna::os
