#include "cli/commands.h"

#include <algorithm>
#include <system_error>

#include "base/check.h"
#include "base/log.h"
#include "base/nearest.h"
#include "cli/args.h"
#include "cli/catalogue.h"
#include "cli/interrupt.h"
#include "cli/version.h"

namespace puna::cli {
namespace {

constexpr Command kCommands[] = {
    {"chat", "talk with a model", run_chat, chat_table},
    {"run", "answer one prompt on standard output", run_run, run_table},
    {"pull", "bring a model to this machine", run_pull, pull_table},
    {"list", "the models on this machine and those that puna knows by name", run_list, list_table},
    {"tokenize", "a text's token ids, and a look into the vocabulary", run_tokenize, tokenize_table},
    {"template", "the prompt that a conversation becomes, and its tokens", run_template, template_table},
    {"score", "how likely a model finds each token of a text", run_score, score_table},
    {"bench", "how fast models run here, and what share of the machine that is", run_bench, bench_table},
    {"gguf info", "what a GGUF file holds", run_gguf_info, gguf_info_table},
};

std::string overview() {
  std::string text =
      "puna runs large language models from GGUF files on this machine.\n"
      "\n"
      "Usage: puna COMMAND [MODEL] [options]        puna COMMAND --help explains each command\n"
      "\n"
      "Commands:\n";
  for (const Command& command : kCommands) text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  text +=
      "\n"
      "  --version   this program, its compiler, its processor kernels, its libraries\n"
      "\n"
      "MODEL is a GGUF file, a name that puna list shows, hf:org/repo[:file], or a URL. Options without a command are those of\n"
      "llama-cli: puna -m model.gguf -p TEXT chats, with -no-cnv it runs.\n"
      "\n"
      "Examples:\n"
      "  puna chat                                     chat with the default model\n"
      "  puna run model.gguf -p \"Why is the sky blue?\"\n"
      "  puna chat hf:org/repo:Q4_K_M                  bring a model from Hugging Face, then chat\n";
  return text;
}

// Word for word; "gguf info" is two words.
const Command* find_command(Words words, std::size_t& used) {
  for (const Command& command : kCommands) {
    const std::size_t space = command.name.find(' ');
    if (words[0] != command.name.substr(0, space)) continue;
    used = space == command.name.npos ? 1 : 2;
    if (used == 1 || (words.size() > 1 && words[1] == command.name.substr(space + 1))) return &command;
  }
  return nullptr;
}

const Command& command_named(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  PUNA_CHECK(found != std::end(kCommands), name);
  return *found;
}

// llama-cli has no commands: it talks, unless an option asks for what only `run` does.
const Command& command_of_options(Words words) {
  const Command& chat = command_named("chat");
  const Command& run = command_named("run");
  const Table of_chat = chat.table(), of_run = run.table();
  for (std::string_view word : words)
    if (word = word.substr(0, word.find('=')); word.starts_with('-') && !of_chat.find(word) && of_run.find(word)) return run;
  return chat;
}

bool is_model(const std::string& word) {
  std::error_code ignored;
  return word.starts_with("hf:") || word.starts_with("http:") || word.starts_with("https:") || word.ends_with(".gguf") ||
         std::ranges::find(catalogue(), word, &tasks::CatalogueEntry::name) != catalogue().end() ||
         std::filesystem::is_regular_file(word, ignored);
}

// What other programs call a command of ours.
std::string_view command_by_another_name(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"cli", "chat"},          {"talk", "chat"},           {"generate", "run"},     {"complete", "run"},
      {"completion", "run"},    {"download", "pull"},       {"get", "pull"},         {"models", "list"},
      {"ls", "list"},           {"tags", "list"},           {"perplexity", "score"}, {"benchmark", "bench"},
      {"llama-bench", "bench"}, {"batched-bench", "bench"}, {"tokens", "tokenize"},  {"info", "gguf info"},
      {"show", "gguf info"},    {"gguf", "gguf info"},
  };
  const auto* found = std::ranges::find(kNames, word, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kNames) ? std::string_view{} : found->second;
}

