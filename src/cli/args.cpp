#include "cli/args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/nearest.h"

namespace puna::cli {
namespace {

// The value of a "[on|off]" option is the next word only where it is one of these.
bool is_listed(std::string_view listed, std::string_view word) {
  listed = listed.substr(1, listed.size() - 2);
  while (!listed.empty()) {
    const std::size_t bar = listed.find('|');
    if (listed.substr(0, bar) == word) return true;
    listed = bar == listed.npos ? std::string_view{} : listed.substr(bar + 1);
  }
  return false;
}

std::unexpected<Error> unknown_option(const Table& table, std::string_view word) {
  std::vector<std::string_view> known = {"--help"};
  for (const Option& option : table.options()) known.insert(known.end(), option.spellings.begin(), option.spellings.end());
  const std::string_view meant = nearest(word, known);
  const std::string more = fmt::format("puna {} --help lists the options", table.command());
  return std::unexpected(error(ErrorKind::invalid, "unknown option {}", word)
                             .with_hint(meant.empty() ? more : fmt::format("did you mean {}? {}", meant, more)));
}

// One option as it was written, with its value.
struct Use {
  const Option* option = nullptr;
  std::string written;
};

struct Scanned {
  std::vector<Use> uses;               // in the order of the line
  std::vector<std::string> arguments;  // the same for CLI11, every option by its long name
  bool wants_help = false;
};

// Splits "--name=value"; '_' in a long name is '-'.
std::pair<std::string, std::optional<std::string>> split_word(std::string_view word) {
  std::optional<std::string> value;
  if (const std::size_t equals = word.find('='); word.starts_with("--") && equals != word.npos) {
    value = std::string(word.substr(equals + 1));
    word = word.substr(0, equals);
  }
  std::string spelling(word);
  if (spelling.starts_with("--")) std::ranges::replace(spelling, '_', '-');
  return {spelling, value};
}

// The one place that knows llama.cpp's single-dash words: CLI11 sees long names only.
Result<Scanned> scan(const Table& table, std::span<const std::string> words) {
  Scanned result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      result.arguments.insert(result.arguments.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (!word.starts_with('-') || word == "-") {
      result.arguments.push_back(word);
      continue;
    }
    auto [spelling, value] = split_word(word);
    if (spelling == "-h" || spelling == "--help" || spelling == "--usage") {
      result.wants_help = true;
      continue;
    }
    const Option* option = table.find(spelling);
    if (!option) return unknown_option(table, spelling);
    if (!option->takes_value()) {
      if (value) return fail("{} takes no value, found '{}'", spelling, *value);
      result.arguments.push_back(option->name());
    } else {
      const bool has_next = i + 1 < words.size();
      if (!value && has_next && (!option->may_lack_value() || is_listed(option->value, words[i + 1]))) value = words[++i];
      if (!value && !option->may_lack_value()) return fail("{} wants a value: {} {}", spelling, spelling, option->value);
      result.arguments.push_back(option->name());
      result.arguments.back() += "=" + value.value_or("");
      // CLI11 takes "--name=" for a missing value and looks at the next word.
      if (value.value_or("").empty()) {
        result.arguments.back().pop_back();
        result.arguments.emplace_back();
      }
    }
    result.uses.push_back({option, spelling});
  }
  return result;
}

constexpr int kMostWords = 1 << 16;

// The table as CLI11 knows it. CLI11 only gathers the words: values are read by the table's setters.
struct App {
  CLI::App app;
  std::map<const Option*, CLI::Option*> known;

