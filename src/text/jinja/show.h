// Values as text: what Python's str(), repr() and json.dumps() write.
#pragma once

#include <string>

#include "text/jinja/value.h"

namespace puna::text::jinja {

std::string integer_text(Integer value, int base = 10);
std::string real_text(double value);  // shortest digits that read back the same: 1.0, 0.1, 1e+16, inf, nan

// str(): strings as they are, with their origin. Numbers count as the template's: no number spells a control token.
Result<TextRef> to_text(Budget& budget, const Any& value);
Result<void> append_text(Budget& budget, TextBuilder& out, const Any& value);
// repr(): strings in quotes, escaped; their characters keep their origin.
Result<void> append_repr(Budget& budget, TextBuilder& out, const Any& value);
Result<TextRef> to_repr(Budget& budget, const Any& value);
std::string escape_ascii(std::string_view bytes);  // ascii(): non-ASCII characters as \x…, \u…, \U…

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  // one level of it
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};
Result<std::string> to_json(Budget& budget, const Any& value, const JsonStyle& style);

}  // namespace puna::text::jinja
