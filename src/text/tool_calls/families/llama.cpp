// Llama 3: JSON alone, or after a token, or a call as Python writes it after that token.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family llama() {
  return {
      .name = "llama",
      .form =
          {.tools = {{.name = "json", .separator = ";"},
                     {.name = "token and json", .call_open = "<|python_tag|>", .separator = ";"},
                     {.name = "token and python", .body = Body::python, .call_open = "<|python_tag|>", .name_suffix = ".call"}}},
      .told_by = {"<|python_tag|>"}};
}

}  // namespace puna::text::tool_calls
