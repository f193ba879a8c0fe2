// A conversation as it grows, and the tokens that a model reads for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "base/value.h"
#include "cli/options.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace puna::cli {

struct TemplateOptions {
  std::string chat_template = {};  // a built-in name or Jinja; empty: the model's own
  std::string template_file = {};
  std::string variables = {};  // a JSON object
  std::string system = {};
  std::string system_file = {};
  bool escape = true;  // decode escapes in `system`
};

void add_template_options(Table& table, TemplateOptions& options);
// -sys, or the content of -sysf; empty: none. Errors: both.
Result<std::string> system_prompt(const TemplateOptions& options);

class Conversation {
 public:
  // `model_template`: the file's own. Without any template messages are plain text, one after the other. The tokenizer must
  // outlive this. Errors: an unknown name, what is wrong in a template or in the variables.
  static Result<Conversation> make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                   const TemplateOptions& options);

  bool has_template() const { return template_.has_value(); }

  void set_system(std::string text) { system_ = std::move(text); }
  const std::string& system() const { return system_; }
  void add(std::string_view role, std::string content);
  void take_back();  // the last message
  void clear() { turns_.clear(); }
  bool empty() const { return turns_.empty(); }

  // [{"role": …, "content": …}, …], the system prompt first.
  Value messages() const;
  // Takes what messages() gave. Errors: another shape.
  Result<void> set_messages(const Value& messages);

  // All of it and the beginning of an answer. Errors: the template's own words.
  Result<std::vector<TokenId>> tokens() const;
  // How many of `tokens` come from the system prompt: what a context shift had better keep.
  std::size_t n_system_tokens(const std::vector<TokenId>& tokens) const;

 private:
  explicit Conversation(const text::Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
  Result<std::vector<TokenId>> render(const Value& messages, bool add_generation_prompt) const;

  const text::Tokenizer* tokenizer_;
  std::optional<text::ChatTemplate> template_;
  Value variables_;
  std::string system_;
  Value::Array turns_;
};

}  // namespace puna::cli
