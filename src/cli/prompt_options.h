// The text that a command works on: -p, -f, or standard input.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"

namespace puna::cli {

struct PromptOptions {
  std::optional<std::string> text;
  std::string file;  // "-": standard input
  bool escape = true;
};

void add_prompt_options(Table& table, PromptOptions& options);

// What -p (escapes decoded) or -f (bytes as they are) gave; empty where neither is there. Errors: both, an unreadable file.
Result<std::optional<std::string>> given_prompt(Console& console, const PromptOptions& options);
// The same, or else all of standard input.
Result<std::string> prompt_or_input(Console& console, const PromptOptions& options);

}  // namespace puna::cli
