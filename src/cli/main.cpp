#include <langinfo.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace {

// A mapped file that another program cuts short, or whose disk fails, says so only when its bytes are touched.
void on_lost_pages(int) {
  constexpr std::string_view kText =
      "\npuna: a file in use was cut short or cannot be read any more\n"
      "hint: was the model replaced while it was loaded? --no-mmap reads it into memory first\n";
  [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(puna::cli::kFailed);
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGBUS, on_lost_pages);
  // Wide characters in the line editor want a UTF-8 locale; a bare container has none set. Numbers stay as C writes them.
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
  return puna::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
