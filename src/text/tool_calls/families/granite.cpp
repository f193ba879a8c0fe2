// Granite 3: a list of JSON after a token; later Granites write as Hermes does.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family granite() {
  return {.name = "granite",
          .form = {.think = {"<think>", "</think>"},
                   .silent = {"<response>", "</response>"},
                   .tools = {{.name = "list", .call_open = "<|tool_call|>", .is_list = true}}},
          .told_by = {"<|tool_call|>"}};
}

}  // namespace puna::text::tool_calls
