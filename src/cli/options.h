// One command's options as a table: how each is spelled, what it takes, what it does, what it sets. The table is all there
// is: the parser, the help and the tests read it.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace puna::cli {

// Takes an option's value (empty for a flag). Its error need not name the option.
using Setter = std::function<Result<void>(std::string_view value)>;

struct Option {
  std::string spelled;                 // as the help shows it: "-c, --ctx-size N"
  std::vector<std::string> spellings;  // "-c", "--ctx-size"
  std::string value;                   // "N"; "[on|off]": may be left out; empty: a flag
  std::string help;
  std::string group;
  Setter set;

  const std::string& name() const { return spellings.back(); }  // always a --long one
  bool takes_value() const { return !value.empty(); }
  bool may_lack_value() const { return value.starts_with('['); }
  bool may_repeat() const { return spelled.ends_with("…"); }  // a positional
  bool has_no_effect() const { return help.empty(); }         // accepted for llama.cpp's sake
};

class Table {
 public:
  // `usage`: what follows "puna NAME" in the help; `example`: whole command lines, one a line.
  Table(std::string command, std::string summary, std::string usage, std::string example)
      : command_(std::move(command)), summary_(std::move(summary)), usage_(std::move(usage)), example_(std::move(example)) {}

  void group(std::string title) { group_ = std::move(title); }
  // `spelled`: all ways to write it, the last one long, then the value's name: "-c, --ctx-size N".
  void add(std::string_view spelled, std::string_view help, Setter set);
  // Takes the argument that is no option, or all of them where its name ends in "…"; `name` stands in the help.
  void positional(std::string_view name, std::string_view help, Setter set);

  const std::string& command() const { return command_; }
  const std::string& summary() const { return summary_; }
  const std::string& usage() const { return usage_; }
  const std::string& example() const { return example_; }
  const std::vector<Option>& options() const { return options_; }
  const std::vector<Option>& positionals() const { return positionals_; }
  const Option* find(std::string_view spelling) const;

 private:
  std::string command_, summary_, usage_, example_;
  std::string group_;
  std::vector<Option> options_;
  std::vector<Option> positionals_;
};

// What setters are made of. Numbers are whole texts; the error says what was wanted and the range.
Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most);
Result<double> parse_number(std::string_view text);

template <std::integral T>
Setter into(T& target, std::int64_t least, std::int64_t most) {
  return [&target, least, most](std::string_view text) -> Result<void> {
    target = static_cast<T>(PUNA_TRY(parse_integer(text, least, most)));
    return {};
  };
}
template <std::floating_point T>
Setter into(T& target) {
  return [&target](std::string_view text) -> Result<void> {
    target = static_cast<T>(PUNA_TRY(parse_number(text)));
    return {};
  };
}
Setter into(std::string& target);
Setter into(std::optional<std::string>& target);
// The name of a file, which is never empty.
Setter into_name(std::string& target);
Setter into(std::optional<float>& target);
Setter flag(bool& target, bool value = true);
// One of these words.
Setter one_of(std::string& target, std::vector<std::string> words);
// Each use adds one.
Setter each(std::vector<std::string>& target);

}  // namespace puna::cli
