#include "cli/conversation.h"

#include <algorithm>

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
    if (!role || !role->if_string() || !content || !content->if_string())
      return fail("message {}: wanted {{\"role\": text, \"content\": text}}", i);
    if (i == 0 && *role->if_string() == "system")
      system = *content->if_string();
    else
      turns.push_back((*items)[i]);
  }
  system_ = std::move(system);
  turns_ = std::move(turns);
  return {};
}

Result<std::vector<TokenId>> Conversation::tokens() const {
  return PUNA_TRY(format_.prompt(messages()))
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
