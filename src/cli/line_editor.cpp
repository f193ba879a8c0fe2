#include "cli/line_editor.h"

#include <histedit.h>

#include <csignal>
#include <cstdio>
#include <cwchar>
#include <iostream>
#include <system_error>

#include "base/os.h"

namespace puna::cli {

struct LineEditor::State {
  Console& console;
  std::filesystem::path history_file;
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::FILE* screen = nullptr;
  std::string prompt;

  static State& of(EditLine* editor) {
    void* self = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<State*>(self);
  }

  void start();
  void stop();
  std::optional<std::string> read_edited();
  std::optional<std::string> read_plain();
};

namespace {

// Around what a terminal sends when something is pasted (xterm's bracketed paste, mode 2004).
constexpr const char* kPasteOn = "\033[?2004h";
constexpr const char* kPasteOff = "\033[?2004l";
constexpr std::wstring_view kPasteEnd = L"\033[201~";

// A paste goes into the line as it is: its line ends do not send it.
unsigned char take_paste(EditLine* editor, int) {
  std::wstring text;
  wchar_t c = 0;
  while (::el_wgetc(editor, &c) == 1) {
    text += c;
    if (text.ends_with(kPasteEnd)) {
      text.resize(text.size() - kPasteEnd.size());
      break;
    }
  }
  std::wstring clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == L'\r') {
      if (i + 1 == text.size() || text[i + 1] != L'\n') clean += L'\n';
    } else if (text[i] >= L' ' || text[i] == L'\n' || text[i] == L'\t') {
      clean += text[i];
    }
  }
  if (clean.empty()) return CC_NORM;
  return ::el_winsertstr(editor, clean.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

unsigned char take_new_line(EditLine* editor, int) { return ::el_winsertstr(editor, L"\n") == 0 ? CC_REFRESH : CC_ERROR; }

unsigned char leave(EditLine*, int) { return CC_EOF; }

void bind_keys(EditLine* editor) {
  ::el_set(editor, EL_ADDFN, "puna-paste", "take a paste as it is", &take_paste);
  ::el_set(editor, EL_ADDFN, "puna-new-line", "a line end within the message", &take_new_line);
  ::el_set(editor, EL_ADDFN, "puna-leave", "leave", &leave);
  struct Binding {
    const char* keys;
    const char* function;
  };
  static constexpr Binding kBindings[] = {
      {"\\e[200~", "puna-paste"},        {"\\e^M", "puna-new-line"},
      {"\\e^J", "puna-new-line"},        {"^C", "puna-leave"},
      {"^R", "em-inc-search-prev"},      {"^W", "ed-delete-prev-word"},
      {"\\e[3~", "ed-delete-next-char"}, {"\\e[H", "ed-move-to-beg"},
      {"\\e[F", "ed-move-to-end"},       {"\\e[1~", "ed-move-to-beg"},
      {"\\e[4~", "ed-move-to-end"},      {"\\eOH", "ed-move-to-beg"},
      {"\\eOF", "ed-move-to-end"},       {"\\e[1;5C", "em-next-word"},
      {"\\e[1;5D", "ed-prev-word"},      {"\\e[A", "ed-prev-history"},
      {"\\e[B", "ed-next-history"},
  };
  for (const Binding& binding : kBindings) ::el_set(editor, EL_BIND, binding.keys, binding.function, nullptr);
}

bool can_move_cursor() {
  const std::string terminal = os::environment("TERM");
  return !terminal.empty() && terminal != "dumb";
}

}  // namespace

void LineEditor::State::start() {
  screen = console.writes_terminal() ? stdout : stderr;
  editor = ::el_init("puna", stdin, screen, stderr);
  if (!editor) return;
  history = ::history_init();
  HistEvent event{};
  ::history(history, &event, H_SETSIZE, 1000);
  ::history(history, &event, H_SETUNIQUE, 1);
  ::history(history, &event, H_LOAD, history_file.c_str());
  ::el_set(editor, EL_CLIENTDATA, this);
  ::el_set(editor, EL_PROMPT_ESC, +[](EditLine* self) { return State::of(self).prompt.data(); }, '\1');
  ::el_set(editor, EL_EDITOR, "emacs");
  ::el_set(editor, EL_HIST, &::history, history);
  // Ctrl-C is a key like others while a line is typed, and a signal while an answer runs. A pasted "\r\n" stays one line end.
  ::el_set(editor, EL_SETTY, "-d", "-isig", "-icrnl", "-inlcr", nullptr);
  // Leaves the terminal as it was when a signal ends the program, and notices when its size changes.
  ::el_set(editor, EL_SIGNAL, 1);
  bind_keys(editor);
  // A Ctrl-C between an answer and the prompt after it means neither.
  std::signal(SIGINT, SIG_IGN);
}

void LineEditor::State::stop() {
  if (!editor) return;
  std::signal(SIGINT, SIG_DFL);
  ::history_end(history);
  ::el_end(editor);
}

std::optional<std::string> LineEditor::State::read_edited() {
  ::el_set(editor, EL_PREP_TERM, 1);  // before the prompt is there to be answered
  std::fputs(kPasteOn, screen);
  std::fflush(screen);
  int count = 0;
  const char* line = ::el_gets(editor, &count);
  std::fputs(kPasteOff, screen);
  std::fflush(screen);
  if (!line || count <= 0) {
    std::fputs("\n", screen);
    return std::nullopt;
  }
  return std::string(line, static_cast<std::size_t>(count));
}

std::optional<std::string> LineEditor::State::read_plain() {
  std::string shown = prompt;
  std::erase(shown, '\1');  // the editor's mark for bytes that take no room
  if (console.reads_terminal()) console.note_raw(shown);
  std::string line;
  for (int c = std::cin.get(); c != std::char_traits<char>::eof(); c = std::cin.get()) {
    if (c == '\n') return line;
    line += static_cast<char>(c);
    if (line.size() <= os::kLongestText) continue;
    console.report(error(ErrorKind::invalid, "standard input: a line is longer than {}", os::size_text(os::kLongestText)));
    return std::nullopt;
  }
  return line.empty() ? std::nullopt : std::optional(std::move(line));
}

LineEditor::LineEditor(Console& console, std::filesystem::path history, bool plain)
    : state_(std::make_unique<State>(State{.console = console, .history_file = std::move(history), .prompt = {}})) {
  const bool has_screen = console.writes_terminal() || console.notes_terminal();
  if (console.reads_terminal() && has_screen && !plain && can_move_cursor()) state_->start();
}

LineEditor::~LineEditor() { state_->stop(); }

std::optional<std::string> LineEditor::read(std::string_view prompt) {
  state_->prompt = prompt;
  std::optional<std::string> line = state_->editor ? state_->read_edited() : state_->read_plain();
  while (line && !line->empty() && (line->back() == '\n' || line->back() == '\r')) line->pop_back();
  return line;
}

void LineEditor::remember(std::string_view text) {
  if (!state_->history || text.empty()) return;
  HistEvent event{};
  ::history(state_->history, &event, H_ENTER, std::string(text).c_str());
  std::error_code ignored;
  std::filesystem::create_directories(state_->history_file.parent_path(), ignored);
  ::history(state_->history, &event, H_SAVE, state_->history_file.c_str());
}

}  // namespace puna::cli
