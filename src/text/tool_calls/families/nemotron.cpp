// Nemotron Nano 2: a list of JSON between tags.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family nemotron() {
  return {.name = "nemotron",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "list", .call_open = "<TOOLCALL>", .call_close = "~</TOOLCALL>", .is_list = true}}},
          .told_by = {"<TOOLCALL>"}};
}

}  // namespace puna::text::tool_calls
