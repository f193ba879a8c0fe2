// Kimi: K2 writes an id that holds the name, K3 tags with types.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family kimi() {
  return {.name = "kimi",
          .form = {.think = {"<think>", "</think>"},
                   .tools = {{.name = "k2",
                              .body = Body::named_json,
                              .section_open = "<|tool_calls_section_begin|>",
                              .section_close = "<|tool_calls_section_end|>",
                              .call_open = "<|tool_call_begin|>",
                              .call_close = "~<|tool_call_end|>",
                              .name_close = {"~<|tool_call_argument_begin|>"},
                              .is_name_an_id = true,
                              .name_prefix = "functions."}}},
          .told_by = {"<|tool_calls_section_begin|>"}};
}

Family kimi_tags() {
  std::vector<std::string> typed;
  for (const std::string type : {"number", "integer", "boolean", "object", "array", "null"})
    typed.push_back("\" type=\"" + type + "\"<|sep|>");
  return {.name = "kimi-tags",
          .form = {.think = {"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
                   .silent = {"<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>"},
                   .tools = {{.name = "k3",
                              .body = Body::tagged,
                              .section_open = "<|open|>tools<|sep|>",
                              .section_close = "<|close|>tools<|sep|>",
                              .call_open = "<|open|>call tool=\"",
                              .name_close = {"\"<|sep|>"},
                              .id_open = "\" index=\"",
                              .is_id_a_number = true,
                              .key_open = "<|open|>argument key=\"",
                              .key_close = "\"<|sep|>",
                              .key_close_string = "\" type=\"string\"<|sep|>",
                              .key_close_json = typed,
                              .value_close = "<|close|>argument<|sep|>",
                              .arguments_close = "<|close|>call<|sep|>"}}}};
}

}  // namespace puna::text::tool_calls
