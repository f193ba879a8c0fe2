// FireFunction: a list of JSON after a word.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family firefunction() {
  return {.name = "firefunction",
          .form = {.tools = {{.name = "list", .call_open = "functools", .is_list = true}}},
          .told_by = {"functools["}};
}

}  // namespace puna::text::tool_calls
