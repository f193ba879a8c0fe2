// LFM2: calls as Python writes them.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family lfm() {
  return {
      .name = "lfm",
      .form =
          {.think = {"<think>", "</think>"},
           .tools = {{.name = "python",
                      .body = Body::python,
                      .call_open = "<|tool_call_start|>",
                      .call_close = "~<|tool_call_end|>",
                      .is_list = true},
                     {.name = "json", .call_open = "<|tool_call_start|>", .call_close = "~<|tool_call_end|>", .is_list = true}}},
      .told_by = {"<|tool_list_start|>"}};
}

}  // namespace puna::text::tool_calls
