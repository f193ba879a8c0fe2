// Command-R: a list of JSON between marks, or in a fence.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family command_r() {
  return {.name = "command-r",
          .form = {.think = {"<|START_THINKING|>", "<|END_THINKING|>"},
                   .silent = {"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"},
                   .tools = {{.name = "list",
                              .call_open = "<|START_ACTION|>",
                              .call_close = "~<|END_ACTION|>",
                              .is_list = true,
                              .name_keys = {"tool_name"},
                              .argument_keys = {"parameters"},
                              .id_keys = {}}}},
          .told_by = {"<|START_ACTION|>"}};
}

Family command_r_plus() {
  return {.name = "command-r-plus",
          .form = {.tools = {{.name = "fence",
                              .call_open = "Action:~```json",
                              .call_close = "~```",
                              .is_list = true,
                              .name_keys = {"tool_name"},
                              .argument_keys = {"parameters"}}}},
          .told_by = {"Action:", "tool_name", "```json"}};
}

}  // namespace puna::text::tool_calls
