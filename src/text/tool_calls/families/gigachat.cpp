// GigaChat 3: JSON in a message of its own.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family gigachat() {
  return {.name = "gigachat",
          .form = {.tools = {{.name = "token", .call_open = "<|function_call|>"},
                             {.name = "role", .call_open = "<|message_sep|>\n\nfunction call<|role_sep|>\n"},
                             {.name = "role alone", .call_open = "function call<|role_sep|>\n"}}},
          .told_by = {"function call", "<|role_sep|>"}};
}

}  // namespace puna::text::tool_calls
