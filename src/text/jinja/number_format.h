// Numbers in a wanted form: what % formatting and format() have in common.
#pragma once

#include <string>

#include "text/jinja/value.h"

namespace puna::text::jinja {

struct NumberForm {
  char sign = '-';  // '-': only minus, '+': always, ' ': a space for plus
  bool alternate = false;
  bool upper = false;
};

// A number in its three parts, so that padding may go between them.
struct NumberParts {
  std::string sign, prefix, digits;
  std::string text() const { return sign + prefix + digits; }
};

NumberParts integer_parts(Integer value, int base, const NumberForm& form);
// type: e f g, or r for Python's shortest. Error: a precision nobody needs.
Result<NumberParts> real_parts(double value, char type, std::int64_t precision, const NumberForm& form);

}  // namespace puna::text::jinja
