// Hermes: JSON between tags; the form that most others took.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family hermes() {
  return {.name = "hermes",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "json", .call_open = "<tool_call>", .call_close = "~</tool_call>"}}},
          .told_by = {"<tool_call>"}};
}

}  // namespace puna::text::tool_calls
