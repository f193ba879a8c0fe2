// puna chat: a conversation at the terminal, or line by line from a pipe.
#include "base/os.h"
#include "cli/chat_session.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/line_editor.h"
#include "cli/load.h"
#include "cli/prompt_options.h"

namespace puna::cli {
namespace {

struct ChatOptions {
  ModelOptions model;
  EngineOptions engine;
  PromptOptions prompt;
  TemplateOptions conversation;
  ReasoningOptions reasoning;
  GenerationOptions generation{
      .sampling = {}, .seed = {}, .context_shift = true, .n_keep = {}, .stops = {}, .grammar = {}, .constraint = {}};
  bool single_turn = false;
  bool statistics = false;
  bool plain = false;
  std::string colours = "auto";
};

// A model without a chat template may never end by itself.
constexpr std::int64_t kPlainTextTokens = 256;

Table make_table(ChatOptions& options, Console& console) {
  Table table("chat", "Talk with a model; /help lists what can be said to puna itself.", "[MODEL] [options]",
              "puna chat\n"
              "puna chat model.gguf -sys \"Answer in one sentence.\"\n"
              "puna chat model.gguf -p \"Hello\" -st\n"
              "printf 'Hello\\nWhat did I just say?\\n' | puna chat model.gguf");
  add_model_options(table, options.model);
  add_template_options(table, options.conversation);
  add_reasoning_options(table, options.reasoning);
  table.add("-p, --prompt TEXT", "the first message; escapes are decoded", into(options.prompt.text));
  table.add("-f, --file, -bf, --binary-file FILE", "the first message is in FILE", into_name(options.prompt.file));
  table.add("-e, --escape", "decode escapes in -p and -sys (default)", flag(options.prompt.escape));
  table.add("--no-escape", "take -p and -sys as they are", flag(options.prompt.escape, false));
  table.add("-st, --single-turn", "leave after the first answer", flag(options.single_turn));
  add_generation_options(table, options.generation);
  table.group("Terminal");
  table.add("--perf, --show-timings, --stats", "speeds, time to the first token and memory after each answer",
            flag(options.statistics));
  table.add("--no-perf, --no-show-timings, --no-stats", "none of that (default)", flag(options.statistics, false));
  table.add("-co, --color [on|off|auto]", "colours (default auto: on a terminal, and not where NO_COLOR is set)",
            [&options](std::string_view text) -> Result<void> {
              options.colours = text.empty() ? "on" : text;
              return {};
            });
  table.add("--simple-io", "no line editing", flag(options.plain));
  add_grammar_options(table, options.generation.grammar);
  add_sampling_options(table, options.generation);
  add_engine_options(table, options.engine);
  for (const char* spelled : {"-cnv, --conversation", "-mli, --multiline-input", "-i, --interactive", "-if, --interactive-first",
                              "--no-display-prompt"})
    table.add(spelled, "", {});
  add_general_options(table, console);
  return table;
}

Result<ChatSession> open_session(Console& console, ChatOptions& options, engine::Engine& engine) {
  TemplateOptions settings = options.conversation;
  settings.escape = options.prompt.escape;
  Conversation conversation =
      PUNA_TRY(Conversation::make(engine.tokenizer(), template_of(engine.file(), !settings.tools_file.empty()), settings));
  if (!conversation.has_template()) {
    const bool limits = options.generation.n_predict < 0;
    if (limits) options.generation.n_predict = kPlainTextTokens;
    console.note(fmt::format("puna: this model has no chat template: it does not converse, it goes on with the text{}",
                             limits ? fmt::format(", {} tokens at a time (-n)", kPlainTextTokens) : ""));
  }
  return ChatSession(console, engine, std::move(conversation), options.generation, options.reasoning);
}

void say(Console& console, ChatSession& session, const ChatOptions& options, std::string message) {
  if (auto said = session.say(std::move(message)); !said) return console.report(said.error());
  if (options.statistics && session.last()) console.note(console.paint(Colour::dim, statistics(*session.last())));
}

// The prompt as the line editor wants it: bytes that take no room stand between \1, with a character after them that takes
// some; at the end it would leave them out, and all that follows would be coloured.
std::string editor_prompt(const Console& console, std::string_view text) {
  if (!console.has_colours()) return std::string(text);
  return fmt::format("\1\033[1;32m\1{}\1\033[0m\1{}", text.substr(0, text.size() - 1), text.substr(text.size() - 1));
}

Result<int> talk(Console& console, const ChatOptions& options, ChatSession& session, std::string first) {
  const bool is_interactive = console.reads_terminal();
  if (!first.empty()) {
    if (is_interactive && console.writes_terminal()) console.answer(console.paint(Colour::green, "> " + first) + "\n");
    const bool is_alone = options.single_turn;
    if (is_alone) {
      PUNA_TRY(session.say(std::move(first)));
      if (options.statistics && session.last()) console.note(statistics(*session.last()));
      return 0;
    }
    say(console, session, options, std::move(first));
    if (Interruptible::must_end()) return kInterrupted;
  }
  LineEditor editor(console, os::puna_home() / "history", options.plain);
  const auto next = [&](std::string_view prompt) { return editor.read(editor_prompt(console, prompt)); };
  while (std::optional<std::string> message = MessageReader::read(next)) {
    if (message->find_first_not_of(" \t\n") == std::string::npos) continue;
    editor.remember(*message);
    if (message->starts_with('/') && message->find('\n') == std::string::npos) {
      if (session.obey(*message)) break;
      continue;
    }
    say(console, session, options, *std::move(message));
    if (Interruptible::must_end()) return kInterrupted;
    if (options.single_turn) break;
  }
  return 0;
}

}  // namespace

Table chat_table() {
  static ChatOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_chat(Console& console, Words words) {
  ChatOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  if (auto valid = check_sampling(options.generation); !valid) return refuse(console, valid.error());
  auto grammar = read_grammar(options.generation.grammar);
  if (!grammar) return refuse(console, grammar.error());
  console.set_colours(options.colours);
  std::string first = PUNA_TRY(given_prompt(console, options.prompt))
  .value_or("");
  const std::unique_ptr<engine::Engine> engine = PUNA_TRY(load_engine(console, options.model, options.engine));
  PUNA_TRY(set_constraint(options.generation, *std::move(grammar), *engine));
  ChatSession session = PUNA_TRY(open_session(console, options, *engine));
  if (console.reads_terminal() && !options.single_turn)
    console.note(
        console.paint(Colour::dim, fmt::format("{} | {} tokens of context | /help", engine->file().name(), engine->n_ctx())));
  return talk(console, options, session, std::move(first));
}

}  // namespace puna::cli
