// MiniMax: M1 puts lines of JSON between tags, M2 tags each argument, M3 with the argument's name.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family minimax() {
  return {.name = "minimax",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "m2",
                              .body = Body::tagged,
                              .section_open = "<minimax:tool_call>",
                              .section_close = "</minimax:tool_call>",
                              .call_open = "<invoke name=\"",
                              .name_close = {"\">"},
                              .key_open = "<parameter name=\"",
                              .key_close = "\">",
                              .value_close = "</parameter>",
                              .arguments_close = "</invoke>"}}},
          .told_by = {"<minimax:tool_call>"}};
}

// Objects and lists among the values are tags again; they stay text.
Family minimax_names() {
  return {.name = "minimax-names",
          .form = {.think = {"<mm:think>", "</mm:think>"},
                   .tools = {{.name = "m3",
                              .body = Body::tagged,
                              .section_open = "]<]minimax[>[<tool_call>",
                              .section_close = "]<]minimax[>[</tool_call>",
                              .call_open = "]<]minimax[>[<invoke name=\"",
                              .name_close = {"\">"},
                              .key_open = "]<]minimax[>[<",
                              .key_close = ">",
                              .value_close = "]<]minimax[>[</{key}>",
                              .arguments_close = "]<]minimax[>[</invoke>"}}}};
}

Family minimax_json() {
  return {.name = "minimax-json",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "m1", .section_open = "<tool_calls>", .section_close = "</tool_calls>"}}}};
}

}  // namespace puna::text::tool_calls
