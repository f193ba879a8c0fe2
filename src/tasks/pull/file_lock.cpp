#include "tasks/pull/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/os.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

// The holder before us removes the lock file when it is done: a lock on a file that has no name any more locks nothing.
bool still_named(int fd, const fs::path& path) {
  struct stat ours{}, named{};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

}  // namespace

Result<FileLock> FileLock::take(const fs::path& file, const std::stop_token& stop, const std::function<void()>& on_wait) {
  const fs::path path = file.string() + ".lock";
  for (bool waited = false; !stop.stop_requested();) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return fail(ErrorKind::io, "{}: cannot write: {}", path.string(), os::describe(errno));
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      if (still_named(fd, path)) return FileLock(path, fd);
      ::close(fd);
      continue;
    }
    const int failure = errno;
    ::close(fd);
    if (failure != EWOULDBLOCK && failure != EINTR)
      return fail(ErrorKind::io, "{}: cannot lock: {}", path.string(), os::describe(failure));
    if (!std::exchange(waited, true) && on_wait) on_wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return fail(ErrorKind::cancelled, "{}: stopped while another puna was bringing it", file.string());
}

FileLock::~FileLock() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace puna::tasks
