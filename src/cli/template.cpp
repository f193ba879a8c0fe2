// puna template: the prompt that a conversation becomes, and its tokens.
#include "base/value.h"
#include "cli/chat_format.h"
#include "cli/commands.h"
#include "cli/engine_options.h"
#include "cli/model_options.h"
#include "cli/prompt_options.h"
#include "cli/token_line.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"

namespace puna::cli {
namespace {

struct PrintOptions {
  ModelOptions model;
  PromptOptions prompt;
  TemplateOptions conversation;
  EngineOptions engine;  // of it the file options
  bool add_generation_prompt = true;
  bool json = false;
  bool source = false;
  bool list = false;
};

Table make_table(PrintOptions& options, Console& console) {
  Table table("template", "The prompt that a conversation becomes, and its tokens.", "[MODEL] [-f FILE | -p TEXT] [options]",
              "puna template model.gguf -f messages.json\n"
              "puna template model.gguf -p \"Hello\" -sys \"Be brief.\" --json\n"
              "puna template model.gguf -f messages.json --tools tools.json\n"
              "puna template model.gguf --source");
  add_model_options(table, options.model);
  table.group("Messages (without -p and -f: JSON from standard input)");
  table.add("-f, --file FILE", "JSON: a list of messages, or a request with \"messages\", \"tools\" and more; -: standard input",
            into_name(options.prompt.file));
  table.add("-p, --prompt TEXT", "one message of the user; escapes are decoded", into(options.prompt.text));
  table.add("-e, --escape", "decode escapes in -p and -sys (default)", flag(options.prompt.escape));
  table.add("--no-escape", "take -p and -sys as they are", flag(options.prompt.escape, false));
  add_template_options(table, options.conversation);
  table.add("--no-generation-prompt", "the answer is not begun", flag(options.add_generation_prompt, false));
  table.group("Output (otherwise the prompt, then a line for each token: id, kind, text)");
  table.add("--json", "one line: {\"prompt\":\"…\",\"tokens\":[1,2,3]}", flag(options.json));
  table.add("--source", "the template itself", flag(options.source));
  table.add("--list", "the names of the built-in templates", flag(options.list));
  add_file_options(table, options.engine);
  add_general_options(table, console);
  return table;
}

// A list of messages, or a request that has one; what else a request says goes to the format and to `options`.
Result<Value> read_messages(const std::string& text, ChatFormat& format, PrintOptions& options) {
  Value given = PUNA_TRY(json::parse(text));
  if (given.if_array()) return given;
  const Value* messages = given.find("messages");
  if (!messages || !messages->if_array())
    return fail("wanted a list of messages, or an object with \"messages\"; found {}", given.type_name());
  if (const Value* tools = given.find("tools"); tools && format.tools().is_null())
    format.set_tools(PUNA_TRY(checked_tools(*tools, "tools")));
  if (const Value* documents = given.find("documents")) format.set_documents(*documents);
  if (const Value* more = given.find("chat_template_kwargs"); more && more->if_object())
    for (const auto& [name, value] : *more->if_object()) format.set_variable(name, value);
  if (const Value* begun = given.find("add_generation_prompt"); begun && begun->if_bool())
    options.add_generation_prompt = options.add_generation_prompt && *begun->if_bool();
  return *messages;
}

Result<Value> given_messages(Console& console, ChatFormat& format, PrintOptions& options) {
  Value messages;
  if (options.prompt.text) {
    const std::string text = PUNA_TRY(prompt_or_input(console, options.prompt));
    messages = Value::array({Value::object({{"role", "user"}, {"content", text}})});
  } else {
    const std::string text = PUNA_TRY(prompt_or_input(console, options.prompt));
    Result<Value> read = read_messages(text, format, options);
    const bool is_file = !options.prompt.file.empty() && options.prompt.file != "-";
    if (!read) return std::unexpected(std::move(read).error().within(is_file ? options.prompt.file : "standard input"));
    messages = *std::move(read);
  }
  TemplateOptions settings = options.conversation;
  settings.escape = options.prompt.escape;
  if (std::string system = PUNA_TRY(system_prompt(settings)); !system.empty())
    messages.if_array()->insert(messages.if_array()->begin(),
                                Value::object({{"role", "system"}, {"content", std::move(system)}}));
  return messages;
}

Result<int> list_names(Console& console) {
  std::string out;
  for (const std::string_view name : text::builtin_template_names()) out += std::string(name) + "\n";
  console.answer(out);
  return 0;
}

Result<int> print(Console& console, PrintOptions& options, ChatFormat& format) {
  const Value messages = PUNA_TRY(given_messages(console, format, options));
  const Prompt prompt = PUNA_TRY(format.prompt(messages, options.add_generation_prompt));
  if (options.json) {
    Value::Array ids(prompt.tokens.begin(), prompt.tokens.end());
    console.answer(json::write(Value::object({{"prompt", prompt.text}, {"tokens", std::move(ids)}})) + "\n");
    return 0;
  }
  std::string out = prompt.text;
  if (!out.ends_with('\n')) out += '\n';
  out += '\n';
  for (const TokenId id : prompt.tokens) out += token_line(console, format.tokenizer(), id);
  console.answer(out);
  return 0;
}

}  // namespace

Table template_table() {
  static PrintOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_template(Console& console, Words words) {
  PrintOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  if (options.list) return list_names(console);
  if (options.prompt.text && !options.prompt.file.empty())
    return refuse(console, error(ErrorKind::invalid, "-p and -f both give messages: leave one out"));
  const std::filesystem::path path = PUNA_TRY(obtain_model(console, options.model));
  options.engine.engine.file.metadata_only = true;
  const gguf::File file = PUNA_TRY(gguf::File::open(path, options.engine.engine.file));
  const auto tokenizer = PUNA_TRY(model::load_tokenizer(file, options.engine.engine.pre_tokenizer));
  const bool has_tools = !options.conversation.tools_file.empty();
  ChatFormat format = PUNA_TRY(ChatFormat::make(*tokenizer, template_of(file, has_tools), options.conversation));
  if (!format.has_template())
    return std::unexpected(error(ErrorKind::not_found, "{} has no chat template", path.string())
                               .with_hint("--chat-template NAME takes a built-in one; --list names them"));
  if (options.source) {
    console.answer(format.chat_template().source());
    return 0;
  }
  return print(console, options, format);
}

}  // namespace puna::cli
