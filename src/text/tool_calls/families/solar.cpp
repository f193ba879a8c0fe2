// Solar Open: the id first, then the name and JSON.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family solar() {
  return {.name = "solar",
          .form = {.think = {"<|think|>", "<|end|>"},
                   .silent = {"<|begin|>assistant", "<|content|>", "<|end|>"},
                   .tools = {{.name = "named",
                              .body = Body::named_json,
                              .section_open = "<|tool_calls|>",
                              .section_close = "<|calls|>",
                              .call_open = "<|tool_call:begin|>",
                              .call_close = "<|tool_call:end|>",
                              .name_close = {"<|tool_call:args|>"},
                              .id_close = "<|tool_call:name|>"}}},
          .told_by = {"<|tool_call:begin|>"}};
}

}  // namespace puna::text::tool_calls
