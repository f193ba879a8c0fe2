// How a conversation becomes a prompt: a chat template, its variables, the tools that the model may call, a tokenizer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "base/value.h"
#include "cli/options.h"
#include "gguf/reader.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace puna::cli {

struct TemplateOptions {
  std::string chat_template = {};  // a built-in name, a file or Jinja; empty: the model's own
  std::string template_file = {};
  std::string variables = {};  // a JSON object
  std::string tools_file = {};
  std::string system = {};
  std::string system_file = {};
  bool escape = true;  // decode escapes in `system`
};

// --chat-template and its like.
void add_template_options(Table& table, TemplateOptions& options);
// -sys, or the content of -sysf; empty: none. Errors: both.
Result<std::string> system_prompt(const TemplateOptions& options);
// Tool definitions as OpenAI's API takes them; a bare {"name", …} is put into its {"type": "function", …}. `name`: of where
// they come from. Errors: another shape, by index.
Result<Value> checked_tools(const Value& tools, std::string_view name);

// The template that the file carries: of several, with tools the one that is named for them. Empty: none.
std::optional<std::string> template_of(const gguf::File& file, bool has_tools);

struct Prompt {
  std::string text;
  std::vector<TokenId> tokens;
  std::string begun = {};  // the end of `text`, which the template wrote to begin the answer; empty where that cannot be told
};

class ChatFormat {
 public:
  // `model_template`: the file's own. Without any template messages are plain text, one after the other. The tokenizer must
  // outlive this. Errors: an unknown name, what is wrong in a template, in the variables or in the tools.
  static Result<ChatFormat> make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                 const TemplateOptions& options);

  bool has_template() const { return template_.has_value(); }
  const text::ChatTemplate& chat_template() const { return *template_; }  // where there is one
  const text::Tokenizer& tokenizer() const { return *tokenizer_; }
  const Value& tools() const { return options_.tools; }
  void set_tools(Value tools) { options_.tools = std::move(tools); }
  void set_documents(Value documents) { options_.documents = std::move(documents); }
  // One more variable for the template, or another value of one.
  void set_variable(std::string_view name, Value value) { options_.extra.set(name, std::move(value)); }
  const text::RenderOptions& render_options() const { return options_; }

  // `messages`: as OpenAI's API takes them. Of the text only what the template wrote may become a control token. Errors: the
  // template's own words, a limit.
  Result<Prompt> prompt(const Value& messages, bool add_generation_prompt = true) const;

 private:
  explicit ChatFormat(const text::Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  const text::Tokenizer* tokenizer_;
  std::optional<text::ChatTemplate> template_;
  text::RenderOptions options_;
};

}  // namespace puna::cli
