// Mistral: a list of JSON at first, later a name and its arguments.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family mistral() {
  return {.name = "mistral",
          .form = {.think = {"[THINK]", "[/THINK]"},
                   .tools = {{.name = "list", .call_open = "[TOOL_CALLS]", .is_list = true},
                             {.name = "named",
                              .body = Body::named_json,
                              .call_open = "[TOOL_CALLS]",
                              .name_close = {"[ARGS]", "~"},
                              .id_open = "[CALL_ID]"},
                             {.name = "one", .call_open = "[TOOL_CALLS]"}}},
          .told_by = {"[TOOL_CALLS]"}};
}

}  // namespace puna::text::tool_calls
