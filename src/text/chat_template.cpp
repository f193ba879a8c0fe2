#include "text/chat_template.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/jinja/ast.h"
#include "text/jinja/render.h"

namespace puna::text {
namespace {

using jinja::Any;
using jinja::Budget;
using jinja::Dict;

// Generous for honest templates (the largest known takes some 20,000 steps for a short chat), small enough that a hostile one
// ends within a second.
constexpr std::uint64_t kSteps = 5'000'000;
constexpr std::uint64_t kBytes = 128U << 20U;

// Roles that name a speaker. A template that builds a control token from one ('<|' + role + '|>') means it; any other role is
// the user's text like the rest.
constexpr std::array<std::string_view, 13> kRoles = {"system",      "user",     "assistant", "tool",  "developer",
                                                     "function",    "ipython",  "model",     "tools", "context",
                                                     "observation", "document", "critic"};

std::size_t size_of(const Value& value) {
  std::size_t size = 1;
  if (const std::string* text = value.if_string()) size += text->size();
  if (const auto* array = value.if_array()) {
    for (const Value& item : *array) size += size_of(item);
  }
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) size += key.size() + size_of(member);
  }
  return size;
}

// Tool calls carry their arguments as a string of JSON; templates expect the data in it.
Result<Value> with_decoded_arguments(const Value& call, bool& any) {
  const Value* function = call.find("function");
  const Value& holder = function != nullptr && function->if_object() != nullptr ? *function : call;
  const Value* arguments = holder.find("arguments");
  if (arguments == nullptr || arguments->if_string() == nullptr) return call;
  const std::string& text = *arguments->if_string();
  Value decoded = Value::object();
  if (!text.empty()) decoded = PUNA_TRY(json::parse(text));
  any = true;
  if (&holder == &call) {
    Value changed = call;
    changed.set("arguments", std::move(decoded));
    return changed;
  }
  Value changed_function = *function;
  changed_function.set("arguments", std::move(decoded));
  Value changed = call;
  changed.set("function", std::move(changed_function));
  return changed;
}

struct Conversation {
  Value messages;
  bool has_decoded = false;  // some tool call's arguments were a string
};

// A message as templates expect it: no null members, and reasoning under the names that templates read.
Result<Value> normalize(const Value& message, bool decodes, bool& has_decoded) {
  Value result = Value::object();
  const Value* reasoning = nullptr;
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    const Value* found = message.find(name);
    if (reasoning == nullptr && found != nullptr && !found->is_null()) reasoning = found;
  }
  if (reasoning != nullptr) result.set("thinking", *reasoning);
  for (const auto& [key, member] : *message.if_object()) {
    if (member.is_null()) continue;
    const Value::Array* calls = key == "tool_calls" ? member.if_array() : nullptr;
    if (calls == nullptr || !decodes) {
      result.set(key, member);
      continue;
    }
    Value changed = Value::array();
    for (const Value& call : *calls) changed.push_back(PUNA_TRY(with_decoded_arguments(call, has_decoded)));
    result.set(key, std::move(changed));
  }
  if (reasoning != nullptr) result.set("reasoning_content", *reasoning);
  return result;
}

Result<Conversation> normalize_all(const Value& messages, bool decodes) {
  const Value::Array* all = messages.if_array();
  if (all == nullptr) return fail("messages: wanted an array, found {}", messages.type_name());
  Conversation conversation{.messages = Value::array()};
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Value& message = (*all)[i];
    if (message.if_object() == nullptr) return fail("messages[{}]: wanted an object, found {}", i, message.type_name());
    Result<Value> normal = normalize(message, decodes, conversation.has_decoded);
    if (!normal) {
      Error trouble = std::move(normal).error();
      return std::unexpected(std::move(trouble)
                                 .within(fmt::format("messages[{}]: the arguments of a tool call are no JSON", i))
                                 .with_hint("Send the arguments as a JSON object, or as a string that holds one."));
    }
    conversation.messages.push_back(*std::move(normal));
  }
  return conversation;
}

// The messages for the program; roles that are known are the template's words.
Result<Any> convert_messages(Budget& budget, const Value& messages) {
  std::vector<Any> converted;
  for (const Value& message : *messages.if_array()) {
    std::vector<Dict::Entry> entries;
    for (const auto& [key, member] : *message.if_object()) {
      const std::string* role = key == "role" ? member.if_string() : nullptr;
      const bool is_known = role != nullptr && std::find(kRoles.begin(), kRoles.end(), *role) != kRoles.end();
      entries.emplace_back(jinja::user_text(key),
                           is_known ? Any(jinja::literal_text(*role)) : PUNA_TRY(jinja::from_json(budget, member)));
    }
    converted.push_back(PUNA_TRY(jinja::make_dict(budget, std::move(entries))));
  }
  return jinja::make_list(budget, std::move(converted));
}

bool is_empty(const Value& value) { return value.is_null() || (value.if_array() != nullptr && value.if_array()->empty()); }

Result<jinja::Text> render_once(const jinja::Program& program, const std::string& name, const Value& messages,
                                const RenderOptions& options) {
  const std::size_t input = size_of(messages) + size_of(options.tools) + size_of(options.documents) + size_of(options.extra);
  Budget budget{.steps = kSteps + 16 * input, .bytes = kBytes + 256 * input};
  std::vector<std::pair<std::string_view, Any>> variables;
  variables.emplace_back("messages", PUNA_TRY(convert_messages(budget, messages)));
  if (!options.extra.is_null() && options.extra.if_object() == nullptr) {
    return fail("the template's variables: wanted an object, found {}", options.extra.type_name());
  }
  if (const Value::Object* extra = options.extra.if_object()) {
    for (const auto& [key, member] : *extra) variables.emplace_back(key, PUNA_TRY(jinja::from_json(budget, member)));
  }
  variables.emplace_back("tools",
                         is_empty(options.tools) ? Any(jinja::None{}) : PUNA_TRY(jinja::from_json(budget, options.tools)));
  variables.emplace_back(
      "documents", options.documents.is_null() ? Any(jinja::None{}) : PUNA_TRY(jinja::from_json(budget, options.documents)));
  variables.emplace_back("add_generation_prompt", Any(options.add_generation_prompt));
  variables.emplace_back("bos_token", Any(jinja::literal_text(options.bos_token)));
  variables.emplace_back("eos_token", Any(jinja::literal_text(options.eos_token)));
  jinja::Render render(program, {.budget = budget, .variables = std::move(variables), .now = options.now, .name = name});
  return render.run();
}

}  // namespace

Result<ChatTemplate> ChatTemplate::parse(std::string source, std::string name) {
  auto program = jinja::Program::parse(std::move(source));
  if (!program) return std::unexpected(std::move(program).error().within(name));
  ChatTemplate made;
  made.program_ = *std::move(program);
  made.name_ = std::move(name);
  return made;
}

Result<Rendered> ChatTemplate::render(const Value& messages, const RenderOptions& options) const {
  const Conversation decoded = PUNA_TRY(normalize_all(messages, true));
  Result<jinja::Text> text = render_once(*program_, name_, decoded.messages, options);
  if (!text && decoded.has_decoded) {
    // Some templates paste the arguments of tool calls as the string that was sent, and fail on data.
    Result<jinja::Text> again = render_once(*program_, name_, PUNA_TRY(normalize_all(messages, false)).messages, options);
    if (again) text = std::move(again);
  }
  if (!text) return std::unexpected(std::move(text).error());
  return Rendered{std::move(text->bytes), std::move(text->literal)};
}

const std::string& ChatTemplate::source() const { return program_->source(); }

}  // namespace puna::text
