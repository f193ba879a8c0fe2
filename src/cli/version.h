// What `puna --version` says.
#pragma once

#include <string>
#include <string_view>

namespace puna::cli {

std::string_view version();  // "0.1.0"

// Version, compiler, the kernels chosen on this processor, libraries with their versions; some lines.
std::string version_text();

}  // namespace puna::cli
