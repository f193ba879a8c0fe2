// Template source to tokens, with Jinja's white-space rules as chat templates set them (trim_blocks, lstrip_blocks).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/jinja/value.h"

namespace puna::text::jinja {

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in characters
};

enum class TokenKind : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  string,
  integer,
  real,
  op,
  eof
};

struct Token {
  TokenKind kind = TokenKind::eof;
  Position at;
  std::string text;  // data, name, operator as written; string with its escapes decoded
  Integer integer = 0;
  double real = 0;
};

// Errors: line, column and what is wrong. The last token is `eof`.
Result<std::vector<Token>> tokenize(std::string_view source);

// An error at a place in the template.
std::unexpected<Error> fail_at(Position at, std::string_view message, std::string hint = {});
std::string describe(const Token& token);  // for messages

}  // namespace puna::text::jinja
