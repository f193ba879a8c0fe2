// Seed-OSS: as Qwen3-Coder, with tags of its own and values without lines of theirs.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family seed() {
  return {.name = "seed",
          .form = {.think = {"<seed:think>", "</seed:think>"},
                   .tools = {{.name = "tags",
                              .body = Body::tagged,
                              .call_open = "<seed:tool_call>",
                              .call_close = "~</seed:tool_call>",
                              .name_open = "<function=",
                              .name_close = {">"},
                              .key_open = "<parameter=",
                              .key_close = ">",
                              .value_close = "</parameter>",
                              .arguments_close = "</function>"}}},
          .told_by = {"<seed:tool_call>"}};
}

}  // namespace puna::text::tool_calls
