#include "base/cpu_name.h"

#include "base/os.h"

namespace puna {

std::string cpu_name() {
  const Result<std::string> text = os::read_file("/proc/cpuinfo");
  if (!text) return {};
  constexpr std::string_view kKey = "model name";
  const std::size_t key = text->find(kKey);
  if (key == text->npos) return {};
  const std::size_t colon = text->find(": ", key), end = text->find('\n', key);
  return colon == text->npos || colon > end ? std::string{} : text->substr(colon + 2, end - colon - 2);
}

}  // namespace puna
