#include "text/tool_calls/openai_delta.h"

namespace puna::text::tool_calls {

std::optional<Value> openai_delta(const Event& event) {
  const auto call = [&](Value members) { return Value::object({{"tool_calls", Value::array({std::move(members)})}}); };
  switch (event.kind) {
    case Event::Kind::content:
      return Value::object({{"content", event.text}});
    case Event::Kind::reasoning:
      return Value::object({{"reasoning_content", event.text}});
    case Event::Kind::call_begin:
      return call(Value::object({{"index", event.index},
                                 {"id", event.id},
                                 {"type", "function"},
                                 {"function", Value::object({{"name", event.name}, {"arguments", ""}})}}));
    case Event::Kind::arguments:
      return call(Value::object({{"index", event.index}, {"function", Value::object({{"arguments", event.text}})}}));
    case Event::Kind::call_end:
      return std::nullopt;
  }
  return std::nullopt;
}

Value openai_message(const Message& message) {
  Value::Array calls;
  for (const Message::Call& call : message.calls)
    if (call.is_whole)
      calls.push_back(Value::object({{"id", call.id},
                                     {"type", "function"},
                                     {"function", Value::object({{"name", call.name}, {"arguments", call.arguments}})}}));
  const bool is_call_alone = message.content.empty() && !calls.empty();
  Value made = Value::object({{"role", "assistant"}, {"content", is_call_alone ? Value() : Value(message.content)}});
  if (!message.reasoning.empty()) made.set("reasoning_content", message.reasoning);
  if (!calls.empty()) made.set("tool_calls", std::move(calls));
  return made;
}

}  // namespace puna::text::tool_calls
