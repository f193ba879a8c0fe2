// What `puna --version` says.
#pragma once

#include <string>

namespace puna::cli {

// Version, compiler, the kernels chosen on this processor, libraries with their versions; some lines.
std::string version_text();

}  // namespace puna::cli
