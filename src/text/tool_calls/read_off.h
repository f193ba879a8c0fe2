// Reads a call's form off a text that has a known call in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"
#include "text/tool_calls/output_form.h"

namespace puna::text::tool_calls {

struct KnownCall {
  std::string name;
  std::string key1, value1, key2, value2;  // its arguments: strings that stand nowhere else
  Value arguments() const { return Value::object({{key1, value1}, {key2, value2}}); }
};

// `text`: one call and its markers, nothing else. Empty: no form that puna knows how to read.
std::optional<ToolForm> read_off_call(std::string_view text, const KnownCall& call);

// The markers around `inner` in `text`: what stands directly before and after it, back to a bracket. Empty: there are none.
std::optional<ThinkForm> read_off_marks(std::string_view text, std::string_view inner);

}  // namespace puna::text::tool_calls
