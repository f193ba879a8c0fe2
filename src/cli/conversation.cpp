#include "cli/conversation.h"

#include <algorithm>

#include "base/os.h"
#include "cli/escapes.h"

namespace puna::cli {

namespace {

Value message(std::string_view role, std::string content) {
  return Value::object({{"role", Value(role)}, {"content", Value(std::move(content))}});
}

// The template's text and the name that its errors carry; empty: there is none.
struct Source {
  std::string text;
  std::string name;
};

Result<std::optional<Source>> choose_template(const std::optional<std::string>& model_template, const TemplateOptions& options) {
  if (!options.chat_template.empty() && !options.template_file.empty())
    return fail("--chat-template and --chat-template-file: leave one out");
  if (!options.template_file.empty()) return Source {
      PUNA_TRY(os::read_file(options.template_file))
      , options.template_file
    };
  if (options.chat_template.find('{') != std::string::npos) return Source{options.chat_template, "--chat-template"};
  if (!options.chat_template.empty()) return Source {
      std::string(PUNA_TRY(text::builtin_template(options.chat_template))), options.chat_template
    };
  if (model_template) return Source{*model_template, "the model's chat template"};
  return std::optional<Source>();
}

std::string text_of(const text::Tokenizer& tokenizer, std::optional<TokenId> id) {
  return id ? std::string(tokenizer.token_text(*id)) : std::string();
}

}  // namespace

void add_template_options(Table& table, TemplateOptions& options) {
  table.group("Conversation");
  table.add("-sys, --system-prompt TEXT", "the system prompt; escapes are decoded as in -p", into(options.system));
  table.add("-sysf, --system-prompt-file FILE", "the system prompt is in FILE", into_name(options.system_file));
  table.add("--chat-template NAME|JINJA", "another chat template than the model's own", into(options.chat_template));
  table.add("--chat-template-file FILE", "the same from a file", into_name(options.template_file));
  table.add("--chat-template-kwargs JSON", "more variables for the template: {\"enable_thinking\":false}",
            into(options.variables));
}

Result<std::string> system_prompt(const TemplateOptions& options) {
  if (!options.system.empty() && !options.system_file.empty())
    return fail("-sys and -sysf both give the system prompt: leave one out");
  if (!options.system_file.empty()) return os::read_file(options.system_file);
  return options.escape ? decode_escapes(options.system) : options.system;
}

Result<Conversation> Conversation::make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                        const TemplateOptions& options) {
  Conversation result(tokenizer);
  if (std::optional<Source> source = PUNA_TRY(choose_template(model_template, options)))
    result.template_ = PUNA_TRY(text::ChatTemplate::parse(std::move(source->text), source->name));
  if (!options.variables.empty()) {
    Result<Value> variables = json::parse(options.variables);
    if (!variables) return std::unexpected(std::move(variables).error().within("--chat-template-kwargs"));
    if (!variables->if_object()) return fail("--chat-template-kwargs: wanted an object, found {}", variables->type_name());
    result.variables_ = *std::move(variables);
  }
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

Result<std::vector<TokenId>> Conversation::render(const Value& messages, bool add_generation_prompt) const {
  if (!template_) {
    std::string text;
    for (const Value& one : *messages.if_array()) text += *one.find("content")->if_string();
    return tokenizer_->encode(text, {.parse_special = false});
  }
  const text::RenderOptions options{.add_generation_prompt = add_generation_prompt,
                                    .tools = {},
                                    .documents = {},
                                    .extra = variables_,
                                    .bos_token = text_of(*tokenizer_, tokenizer_->bos()),
                                    .eos_token = text_of(*tokenizer_, tokenizer_->eos()),
                                    .now = {}};
  const text::Rendered rendered = PUNA_TRY(template_->render(messages, options));
  if (rendered.text.size() > os::kLongestText)
    return fail("the chat template makes {} of this conversation, at most {} can be read", os::size_text(rendered.text.size()),
                os::size_text(os::kLongestText));
  // Of the text only what the template wrote may become a control token.
  return tokenizer_->encode(rendered.text, {.literal = rendered.literal, .has_literal_marks = true});
}

Result<std::vector<TokenId>> Conversation::tokens() const { return render(messages(), true); }

std::size_t Conversation::n_system_tokens(const std::vector<TokenId>& tokens) const {
  if (system_.empty()) return 0;
  const Result<std::vector<TokenId>> alone = render(Value::array({message("system", system_)}), false);
  if (!alone) return 0;  // a template that wants a user's message too
  const auto [end, _] = std::ranges::mismatch(tokens, *alone);
  return static_cast<std::size_t>(end - tokens.begin());
}

}  // namespace puna::cli
