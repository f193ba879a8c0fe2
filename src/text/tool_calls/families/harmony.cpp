// GPT-OSS: messages with channels; a call is a message to a function, in either of two orders.
#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

Family harmony() {
  const std::vector<std::string> after_name = {
      "<|channel|>commentary~<|constrain|>~json<|message|>",
      "<|channel|>commentary~json<|message|>",
      "<|channel|>commentary<|message|>",
      "<|channel|>analysis~<|constrain|>~json<|message|>",
      "<|channel|>analysis~json<|message|>",
      "<|channel|>analysis<|message|>",
      "~<|constrain|>~json~<|message|>",
      "~json<|message|>",
      "~code<|message|>",
      "~<|message|>",
  };
  Family family{.name = "harmony",
                .form = {.think = {"<|channel|>analysis<|message|>", "<|end|>"},
                         .silent = {"<|start|>assistant", "<|channel|>final<|message|>", "<|channel|>commentary<|message|>",
                                    "<|channel|>final <|constrain|>json<|message|>", "<|end|>", "<|return|>"}},
                .told_by = {"<|channel|>analysis<|message|>"}};
  for (const char* opening : {"<|start|>assistant to=functions.", "<|start|>assistant<|channel|>commentary to=functions.",
                              "<|channel|>commentary to=functions.", "<|channel|>analysis to=functions."})
    family.form.tools.push_back(
        {.name = opening, .body = Body::named_json, .call_open = opening, .call_close = "<|call|>", .name_close = after_name});
  return family;
}

}  // namespace puna::text::tool_calls
