// The library never prints: it hands messages to a callback that the program sets. Without one they are dropped.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace puna::log {

enum class Level { debug, info, warning, error };

using Sink = std::function<void(Level, std::string_view message)>;

// Set once at start, before other threads log. An empty sink drops everything.
void set_sink(Sink sink, Level least = Level::info);
bool wanted(Level level);
void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  if (wanted(Level::debug)) write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  if (wanted(Level::info)) write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  if (wanted(Level::warning)) write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace puna::log