// The command line that was most likely meant; empty where nothing is near.
std::string meant_by(Words words) {
  if (is_model(words[0])) return "puna chat " + words[0];
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  if (words.size() > 1 && words[0] == "gguf")
    if (const std::string_view near = nearest(words[0] + " " + words[1], names); !near.empty())
      return fmt::format("puna {}", near);
  if (words.size() > 1 && words[0] == "gguf" && is_model(words[1])) return "puna gguf info " + words[1];
  std::string_view meant = command_by_another_name(words[0]);
  if (meant.empty()) meant = nearest(words[0], names);
  return meant.empty() ? "" : fmt::format("puna {}", meant);
}

int unknown_command(Console& console, Words words) {
  const std::string written = words.size() > 1 && words[0] == "gguf" ? words[0] + " " + words[1] : words[0];
  const std::string meant = meant_by(words);
  return refuse(console,
                error(ErrorKind::invalid, "no command '{}'", written)
                    .with_hint(meant.empty() ? "puna --help lists the commands" : fmt::format("did you mean {}?", meant)));
}

Result<int> dispatch(Console& console, Words words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::size_t used = 0;
    const Command* command = words.size() > 1 ? find_command(words.subspan(1), used) : nullptr;
    if (words.size() > 1 && !command) return unknown_command(console, words.subspan(1));
    console.answer(command ? help(command->table(), std::min<std::size_t>(console.width(), 120)) : overview());
    return 0;
  }
  if (words[0] == "--version" || words[0] == "version") {
    console.answer(version_text());
    return 0;
  }
  if (words[0].starts_with('-')) return command_of_options(words).run(console, words);
  std::size_t used = 0;
  const Command* command = find_command(words, used);
  return command ? command->run(console, words.subspan(used)) : unknown_command(console, words);
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int run(const std::vector<std::string>& words) {
  Console console = Console::make();
  Result<int> status = 0;
  try {
    status = dispatch(console, words);
  } catch (const Bug& bug) {
    status = std::unexpected(error(ErrorKind::invalid, "a fault in puna itself: {}", bug.what())
                                 .with_hint("please report it, with the command line and the model's name"));
  } catch (const std::bad_alloc&) {
    status = fail(ErrorKind::out_of_memory, "out of memory");
  } catch (const std::exception& failure) {  // what the standard library throws where the system refuses: a thread, a pipe
    status = fail(ErrorKind::io, "{}", failure.what());
  }
  if (status)
    if (auto written = console.finish(); !written) status = std::unexpected(written.error());
  if (status) return *status;
  if (status.error().kind == ErrorKind::cancelled) return kInterrupted;
  console.report(status.error());
  return kFailed;
}

void add_general_options(Table& table, Console& console) {
  table.group("General");
  table.add("-v, --log-verbose, --verbose", "say what happens, on standard error", [&console](std::string_view) -> Result<void> {
    console.set_verbosity(4);
    return {};
  });
  table.add("-lv, --log-verbosity, --verbosity N", "0: nothing, 1: errors, 2: warnings (default), 3: what happens, 4: everything",
            [&console](std::string_view text) -> Result<void> {
              console.set_verbosity(static_cast<int>(PUNA_TRY(parse_integer(text, 0, 9))));
              return {};
            });
  table.add("--log-disable", "the same as --verbosity 0", [&console](std::string_view) -> Result<void> {
    console.set_verbosity(0);
    return {};
  });
}

namespace {

// An option that this command lacks may be another one's.
Error with_other_command(Error problem, const Table& table, Words words) {
  for (std::string_view word : words) {
    word = word.substr(0, word.find('='));
    if (!word.starts_with('-') || table.find(word) || problem.message != fmt::format("unknown option {}", word)) continue;
    for (const Command& other : kCommands)
      if (other.table().find(word)) return std::move(problem).with_hint(fmt::format("puna {} has it", other.name));
  }
  return problem;
}

}  // namespace

std::optional<int> read_arguments(Console& console, const Table& table, Words words) {
  const Result<Parsed> parsed = parse(table, words);
  if (!parsed) return refuse(console, with_other_command(parsed.error(), table, words));
  if (parsed->wants_help) {
    console.answer(help(table, std::min<std::size_t>(console.width(), 120)));
    return 0;
  }
  for (const std::string& spelling : parsed->no_effect) log::info("{} has no effect here", spelling);
  return std::nullopt;
}

int refuse(Console& console, const Error& error) {
  console.report(error);
  return kWrongUsage;
}

}  // namespace puna::cli
