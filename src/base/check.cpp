#include "base/check.h"

#include <fmt/format.h>

namespace puna {

void raise_bug(const char* condition, const char* file, int line, const std::string& detail) {
  throw Bug(
      fmt::format("internal error: {} does not hold ({}:{}){}{}", condition, file, line, detail.empty() ? "" : ": ", detail));
}

}  // namespace puna
