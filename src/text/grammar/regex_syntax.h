// The syntax of regular expressions as ECMA-262 has it (with u), as far as automata can run them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/grammar/char_set.h"

namespace puna::text::grammar {

struct RegexNode {
  enum class Kind : std::uint8_t { set, sequence, choice, repeat, at_start, at_end };
  Kind kind = Kind::sequence;
  CharSet set;                       // set
  std::vector<std::uint32_t> parts;  // sequence, choice; of a repeat the one body
  std::uint32_t min = 0;             // repeat
  std::optional<std::uint32_t> max;  // repeat; none: any number
};

struct RegexTree {
  std::vector<RegexNode> nodes;
  std::uint32_t root = 0;
};

// Look-around, back references and word boundaries are refused, and so is what ECMA-262 does not know; the error says at
// which character (counted from 1). Groups may be nested 50 deep.
Result<RegexTree> parse_regex(std::string_view pattern);

}  // namespace puna::text::grammar
