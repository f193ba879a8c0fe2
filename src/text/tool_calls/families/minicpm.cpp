// MiniCPM 5: attributes name the function and its parameters.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family minicpm() {
  return {.name = "minicpm",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "tags",
                              .body = Body::tagged,
                              .call_open = "<function name=\"",
                              .name_close = {"\">"},
                              .key_open = "<param name=\"",
                              .key_close = "\">",
                              .value_close = "</param>",
                              .arguments_close = "</function>",
                              .may_be_cdata = true}}},
          .told_by = {"<function name=", "<param name="}};
}

}  // namespace puna::text::tool_calls
