// A conversation as it grows, and the tokens that a model reads for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "base/value.h"
#include "cli/chat_format.h"
#include "text/tool_calls/output_parser.h"

namespace puna::cli {

class Conversation {
 public:
  // `model_template`: the file's own. Without any template messages are plain text, one after the other. The tokenizer must
  // outlive this. Errors: an unknown name, what is wrong in a template or in the variables.
  static Result<Conversation> make(const text::Tokenizer& tokenizer, const std::optional<std::string>& model_template,
                                   const TemplateOptions& options);

  bool has_template() const { return format_.has_template(); }
  const ChatFormat& format() const { return format_; }
  ChatFormat& format() { return format_; }

  void set_system(std::string text) { system_ = std::move(text); }
  const std::string& system() const { return system_; }
  void add(std::string_view role, std::string content);
  // An answer with its thoughts and calls.
  void add_answer(const text::tool_calls::Message& answer);
  // The first call of the last answer that has no result yet; null: all have theirs.
  const Value* open_call() const;
  void add_result(std::string content);  // of open_call(), which there must be
  void take_back();                      // the last message
  void clear() { turns_.clear(); }
  bool empty() const { return turns_.empty(); }

  // [{"role": …, "content": …}, …], the system prompt first.
  Value messages() const;
  // Takes what messages() gave. Errors: another shape.
  Result<void> set_messages(const Value& messages);

  // All of it and the beginning of an answer. Errors: the template's own words.
  Result<std::vector<TokenId>> tokens() const;
  Result<Prompt> prompt() const;  // the same with its text
  // How many of `tokens` come from the system prompt: what a context shift had better keep.
  std::size_t n_system_tokens(const std::vector<TokenId>& tokens) const;

 private:
  explicit Conversation(ChatFormat format) : format_(std::move(format)) {}

  ChatFormat format_;
  std::string system_;
  Value::Array turns_;
};

}  // namespace puna::cli
