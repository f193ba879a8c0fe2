#include "text/tool_calls/output_form.h"

#include <algorithm>

#include "text/tokenizer.h"

namespace puna::text::tool_calls {

std::vector<std::string> markers_of(const OutputForm& form) {
  std::vector<std::string> all = form.silent;
  all.insert(all.end(), {form.think.open, form.think.close});
  for (const ToolForm& tool : form.tools) {
    all.insert(all.end(),
               {tool.section_open, tool.section_close, tool.call_open, tool.call_close, tool.name_open, tool.id_open,
                tool.id_close, tool.key_open, tool.key_close, tool.key_close_string, tool.value_close, tool.arguments_close});
    all.insert(all.end(), tool.name_close.begin(), tool.name_close.end());
    all.insert(all.end(), tool.key_close_json.begin(), tool.key_close_json.end());
  }
  std::erase_if(all, [](const std::string& text) { return text.empty(); });
  return all;
}

std::vector<std::string> control_texts(const OutputForm& form, const Tokenizer& tokenizer) {
  const std::vector<std::string> markers = markers_of(form);
  std::vector<std::string> found;
  for (TokenId id = 0; tokenizer.contains(id); ++id) {
    if (!tokenizer.is_control(id)) continue;
    const std::string text = tokenizer.token_bytes(id);
    const auto has_it = [&text](const std::string& marker) { return marker.find(text) != std::string::npos; };
    if (!text.empty() && std::ranges::any_of(markers, has_it)) found.push_back(text);
  }
  return found;
}

}  // namespace puna::text::tool_calls
