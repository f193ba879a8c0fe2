// What the parser of regular expressions reads from, and what a backslash means there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "text/grammar/char_set.h"
#include "text/utf8.h"

namespace puna::text::grammar {

class RegexInput {
 public:
  explicit RegexInput(std::string_view pattern) : text_(pattern) {}

  Result<void> check_utf8();
  bool at_end() const { return at_ == text_.size(); }
  char32_t peek() const { return at_end() ? kNotACharacter : utf8_at(text_, at_).code; }
  char32_t next();  // not at the end
  bool take(char c);
  // Decimal digits, read to their end; `most` stands for it and all above. None where there is no digit.
  std::optional<std::uint32_t> number(std::uint32_t most);
  // Exactly so many hexadecimal digits; none, and nothing taken, where they are not there.
  std::optional<char32_t> hex(int digits);
  std::size_t place() const { return at_; }
  void go_back(std::size_t place) { at_ = place; }

  // The error at this place: "at character 5: <what>".
  std::unexpected<Error> wrong(std::string_view what) const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

struct RegexEscape {
  CharSet set;
  char32_t code = 0;      // the one character, where it is one
  bool is_class = false;  // \d and its kind
};

// What follows a backslash.
Result<RegexEscape> read_escape(RegexInput& in, bool in_brackets);

CharSet line_ends();  // what '.' does not match

}  // namespace puna::text::grammar
