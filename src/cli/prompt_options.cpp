#include "cli/prompt_options.h"

#include <unistd.h>

#include "base/os.h"
#include "cli/escapes.h"

namespace puna::cli {

namespace {

Result<std::string> read_input(Console& console) {
  if (console.reads_terminal()) console.note("puna: reading the text from the terminal; Ctrl-D ends it");
  return os::read_all(STDIN_FILENO, "standard input");
}

}  // namespace

void add_prompt_options(Table& table, PromptOptions& options) {
  table.group("Text (without -p and -f: standard input, bytes as they are)");
  table.add("-p, --prompt TEXT", "the text; \\n \\t \\\" \\\\ \\xHH are decoded", into(options.text));
  table.add("-f, --file, -bf, --binary-file FILE", "the text is in FILE, bytes as they are; -: standard input",
            into_name(options.file));
  table.add("-e, --escape", "decode escapes in -p (default)", flag(options.escape));
  table.add("--no-escape", "take -p as it is", flag(options.escape, false));
}

Result<std::optional<std::string>> given_prompt(Console& console, const PromptOptions& options) {
  if (options.text && !options.file.empty()) return fail("-p and -f both give the text: leave one out");
  if (options.text) return options.escape ? decode_escapes(*options.text) : *options.text;
  if (options.file == "-") return PUNA_TRY(read_input(console));
  if (!options.file.empty()) return PUNA_TRY(os::read_file(options.file));
  return std::optional<std::string>();
}

Result<std::string> prompt_or_input(Console& console, const PromptOptions& options) {
  std::optional<std::string> text = PUNA_TRY(given_prompt(console, options));
  return text ? *std::move(text) : read_input(console);
}

}  // namespace puna::cli
