// Any bytes as a chat template: parsed, then rendered over one conversation. Spans must describe the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "text/chat_template.h"

namespace {

puna::Value conversation() {
  using puna::Value;
  const Value call = Value::object({{"function", Value::object({{"name", "f"}, {"arguments", "{\"a\": [1, 2.5, null]}"}})}});
  return Value::array({Value::object({{"role", "system"}, {"content", "Be é."}}),
                       Value::object({{"role", "user"}, {"content", "a,b <|x|>"}}),
                       Value::object({{"role", "assistant"}, {"tool_calls", Value::array({call})}})});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = puna::text::ChatTemplate::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!parsed) return 0;
  static const puna::Value messages = conversation();
  puna::text::RenderOptions options;
  options.bos_token = "<s>";
  options.tools = puna::Value::array({puna::Value::object({{"name", "f"}})});
  options.extra = puna::Value::object({{"a", 3}, {"s", "Hello W\xc3\xb6rld"}, {"d", puna::Value::object({{"k", 1}})}});
  options.now = 1753700000;
  const auto rendered = parsed->render(messages, options);
  if (!rendered) return 0;
  std::size_t last = 0;
  for (const auto span : rendered->literal) {
    PUNA_CHECK(span.begin < span.end && span.end <= rendered->text.size(), "a span outside of the text");
    PUNA_CHECK(span.begin > last || last == 0, "spans that touch or overlap");
    last = span.end;
  }
  return 0;
}
