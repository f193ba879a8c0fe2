// A broken promise of our own code, never of user input. Thrown as Bug, caught only at the doors (engine step, C API,
// main): that request or engine fails, the process lives.
#pragma once

#include <stdexcept>
#include <string>

namespace puna {

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void raise_bug(const char* condition, const char* file, int line, const std::string& detail);

}  // namespace puna

// PUNA_CHECK(condition) or PUNA_CHECK(condition, "detail"): our own invariant.
#define PUNA_CHECK(condition, ...)                                                   \
  do {                                                                               \
    if (!(condition)) [[unlikely]]                                                   \
      ::puna::raise_bug(#condition, __FILE__, __LINE__, ::std::string{__VA_ARGS__}); \
  } while (false)
