// Lines from a person: edited, with history and wide characters on a terminal, as they come elsewhere.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/console.h"

namespace puna::cli {

class LineEditor {
 public:
  // `history`: the file that keeps what was typed; it and its folder are made when needed. With `plain`, or without a
  // terminal that can move its cursor, lines are read without editing.
  LineEditor(Console& console, std::filesystem::path history, bool plain);
  ~LineEditor();

  // The next line without its end; a paste of several lines is one. Empty: Ctrl-C, Ctrl-D or the end of the input.
  std::optional<std::string> read(std::string_view prompt);
  void remember(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace puna::cli
