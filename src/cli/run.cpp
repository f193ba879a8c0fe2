// puna run: one prompt, one answer on standard output.
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/conversation.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/prompt_options.h"
#include "cli/sampling_options.h"
#include "text/tool_calls/openai_delta.h"

namespace puna::cli {
namespace {

struct RunOptions {
  ModelOptions model;
  EngineOptions engine;
  PromptOptions prompt;
  TemplateOptions conversation;
  ReasoningOptions reasoning;
  GenerationOptions generation;
  bool raw = false;
  bool parse_special = true;
  bool add_bos = true;
  bool show_special = false;
  bool json = false;
  bool statistics = false;
};

Table make_table(RunOptions& options, Console& console) {
  Table table("run", "Answers one prompt on standard output.", "[MODEL] [-p TEXT | -f FILE] [options]",
              "puna run model.gguf -p \"Name three primary colours.\"\n"
              "puna run -m model.gguf -f letter.txt -sys \"Summarize the user's letter in two sentences.\"\n"
              "echo \"def fibonacci(n):\" | puna run model.gguf --raw -n 64 --temp 0\n"
              "puna run -m model.gguf -f prompt.txt --raw --no-stop --temp 0 -n 32 --json");
  add_model_options(table, options.model);
  add_prompt_options(table, options.prompt);
  add_template_options(table, options.conversation);
  add_reasoning_options(table, options.reasoning);
  table.add("--raw, -no-cnv, --no-conversation", "no chat template: the model goes on with the text itself", flag(options.raw));
  table.add("--no-parse-special", "with --raw: \"<|im_end|>\" and its like in the text are text, not control tokens",
            flag(options.parse_special, false));
  table.add("--no-bos", "with --raw: no token for the beginning of a text", flag(options.add_bos, false));
  add_generation_options(table, options.generation);
  table.group("Output");
  table.add("--json", "one JSON object at the end: prompt_tokens, tokens, text, timings", flag(options.json));
  table.add("--perf, --show-timings, --stats", "speeds, time to the first token and memory, on standard error",
            flag(options.statistics));
  table.add("--no-perf, --no-show-timings, --no-stats", "none of that (default)", flag(options.statistics, false));
  table.add("-sp, --special", "show control tokens in the text", flag(options.show_special));
  add_grammar_options(table, options.generation.grammar);
  add_sampling_options(table, options.generation);
  add_engine_options(table, options.engine);
  for (const char* spelled :
       {"-cnv, --conversation", "-st, --single-turn", "--no-display-prompt", "--simple-io", "-co, --color [on|off|auto]"})
    table.add(spelled, "", {});
  add_general_options(table, console);
  return table;
}

// The prompt, and how the answer to it is read.
struct Question {
  Prompt prompt;
  Value tools = {};
  std::optional<AnswerFormat> format = {};
};

Result<Question> make_question(Console& console, const RunOptions& options, const engine::Engine& engine,
                               const std::string& text) {
  const text::Tokenizer& tokenizer = engine.tokenizer();
  if (options.raw) {
    const text::EncodeOptions how{.add_special = options.add_bos, .parse_special = options.parse_special};
    return Question{.prompt = {.text = text, .tokens = tokenizer.encode(text, how)}};
  }
  TemplateOptions settings = options.conversation;
  settings.escape = options.prompt.escape;
  const std::optional<std::string> own = template_of(engine.file(), !settings.tools_file.empty());
  Conversation conversation = PUNA_TRY(Conversation::make(tokenizer, own, settings));
  if (!conversation.has_template())
    console.note("puna: this model has no chat template: it goes on with the text itself (--raw says the same)");
  if (options.reasoning.budget == 0) conversation.format().set_variable("enable_thinking", false);
  conversation.add("user", text);
  AnswerFormat format = learn_answers(conversation.format());
  note_deaf_to_tools(console, conversation.format(), format);
  Prompt prompt = PUNA_TRY(conversation.prompt());
  return Question{.prompt = std::move(prompt), .tools = conversation.format().tools(), .format = std::move(format)};
}

void explain_end(Console& console, const engine::Engine& engine, const Answer& given) {
  const engine::Completion& completion = *given.completion;
  if (completion.finish == engine::Finish::context_full)
    return console.report(error(ErrorKind::invalid, "the answer stops here: the context of {} tokens is full", engine.n_ctx())
                              .with_hint("a larger -c, or --context-shift to go on without the oldest tokens"));
  if (completion.is_complete || given.was_interrupted) return;
  const bool is_long = completion.finish == engine::Finish::length;
  console.report(
      error(ErrorKind::invalid, "the answer is only the beginning of what was asked for: {} ended it", is_long ? "-n" : "-r")
          .with_hint(is_long ? "a larger -n" : ""));
}

// is_bound: to a grammar.
Value answer_value(const std::vector<TokenId>& prompt, const Answer& answer, bool is_bound) {
  Value value = Value::object({{"prompt_tokens", Value::Array(prompt.begin(), prompt.end())},
                               {"tokens", Value::Array(answer.completion->tokens.begin(), answer.completion->tokens.end())},
                               {"text", answer.message.content}});
  if (is_bound) value.set("complete", answer.completion->is_complete);
  const Value message = text::tool_calls::openai_message(answer.message);
  if (const Value* reasoning = message.find("reasoning_content")) value.set("reasoning", *reasoning);
  if (const Value* calls = message.find("tool_calls")) value.set("tool_calls", *calls);
  value.set("timings", timings_value(*answer.completion));
  return value;
}

Result<int> answer(Console& console, const RunOptions& options, engine::Engine& engine, const std::string& text) {
  engine::Request request = PUNA_TRY(make_request(options.generation, engine.n_vocab()));
  const Question question = PUNA_TRY(make_question(console, options, engine, text));
  request.prompt = question.prompt.tokens;
  const AnswerSettings settings{.format = question.format ? &*question.format : nullptr,
                                .reasoning = options.reasoning,
                                .tools = question.tools,
                                .begun = question.prompt.begun,
                                .stops = options.generation.stops,
                                .skip_special = request.stop_at_end && !options.show_special,
                                .is_silent = options.json};
  const bool is_bound = request.constraint != nullptr;
  const Answer given = stream_answer(console, engine, std::move(request), settings);
  const engine::Completion completion = PUNA_TRY(given.completion);
  if (options.json) {
    console.answer(json::write(answer_value(question.prompt.tokens, given, is_bound)) + "\n");
  } else if (!given.message.content.ends_with('\n')) {
    console.answer("\n");
  }
  explain_end(console, engine, given);
  if (options.statistics) console.note(statistics(completion.timings));
  return given.was_interrupted ? kInterrupted : 0;
}

}  // namespace

Table run_table() {
  static RunOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_run(Console& console, Words words) {
  RunOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  if (options.prompt.text && !options.prompt.file.empty())
    return refuse(console, error(ErrorKind::invalid, "-p and -f both give the prompt: leave one out"));
  if (options.raw && !options.conversation.tools_file.empty())
    return refuse(console, error(ErrorKind::invalid, "--raw and --tools: leave one out")
                               .with_hint("a model is told of tools by its chat template, which --raw leaves out"));
  if (auto valid = check_sampling(options.generation); !valid) return refuse(console, valid.error());
  auto grammar = read_grammar(options.generation.grammar);
  if (!grammar) return refuse(console, grammar.error());
  PUNA_TRY(check_model_name(options.model));  // before anybody types a text for it
  const std::string prompt = PUNA_TRY(prompt_or_input(console, options.prompt));
  if (prompt.empty() && options.conversation.system.empty())
    return std::unexpected(error(ErrorKind::invalid, "the prompt is empty").with_hint("-p TEXT, -f FILE, or standard input"));
  const std::unique_ptr<engine::Engine> engine = PUNA_TRY(load_engine(console, options.model, options.engine));
  PUNA_TRY(set_constraint(options.generation, *std::move(grammar), *engine));
  return answer(console, options, *engine, prompt);
}

}  // namespace puna::cli
