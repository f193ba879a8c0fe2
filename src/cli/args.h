// From the words of a command line to the setters of a table, in the order in which they were written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace puna::cli {

struct Parsed {
  bool wants_help = false;             // nothing was set
  std::vector<std::string> no_effect;  // spellings that were accepted and do nothing here
};

// Errors: an unknown option (with the nearest known spelling), a missing value, a value that does not parse, one argument
// too many. All options may also be written --name=value, and '_' for '-' in long names.
Result<Parsed> parse(const Table& table, std::span<const std::string> words);

// What `puna NAME --help` prints, at most `width` columns wide.
std::string help(const Table& table, std::size_t width = 100);

// `text` broken at spaces into lines of at most `width` columns.
std::string wrap(std::string_view text, std::size_t width);

}  // namespace puna::cli
