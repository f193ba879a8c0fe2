// Chat templates: a conversation to the text that a model was trained to see. The language is Jinja as Hugging Face's chat
// templates use it, rendered as jinja2's immutable sandbox with transformers' settings renders it. The result says which
// bytes the template's author wrote and which came from the conversation, so that nobody's message becomes a control token.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "text/span.h"

namespace puna::text {

namespace jinja {
class Program;
}

struct RenderOptions {
  bool add_generation_prompt = true;
  Value tools;      // array of tool definitions as OpenAI sends them; null or an empty array: no tools
  Value documents;  // array of objects for retrieval templates; null: none
  Value extra;      // object: more variables (chat_template_kwargs); they win over everything but messages
  std::string bos_token;
  std::string eos_token;
  std::optional<std::int64_t> now;  // unix seconds for strftime_now, shown in UTC; default: the clock, local time
};

// Who wrote which bytes. The template's: its text and string constants, bos_token and eos_token, numbers, and the names of
// known roles (system, user, assistant, tool …), which templates build control tokens from. All else is user data.
struct Rendered {
  std::string text;
  std::vector<Span> literal;  // the template's bytes: ascending, disjoint, never touching
};

class ChatTemplate {
 public:
  // Errors: the template's name, line and column, what is wrong, and a hint where one helps.
  static Result<ChatTemplate> parse(std::string source, std::string name = "chat template");

  // `messages`: array of objects, as OpenAI's API takes them. Errors: what the template itself raised (raise_exception) in
  // its own words; a failed operation with line and column; a limit of steps, output, depth or range that was reached.
  Result<Rendered> render(const Value& messages, const RenderOptions& options = {}) const;

  const std::string& source() const;

 private:
  std::shared_ptr<const jinja::Program> program_;  // immutable; copies and threads share it
  std::string name_;
};

// Templates for files that carry none, by name (text/templates.cpp). Error: no such name, with those there are.
Result<std::string_view> builtin_template(std::string_view name);
std::vector<std::string_view> builtin_template_names();

}  // namespace puna::text
