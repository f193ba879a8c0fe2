// Events as OpenAI's API streams them.
#pragma once

#include <optional>

#include "base/value.h"
#include "text/tool_calls/output_parser.h"

namespace puna::text::tool_calls {

// The `delta` of a chunk: {"content"}, {"reasoning_content"} or {"tool_calls": [one]}. A call comes first with index, id, type,
// name and empty arguments, all of them once; afterwards with index and a piece of the arguments. Empty: there is nothing to
// send for this event.
std::optional<Value> openai_delta(const Event& event);

// The same all at once: the assistant's message.
Value openai_message(const Message& message);

}  // namespace puna::text::tool_calls
