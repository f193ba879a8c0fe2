#include "cli/chat_format.h"

#include <algorithm>
#include <filesystem>

#include "base/os.h"
#include "cli/escapes.h"

namespace puna::cli {

namespace {

// The template's text and the name that its errors carry; empty: there is none.
struct Source {
  std::string text;
  std::string name;
};

Result<Source> named_source(const std::string& name) {
  Result<std::string_view> builtin = text::builtin_template(name);
  if (builtin) return Source{std::string(*builtin), name};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) return Source {
      PUNA_TRY(os::read_file(name))
      , name
    };
  return std::unexpected(std::move(builtin).error());
}

Result<std::optional<Source>> choose_template(const std::optional<std::string>& model_template, const TemplateOptions& options) {
  if (!options.chat_template.empty() && !options.template_file.empty())
    return fail("--chat-template and --chat-template-file: leave one out");
  if (!options.template_file.empty()) return Source {
      PUNA_TRY(os::read_file(options.template_file))
      , options.template_file
    };
  if (options.chat_template.find('{') != std::string::npos) return Source{options.chat_template, "--chat-template"};
  if (!options.chat_template.empty()) return PUNA_TRY(named_source(options.chat_template));
  if (model_template) return Source{*model_template, "the model's chat template"};
  return std::optional<Source>();
}

std::string text_of(const text::Tokenizer& tokenizer, std::optional<TokenId> id) {
  return id ? std::string(tokenizer.token_text(*id)) : std::string();
}

Result<Value> read_json(const std::string& text, std::string_view name) {
  Result<Value> value = json::parse(text);
  if (!value) return std::unexpected(std::move(value).error().within(name));
  return value;
}

// What a message says, as text: its content, or the texts among its parts.
std::string plain_text(const Value& message) {
  const Value* content = message.find("content");
  if (!content) return {};
  if (content->if_string()) return *content->if_string();
  std::string text;
  if (const Value::Array* parts = content->if_array())
    for (const Value& part : *parts)
      if (const Value* piece = part.find("text"); piece && piece->if_string()) text += *piece->if_string();
  return text;
}

}  // namespace

void add_template_options(Table& table, TemplateOptions& options) {
  table.group("Conversation");
  table.add("-sys, --system-prompt TEXT", "the system prompt; escapes are decoded as in -p", into(options.system));
  table.add("-sysf, --system-prompt-file FILE", "the system prompt is in FILE", into_name(options.system_file));
  table.add("--chat-template NAME|FILE|JINJA", "another chat template than the model's own", into(options.chat_template));
  table.add("--chat-template-file FILE", "the same from a file", into_name(options.template_file));
  table.add("--chat-template-kwargs JSON", "more variables for the template: {\"enable_thinking\":false}",
            into(options.variables));
  table.add("--tools FILE", "tools that the model may call: a JSON list as OpenAI's API takes it", into_name(options.tools_file));
}

Result<std::string> system_prompt(const TemplateOptions& options) {
  if (!options.system.empty() && !options.system_file.empty())
    return fail("-sys and -sysf both give the system prompt: leave one out");
  if (!options.system_file.empty()) return os::read_file(options.system_file);
  return options.escape ? decode_escapes(options.system) : options.system;
}

Result<Value> checked_tools(const Value& tools, std::string_view name) {
  if (tools.is_null()) return Value();
  if (!tools.if_array()) return fail("{}: wanted a list of tools, found {}", name, tools.type_name());
  Value checked = Value::array();
  for (std::size_t i = 0; i < tools.if_array()->size(); ++i) {
    const Value& tool = (*tools.if_array())[i];
    const Value* inner = tool.find("function");
    const Value& function = inner ? *inner : tool;
    const Value* called = function.find("name");
    if (!called || !called->if_string() || called->if_string()->empty())
      return std::unexpected(error(ErrorKind::invalid, "{}[{}]: a tool without a name", name, i)
                                 .with_hint(R"(Each tool is {"type":"function","function":{"name":…,"parameters":{…}}}.)"));
    checked.push_back(inner ? tool : Value::object({{"type", "function"}, {"function", tool}}));
  }
  return checked;
}

std::optional<std::string> template_of(const gguf::File& file, bool has_tools) {
  for (const char* key : {"tokenizer.chat_template.tool_use", "tokenizer.chat_template"}) {
    if (!has_tools && std::string_view(key).ends_with("tool_use")) continue;
    const auto text = file.get_string(key);
    if (text && *text && !(*text)->empty()) return std::string(**text);
  }
  return std::nullopt;
}

Result<ChatFormat> ChatFormat::make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                    const TemplateOptions& options) {
  ChatFormat made(tokenizer);
  if (std::optional<Source> source = PUNA_TRY(choose_template(model_template, options)))
    made.template_ = PUNA_TRY(text::ChatTemplate::parse(std::move(source->text), source->name));
  if (!options.variables.empty()) {
    Value variables = PUNA_TRY(read_json(options.variables, "--chat-template-kwargs"));
    if (!variables.if_object()) return fail("--chat-template-kwargs: wanted an object, found {}", variables.type_name());
    made.options_.extra = std::move(variables);
  }
  if (!options.tools_file.empty()) {
    const std::string text = PUNA_TRY(os::read_file(options.tools_file));
    made.options_.tools = PUNA_TRY(checked_tools(PUNA_TRY(read_json(text, options.tools_file)), options.tools_file));
  }
  made.options_.bos_token = text_of(tokenizer, tokenizer.bos());
  made.options_.eos_token = text_of(tokenizer, tokenizer.eos());
  return made;
}

Result<Prompt> ChatFormat::prompt(const Value& messages, bool add_generation_prompt) const {
  if (!template_) {
    std::string text;
    for (const Value& one : *messages.if_array()) text += plain_text(one);
    return Prompt{.text = text, .tokens = tokenizer_->encode(text, {.parse_special = false})};
  }
  text::RenderOptions options = options_;
  options.add_generation_prompt = add_generation_prompt;
  text::Rendered rendered = PUNA_TRY(template_->render(messages, options));
  if (rendered.text.size() > os::kLongestText)
    return fail("the chat template makes {} of this conversation, at most {} can be read", os::size_text(rendered.text.size()),
                os::size_text(os::kLongestText));
  std::vector<TokenId> tokens = tokenizer_->encode(rendered.text, {.literal = rendered.literal, .has_literal_marks = true});
  Prompt prompt{.text = std::move(rendered.text), .tokens = std::move(tokens)};
  if (!add_generation_prompt) return prompt;
  options.add_generation_prompt = false;
  const Result<text::Rendered> before = template_->render(messages, options);
  if (before && prompt.text.starts_with(before->text)) prompt.begun = prompt.text.substr(before->text.size());
  return prompt;
}

}  // namespace puna::cli
