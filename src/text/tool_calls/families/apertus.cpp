// Apertus: a list of objects whose only key is the name.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family apertus() {
  return {.name = "apertus",
          .form = {.think = {"<|inner_prefix|>", "<|inner_suffix|>"},
                   .tools = {{.name = "map",
                              .body = Body::json_map,
                              .call_open = "<|tools_prefix|>",
                              .call_close = "~<|tools_suffix|>",
                              .is_list = true}}},
          .told_by = {"<|tools_prefix|>"}};
}

}  // namespace puna::text::tool_calls
