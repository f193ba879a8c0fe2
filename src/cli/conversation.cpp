#include "cli/conversation.h"

#include <algorithm>

#include "base/check.h"
#include "text/tool_calls/openai_delta.h"

namespace puna::cli {

namespace {

Value message(std::string_view role, std::string content) {
  return Value::object({{"role", Value(role)}, {"content", Value(std::move(content))}});
}

}  // namespace

Result<Conversation> Conversation::make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                        const TemplateOptions& options) {
  Conversation result(PUNA_TRY(ChatFormat::make(tokenizer, model_template, options)));
  result.system_ = PUNA_TRY(system_prompt(options));
  return result;
}

void Conversation::add(std::string_view role, std::string content) { turns_.push_back(message(role, std::move(content))); }

void Conversation::add_answer(const text::tool_calls::Message& answer) {
  Value turn = text::tool_calls::openai_message(answer);
  turn.set("content", answer.content);  // templates take a text better than none
  turns_.push_back(std::move(turn));
}

const Value* Conversation::open_call() const {
  std::size_t n_results = 0;
  for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn, ++n_results) {
    if (*turn->find("role") == Value("tool")) continue;
    const Value* calls = turn->find("tool_calls");
    const Value::Array* all = calls ? calls->if_array() : nullptr;
    return all && n_results < all->size() ? &(*all)[n_results] : nullptr;
  }
  return nullptr;
}

void Conversation::add_result(std::string content) {
  const Value* call = open_call();
  PUNA_CHECK(call, "no call waits for a result");
  Value turn = message("tool", std::move(content));
  if (const Value* id = call->find("id")) turn.set("tool_call_id", *id);
  if (const Value* function = call->find("function"))
    if (const Value* name = function->find("name")) turn.set("name", *name);
  turns_.push_back(std::move(turn));
}

void Conversation::take_back() { turns_.pop_back(); }

Value Conversation::messages() const {
  Value::Array all;
  if (!system_.empty()) all.push_back(message("system", system_));
  all.insert(all.end(), turns_.begin(), turns_.end());
  return all;
}

Result<void> Conversation::set_messages(const Value& messages) {
  const Value::Array* items = messages.if_array();
  if (!items) return fail("wanted a list of messages, found {}", messages.type_name());
  std::string system;
  Value::Array turns;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Value* role = (*items)[i].find("role");
    const Value* content = (*items)[i].find("content");
    const bool has_calls = (*items)[i].find("tool_calls") != nullptr;
    if (!role || !role->if_string() || !(has_calls || (content && content->if_string())))
      return fail("message {}: wanted {{\"role\": text, \"content\": text}}", i);
    if (i == 0 && *role->if_string() == "system" && content)
      system = *content->if_string();
    else
      turns.push_back((*items)[i]);
  }
  system_ = std::move(system);
  turns_ = std::move(turns);
  return {};
}

Result<Prompt> Conversation::prompt() const { return format_.prompt(messages()); }

Result<std::vector<TokenId>> Conversation::tokens() const {
  return PUNA_TRY(prompt())
  .tokens;
}

std::size_t Conversation::n_system_tokens(const std::vector<TokenId>& tokens) const {
  if (system_.empty()) return 0;
  const Result<Prompt> alone = format_.prompt(Value::array({message("system", system_)}), false);
  if (!alone) return 0;  // a template that wants a user's message too
  const auto [end, _] = std::ranges::mismatch(tokens, alone->tokens);
  return static_cast<std::size_t>(end - tokens.begin());
}

}  // namespace puna::cli
