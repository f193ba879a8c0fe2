// GLM: the name, then keys and values between tags; others have taken it over.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family glm() {
  return {.name = "glm",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "tags",
                              .body = Body::tagged,
                              .call_open = "<tool_call>",
                              .key_open = "<arg_key>",
                              .key_close = "</arg_key>~<arg_value>",
                              .value_close = "</arg_value>",
                              .arguments_close = "</tool_call>"}}},
          .told_by = {"<tool_call>", "<arg_key>"}};
}

}  // namespace puna::text::tool_calls
