// Qwen3-Coder and those after it: a tag for each argument, its value on lines of its own. Older Qwens write as Hermes does.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family qwen_tags() {
  ToolForm whole{.name = "tags",
                 .body = Body::tagged,
                 .call_open = "<tool_call>",
                 .call_close = "~</tool_call>",
                 .name_open = "<function=",
                 .name_close = {">"},
                 .key_open = "<parameter=",
                 .key_close = ">",
                 .value_close = "</parameter>",
                 .arguments_close = "</function>",
                 .is_value_on_lines = true};
  ToolForm short_form = whole;  // the outer tag is forgotten at times
  short_form.name = "without the outer tag";
  short_form.call_open = "<function=";
  short_form.name_open = {};
  return {.name = "qwen-tags",
          .form = {.think = {"<think>", "</think>"}, .tools = {whole, short_form}},
          .told_by = {"<tool_call>", "<function=", "<parameter="}};
}

}  // namespace puna::text::tool_calls
