// What the operating system is asked, behind one header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::os {

std::string describe(int error_number);      // the system's words for an errno
std::string size_text(std::uint64_t bytes);  // "98.3 MB", "1.04 GiB" style: binary units, written KiB MiB GiB

// An environment variable; empty where it is unset or empty.
std::string environment(std::string_view name);
std::filesystem::path home();       // $HOME, or the password database's entry
std::filesystem::path puna_home();  // $PUNA_HOME, or $XDG_CACHE_HOME/puna, or ~/.cache/puna

std::uint64_t total_memory();      // bytes this process may use: the machine's, or its cgroup's limit if that is less
std::uint64_t available_memory();  // of those, bytes free now without swapping
std::uint64_t peak_resident();     // bytes this process had resident at most

// What this process's threads had of the processors since they started: seconds run, and seconds they could have run but
// waited for a core (both 0 where the system does not tell).
struct CpuTimes {
  double ran = 0;
  double waited = 0;
};
CpuTimes cpu_times();

// Writes `bytes` beside `path`, then renames: the name holds the old content or the whole new one, never a part. What is no
// regular file (a device, a pipe) is written to; a link stays and what it names is replaced.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

// A text is never longer: what has no end (a device, a pipe) must not fill the memory.
inline constexpr std::size_t kLongestText = std::size_t{256} << 20;
Result<std::string> read_file(const std::filesystem::path& path);  // whole; also of pipes
Result<std::string> read_all(int fd, std::string_view name);       // what is left to read; errors carry the name

// What lies in a folder, in no order: as much as can be read; of what is no folder, nothing.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

// The pages of a mapped file that hold `bytes` need not stay in this process's memory: read again, they come from the file.
void release_file_pages(std::span<const std::byte> bytes);
// The same for bytes that will hardly be read again: nor do their pages come back with those of bytes beside them.
void abandon_file_pages(std::span<const std::byte> bytes);
// They are mapped now, and read where they are not in memory, instead of one by one at their first use. False: the system can't.
bool map_file_pages(std::span<const std::byte> bytes);

// Memory that is reserved now and backed by pages only as it is touched; zeroed, 64-byte aligned.
class Reservation {
 public:
  enum class Pages { normal, huge };  // huge: of 2 MiB where the system has them; for what is used to its end, and often
  static Result<Reservation> make(std::size_t bytes, Pages pages = Pages::normal);
  Reservation() = default;
  Reservation(Reservation&& other) noexcept { swap(other); }
  Reservation& operator=(Reservation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Reservation();
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(Reservation& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_size_, other.mapping_size_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  void* mapping_ = nullptr;  // what the system gave; data_ lies in it
  std::size_t mapping_size_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace puna::os
