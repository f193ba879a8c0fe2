// Glimmer: messages to somebody; a call is a message to its function and names it again in a tag.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family glimmer() {
  return {.name = "glimmer",
          .form = {.think = {" to=self<|message|>", "<|eom|>"},
                   .silent = {"<|start|>assistant", " to=user<|message|>", "<|eom|>"},
                   .tools = {{.name = "tags",
                              .body = Body::tagged,
                              .call_open = " to=",
                              .call_close = "~</atem:function_calls>",
                              .name_close = {"\">"},
                              .id_open = "<|message|><atem:function_calls>~<atem:invoke name=\"",
                              .is_id_a_number = true,
                              .key_open = "<atem:parameter name=\"",
                              .key_close = "\">",
                              .value_close = "</atem:parameter>",
                              .arguments_close = "</atem:invoke>"}}}};
}

}  // namespace puna::text::tool_calls
