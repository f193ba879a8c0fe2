// Apriel: a list of JSON between tags.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family apriel() {
  return {.name = "apriel",
          .form = {.think = {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"},
                   .silent = {"[END FINAL RESPONSE]"},
                   .tools = {{.name = "list", .call_open = "<tool_calls>", .call_close = "~</tool_calls>", .is_list = true}}}};
}

}  // namespace puna::text::tool_calls
