// Where nothing else is known: JSON alone that names a tool, in one of the usual spellings, and in a fence.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family plain_json() {
  ToolForm one{.name = "object",
               .separator = ";",
               .name_keys = {"name", "tool_name", "function", "tool"},
               .argument_keys = {"arguments", "parameters", "args", "input"},
               .id_keys = {"id", "tool_call_id"}};
  ToolForm list = one;
  list.name = "list";
  list.is_list = true;
  Family family{.name = "plain-json", .form = {.think = {"<think>", "</think>"}, .tools = {one, list}}};
  for (ToolForm fenced : {one, list}) {
    fenced.name += " in a fence";
    fenced.call_open = "```json";
    fenced.call_close = "~```";
    fenced.is_doubtful = true;
    family.form.tools.push_back(fenced);
  }
  return family;
}

}  // namespace puna::text::tool_calls
