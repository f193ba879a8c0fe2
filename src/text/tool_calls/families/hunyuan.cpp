// Hunyuan 3: tags with a suffix.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family hunyuan() {
  return {.name = "hunyuan",
          .form = {.think = {"<think:opensource>", "</think:opensource>"},
                   .tools = {{.name = "tags",
                              .body = Body::tagged,
                              .section_open = "<tool_calls:opensource>",
                              .section_close = "</tool_calls:opensource>",
                              .call_open = "<tool_call:opensource>",
                              .name_close = {"~<tool_sep:opensource>"},
                              .key_open = "<arg_key:opensource>",
                              .key_close = "</arg_key:opensource>~<arg_value:opensource>",
                              .value_close = "</arg_value:opensource>",
                              .arguments_close = "</tool_call:opensource>"}}}};
}

}  // namespace puna::text::tool_calls
