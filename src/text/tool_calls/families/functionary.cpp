// Functionary: 3.1 has a tag with the name, 3.2 a channel for each function and one for the text.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family functionary() {
  return {.name = "functionary",
          .form = {.tools = {{.name = "v3.1",
                              .body = Body::named_json,
                              .call_open = "<function=",
                              .call_close = "~</function>",
                              .name_close = {">"}}}}};
}

Family functionary_channels() {
  return {.name = "functionary-channels",
          .form = {.silent = {">>>all\n"},
                   .tools = {{.name = "v3.2", .body = Body::named_json, .call_open = ">>>", .name_close = {"\n"}}}},
          .told_by = {">>>all"}};
}

}  // namespace puna::text::tool_calls