  explicit App(const Table& table) : app(table.summary(), table.command()) {
    app.set_help_flag();
    for (const Option& option : table.options()) {
      CLI::Option* added = option.takes_value() ? app.add_option(option.name(), [](const CLI::results_t&) { return true; })
                                                : app.add_flag(option.name());
      if (option.takes_value()) added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      known[&option] = added;
    }
    for (const Option& option : table.positionals())
      known[&option] = app.add_option(option.name(), [](const CLI::results_t&) { return true; })
                           ->expected(1, option.may_repeat() ? kMostWords : 1)
                           ->allow_extra_args(option.may_repeat());
  }
};

Result<void> gather(App& app, const Table& table, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11's habit
  try {
    app.app.parse(std::move(arguments));
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extra = app.app.remaining();
    return std::unexpected(
        error(ErrorKind::invalid, "unexpected argument '{}'", extra.empty() ? "" : extra.front())
            .with_hint(fmt::format("{}usage: puna {} {}", table.find("--prompt") ? "a text goes after -p; " : "", table.command(),
                                   table.usage())));
  } catch (const CLI::Error& failure) {
    return fail("{}", failure.what());
  }
  return {};
}

// How an option is spelled, and beside it (or below, where that is long) what it does.
std::string help_line(const Option& option, std::size_t width) {
  constexpr std::size_t kColumn = 34;
  const std::string indent(kColumn, ' ');
  std::string text = "  " + option.spelled;
  text += text.size() + 1 < kColumn ? std::string(kColumn - text.size(), ' ') : "\n" + indent;
  for (const char c : wrap(option.help, std::max(width, kColumn + 20) - kColumn)) {
    text += c;
    if (c == '\n') text += indent;
  }
  return text + "\n";
}

std::string help_group(std::string_view title, std::span<const Option> options, std::size_t width) {
  std::string lines;
  for (const Option& option : options)
    if (!option.has_no_effect() && option.group == title) lines += help_line(option, width);
  return lines;
}

std::string no_effect_note(const Table& table, std::size_t width) {
  std::string names;
  for (const Option& option : table.options())
    if (option.has_no_effect()) names += (names.empty() ? "" : ", ") + option.spelled;
  if (names.empty()) return {};
  return "\nllama.cpp's, accepted and without effect here:\n" + wrap(names, width - 2) + "\n";
}

}  // namespace

Result<Parsed> parse(const Table& table, std::span<const std::string> words) {
  const Scanned scanned = PUNA_TRY(scan(table, words));
  Parsed parsed;
  parsed.wants_help = scanned.wants_help;
  if (parsed.wants_help) return parsed;

  App app(table);
  PUNA_TRY(gather(app, table, scanned.arguments));
  std::map<const Option*, std::size_t> taken;
  for (const Use& use : scanned.uses) {
    const std::size_t place = taken[use.option]++;
    const CLI::results_t& values = app.known.at(use.option)->results();
    const std::string value = use.option->takes_value() && place < values.size() ? values[place] : "";
    if (use.option->has_no_effect()) parsed.no_effect.push_back(use.written);
    if (use.option->set)
      if (auto set = use.option->set(value); !set) return std::unexpected(std::move(set).error().within(use.written));
  }
  for (const Option& option : table.positionals())
    for (const std::string& value : app.known.at(&option)->results())
      if (auto set = option.set(value); !set) {
        Error problem = std::move(set).error();
        if (problem.hint.empty() && table.find("--prompt")) problem = std::move(problem).with_hint("a text goes after -p");
        return std::unexpected(std::move(problem));
      }
  return parsed;
}

std::string help(const Table& table, std::size_t width) {
  std::string text = fmt::format("{}\n\nUsage: puna {} {}\n", table.summary(), table.command(), table.usage());
  if (!table.positionals().empty()) text += "\nArgument:\n" + help_group("", table.positionals(), width);
  std::vector<std::string_view> titles;
  for (const Option& option : table.options()) {
    if (std::ranges::find(titles, option.group) != titles.end()) continue;
    titles.push_back(option.group);
    if (const std::string lines = help_group(option.group, table.options(), width); !lines.empty())
      text += fmt::format("\n{}:\n{}", option.group, lines);
  }
  text += no_effect_note(table, width);
  if (!table.example().empty()) {
    text += "\nExamples:\n";
    for (std::string_view rest = table.example(); !rest.empty();) {
      const std::size_t end = rest.find('\n');
      text += fmt::format("  {}\n", rest.substr(0, end));
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
  }
  return text;
}

std::string wrap(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column && column + 1 + word.size() > width) out += '\n', column = 0;
    if (column) out += ' ', ++column;
    out += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') out += '\n', column = 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace puna::cli
