// What a person sees: answers on standard output, everything else on standard error, colours and moving lines only on a
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace puna::cli {

enum class Colour { none, bold, dim, red, green, yellow, blue, cyan };

class Console {
 public:
  // As the process was started: terminals, NO_COLOR, TERM, PUNA_LOG. The log goes to standard error from here on.
  static Console make();

  bool reads_terminal() const { return in_is_terminal_; }
  bool writes_terminal() const { return out_is_terminal_; }
  bool notes_terminal() const { return err_is_terminal_; }
  bool has_colours() const { return colours_; }
  // "on", "off" or "auto": colours on terminals, and never where NO_COLOR is set.
  void set_colours(std::string_view choice);
  std::size_t width() const;  // columns of the terminal; 100 without one

  // To standard output, and on its way at once.
  void answer(std::string_view text);
  // A piece of a model's text, the same way; a terminal is shown its control characters instead of being given them.
  void stream(std::string_view text);
  // A whole line to standard error.
  void note(std::string_view line);
  // To standard error as it is: the moving line.
  void note_raw(std::string_view text);
  // "puna: message", and where there is one "hint: …" below.
  void report(const Error& error);

  // `text` in that colour where `has_colours()`.
  std::string paint(Colour colour, std::string_view text) const;

  // -v, --verbosity N (llama.cpp's: 0 and 1 errors, 2 warnings, 3 what happens, 4 and more everything).
  void set_verbosity(int level);

  // Whether all of standard output arrived; said once, at the end.
  Result<void> finish();

 private:
  bool in_is_terminal_ = false;
  bool out_is_terminal_ = false;
  bool err_is_terminal_ = false;
  bool colours_ = false;
};

}  // namespace puna::cli
