// Errors as values. Everything that can fail on user input returns Result<T>; the error names the offending thing, what
// was wanted and what was found, in one line, and a second line says what to do about it.
#pragma once

#include <fmt/core.h>

#include <expected>
#include <string>
#include <utility>

namespace puna {

enum class ErrorKind {
  invalid,        // a file, flag or request that is wrong in itself
  not_found,      // a path, name or key that does not exist
  unsupported,    // well-formed, but nothing here knows it
  out_of_memory,  // it would not fit; the message has the numbers
  io,             // the operating system or the network said no
  cancelled,      // the user or the caller stopped it
};

struct Error {
  ErrorKind kind = ErrorKind::invalid;
  std::string message;  // one line: which thing, wanted, found
  std::string hint;     // what to do; may be empty

  // The same error with more context in front: "model.gguf: tensor 'x': …".
  Error within(std::string_view where) && {
    message = fmt::format("{}: {}", where, message);
    return std::move(*this);
  }
  Error with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
};

template <class T>
using Result = std::expected<T, Error>;

template <class... Args>
Error error(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error{kind, fmt::format(format, std::forward<Args>(args)...), {}};
}

template <class... Args>
std::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(error(kind, format, std::forward<Args>(args)...));
}

template <class... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(error(ErrorKind::invalid, format, std::forward<Args>(args)...));
}

namespace detail {
template <class T>
T take(Result<T>&& result) {
  return *std::move(result);
}
inline void take(Result<void>&&) {}
}  // namespace detail

}  // namespace puna

// The value of a Result, or return its error from the enclosing function: auto file = PUNA_TRY(open(path));
// May be nested: each use has a variable of its own.
#define PUNA_TRY(...) PUNA_TRY_NAMED(PUNA_TRY_JOIN(puna_try_result_, __COUNTER__), __VA_ARGS__)
#define PUNA_TRY_JOIN(a, b) PUNA_TRY_JOIN_NOW(a, b)
#define PUNA_TRY_JOIN_NOW(a, b) a##b
#define PUNA_TRY_NAMED(result, ...)                                 \
  __extension__({                                                   \
    auto result = (__VA_ARGS__);                                    \
    if (!result) return std::unexpected(std::move(result).error()); \
    ::puna::detail::take(std::move(result));                        \
  })
