// DeepSeek: V3 and R1 name a type and put JSON in a fence, V3.1 does neither, V3.2 and V4 tag each argument with its type.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family deepseek() {
  ToolForm plain{.name = "v3.1",
                 .body = Body::named_json,
                 .section_open = "<｜tool▁calls▁begin｜>",
                 .section_close = "<｜tool▁calls▁end｜>",
                 .call_open = "<｜tool▁call▁begin｜>",
                 .call_close = "~<｜tool▁call▁end｜>",
                 .name_close = {"<｜tool▁sep｜>"}};
  ToolForm fenced = plain;
  fenced.name = "r1";
  fenced.name_open = "function<｜tool▁sep｜>";
  fenced.name_close = {"~```json~"};
  fenced.call_close = "~```~<｜tool▁call▁end｜>";
  return {.name = "deepseek",
          .form = {.think = {"<think>", "</think>"}, .tools = {fenced, plain}},
          .told_by = {"<｜tool▁calls▁begin｜>"}};
}

Family deepseek_tags() {
  Family family{.name = "deepseek-tags", .form = {.think = {"<think>", "</think>"}}, .told_by = {"invoke name=", "DSML"}};
  for (const std::string section : {"function_calls>", "tool_calls>"})
    family.form.tools.push_back({.name = section,
                                 .body = Body::tagged,
                                 .section_open = "<｜DSML｜" + section,
                                 .section_close = "</｜DSML｜" + section,
                                 .call_open = "<｜DSML｜invoke name=\"",
                                 .name_close = {"\">"},
                                 .key_open = "<｜DSML｜parameter name=\"",
                                 .key_close = "\">",
                                 .key_close_string = "\" string=\"true\">",
                                 .key_close_json = {"\" string=\"false\">"},
                                 .value_close = "</｜DSML｜parameter>",
                                 .arguments_close = "</｜DSML｜invoke>"});
  return family;
}

}  // namespace puna::text::tool_calls
