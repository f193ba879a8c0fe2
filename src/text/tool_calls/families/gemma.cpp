// Gemma 4: arguments in braces, with a token for the quotes.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family gemma() {
  return {.name = "gemma",
          .form = {.think = {"<|channel>thought", "<channel|>"},
                   .tools = {{.name = "braces",
                              .body = Body::braces,
                              .call_open = "<|tool_call>",
                              .call_close = "<tool_call|>",
                              .name_open = "call:",
                              .value_close = "<|\"|>"}}},
          .told_by = {"<|tool_call>", "call:"}};
}

}  // namespace puna::text::tool_calls
