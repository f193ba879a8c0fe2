// Values as models write them that do not write JSON.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/value.h"

namespace puna::text::tool_calls {

// "a=1, b='x', c=[True, None]" as in a call in Python: constants, lists, tuples and dictionaries of them. Errors: anything
// else, deeper nesting than 64.
Result<Value> parse_keywords(std::string_view text);
// One such value.
Result<Value> parse_constant(std::string_view text);
// `a:1,b:<|"|>x<|"|>,c:[true],d:{e:null}`: keys without quotes, strings between `quote`s.
Result<Value> parse_braces(std::string_view text, std::string_view quote);

}  // namespace puna::text::tool_calls
