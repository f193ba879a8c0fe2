// Renders templates from standard input, one JSON object a line, for tools/check_templates.py:
// {"template", "messages", "tools", "documents", "extra", "add_generation_prompt", "bos_token", "eos_token", "now"}
// → {"text", "literal": [[begin, end], …]} or {"error"}.
#include <iostream>
#include <string>

#include "text/chat_template.h"

namespace {

using puna::Value;

std::string text_of(const Value& request, const char* name) {
  const Value* found = request.find(name);
  return found != nullptr && found->if_string() != nullptr ? *found->if_string() : std::string();
}

Value value_of(const Value& request, const char* name) {
  const Value* found = request.find(name);
  return found != nullptr ? *found : Value();
}

puna::Result<puna::text::Rendered> render(const Value& request) {
  auto parsed = PUNA_TRY(puna::text::ChatTemplate::parse(text_of(request, "template")));
  puna::text::RenderOptions options;
  const Value prompt = value_of(request, "add_generation_prompt");
  options.add_generation_prompt = prompt.if_bool() != nullptr && *prompt.if_bool();
  options.tools = value_of(request, "tools");
  options.documents = value_of(request, "documents");
  options.extra = value_of(request, "extra");
  options.bos_token = text_of(request, "bos_token");
  options.eos_token = text_of(request, "eos_token");
  const Value now = value_of(request, "now");
  if (now.if_int() != nullptr) options.now = *now.if_int();
  return parsed.render(value_of(request, "messages"), options);
}

Value answer(const std::string& line) {
  const auto request = puna::json::parse(line, 512);
  if (!request) return Value::object({{"error", request.error().message}});
  const auto rendered = render(*request);
  if (!rendered) return Value::object({{"error", rendered.error().message}});
  Value literal = Value::array();
  for (const auto& span : rendered->literal) {
    literal.push_back(Value::array({static_cast<std::int64_t>(span.begin), static_cast<std::int64_t>(span.end)}));
  }
  return Value::object({{"text", rendered->text}, {"literal", literal}});
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << puna::json::write(answer(line)) << std::endl;
}
