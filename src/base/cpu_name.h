// What the processor calls itself.
#pragma once

#include <string>

namespace puna {

// "AMD EPYC 9B45", as the system tells; empty where it does not.
std::string cpu_name();

}  // namespace puna
