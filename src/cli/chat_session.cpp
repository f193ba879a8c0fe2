#include "cli/chat_session.h"

#include "base/nearest.h"
#include "base/os.h"
#include "cli/load.h"

namespace puna::cli {

namespace {

constexpr std::string_view kHelp =
    "/help           this\n"
    "/reset          forget the conversation; the system prompt stays\n"
    "/system [TEXT]  set the system prompt, or show it\n"
    "/save FILE      write the conversation\n"
    "/load FILE      go on with a written one\n"
    "/stats          speeds and memory of the last answer\n"
    "/quit           leave; Ctrl-D and Ctrl-C at the prompt do too\n"
    "A line that ends in \\ goes on in the next; several lines: between two lines \"\"\", or pasted.\n"
    "Ctrl-C while an answer runs stops the answer.";

constexpr std::string_view kCommands[] = {"/help", "/reset", "/system", "/save", "/load", "/stats", "/quit", "/exit", "/clear"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "~/x" as a shell reads it.
std::filesystem::path path_of(std::string_view text) {
  if (text.starts_with("~/")) return os::home() / text.substr(2);
  return text;
}

}  // namespace

ChatSession::ChatSession(Console& console, engine::Engine& engine, Conversation conversation, const GenerationOptions& generation,
                         const ReasoningOptions& reasoning)
    : console_(console),
      engine_(engine),
      conversation_(std::move(conversation)),
      generation_(generation),
      reasoning_(reasoning),
      format_(learn_answers(conversation_.format())) {
  note_deaf_to_tools(console_, conversation_.format(), format_);
  if (reasoning_.budget == 0) conversation_.format().set_variable("enable_thinking", false);
}

Result<Answer> ChatSession::answer() {
  engine::Request request = PUNA_TRY(make_request(generation_, engine_.n_vocab()));
  Prompt prompt = PUNA_TRY(conversation_.prompt());
  request.prompt = std::move(prompt.tokens);
  if (!generation_.n_keep) request.n_keep = static_cast<std::int64_t>(conversation_.n_system_tokens(request.prompt));
  const AnswerSettings settings{.format = &format_,
                                .reasoning = reasoning_,
                                .tools = conversation_.format().tools(),
                                .begun = std::move(prompt.begun),
                                .stops = generation_.stops};
  return stream_answer(console_, engine_, std::move(request), settings);
}

Result<void> ChatSession::say(std::string message) {
  if (conversation_.open_call()) {
    conversation_.add_result(std::move(message));
    if (conversation_.open_call()) return {};
  } else {
    conversation_.add("user", std::move(message));
  }
  const Result<Answer> answered = answer();
  if (!answered) {
    conversation_.take_back();
    return std::unexpected(answered.error());
  }
  const Result<engine::Completion>& completion = answered->completion;
  const std::string& text = answered->message.content;
  if (!text.ends_with('\n') && (completion || !text.empty())) console_.answer("\n");
  const bool was_stopped = !completion && completion.error().kind == ErrorKind::cancelled;
  if (!completion && !was_stopped) {
    conversation_.take_back();
    return std::unexpected(completion.error());
  }
  conversation_.add_answer(answered->message);
  if (completion) {
    last_ = completion->timings;
    explain_end(completion->finish);
  }
  if (conversation_.open_call() && console_.reads_terminal())
    console_.note(console_.paint(Colour::dim, "(what is written next is the call's result)"));
  return {};
}

void ChatSession::explain_end(engine::Finish finish) const {
  if (finish == engine::Finish::context_full)
    console_.report(error(ErrorKind::invalid, "the answer stops here: the context of {} tokens is full", engine_.n_ctx())
                        .with_hint("/reset, a larger -c, or --context-shift"));
  if (finish == engine::Finish::length)
    console_.note(console_.paint(Colour::dim, "(the answer reached its limit of tokens: -n)"));
}

void ChatSession::set_system(std::string_view text) {
  if (text.empty()) return console_.note(conversation_.system().empty() ? "no system prompt" : conversation_.system());
  conversation_.set_system(std::string(text));
  console_.note(conversation_.has_template() ? "system prompt set"
                                             : "system prompt set: this model reads it as the text's beginning");
}

void ChatSession::save(std::string_view file) const {
  if (file.empty()) return console_.report(error(ErrorKind::invalid, "/save FILE"));
  const Value saved = Value::object({{"model", engine_.file().name()}, {"messages", conversation_.messages()}});
  if (auto written = os::write_file(path_of(file), json::write(saved, {.indent = 1}) + "\n"); !written)
    return console_.report(written.error());
  console_.note(fmt::format("saved to {}", path_of(file).string()));
}

void ChatSession::load(std::string_view file) {
  if (file.empty()) return console_.report(error(ErrorKind::invalid, "/load FILE"));
  const Result<std::string> text = os::read_file(path_of(file));
  if (!text) return console_.report(text.error());
  const auto take = [&]() -> Result<std::size_t> {
    const Value saved = PUNA_TRY(json::parse(*text));
    const Value* messages = saved.find("messages");
    if (!messages) return fail("wanted an object with \"messages\"");
    PUNA_TRY(conversation_.set_messages(*messages));
    return messages->if_array()->size();
  };
  const Result<std::size_t> n = take();
  if (!n) return console_.report(Error(n.error()).within(path_of(file).string()));
  console_.note(fmt::format("{} messages loaded", *n));
}

bool ChatSession::obey(std::string_view line) {
  const std::size_t space = std::min(line.find_first_of(" \t\n"), line.size());
  const std::string_view command = line.substr(0, space), rest = trimmed(line.substr(space));
  if (command == "/quit" || command == "/exit") return true;
  if (command == "/help") {
    console_.note(kHelp);
  } else if (command == "/reset" || command == "/clear") {
    conversation_.clear();
    console_.note("the conversation begins anew");
  } else if (command == "/system") {
    set_system(rest);
  } else if (command == "/save") {
    save(rest);
  } else if (command == "/load") {
    load(rest);
  } else if (command == "/stats") {
    console_.note(last_ ? statistics(*last_) : "no answer yet");
  } else {
    const std::string_view meant = nearest(command, kCommands);
    console_.report(error(ErrorKind::invalid, "no command {}", command)
                        .with_hint(meant.empty() ? "/help lists them" : fmt::format("did you mean {}? /help lists them", meant)));
  }
  return false;
}

std::optional<std::string> MessageReader::read(const NextLine& next) {
  std::optional<std::string> line = next("> ");
  if (!line) return std::nullopt;
  if (trimmed(*line) == "\"\"\"") {
    std::string message;
    for (bool is_first = true; (line = next(". ")) && trimmed(*line) != "\"\"\""; is_first = false)
      message += (is_first ? "" : "\n") + *line;
    return message;
  }
  std::string message = *line;
  while (message.ends_with('\\')) {
    message.back() = '\n';
    line = next(". ");
    if (!line) break;
    message += *line;
  }
  return message;
}

}  // namespace puna::cli
