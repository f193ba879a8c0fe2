#include "cli/args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/check.h"

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

// Restricted edit distance: insert, delete, replace, swap neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
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

// Shows each option as the table spells it, in one column of its own width.
class Formatter : public CLI::Formatter {
 public:
  Formatter(const Table& table, std::size_t width) : table_(table), width_(width) { column_width(kColumn); }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true);
    const Option* known = table_.find(option->get_name());
    return known ? known->spelled : option->get_name(false, true);
  }
  std::string make_option_opts(const CLI::Option*) const override { return {}; }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrap(option->get_description(), width_ - kColumn);
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return fmt::format("\nUsage: puna {} {}\n", table_.command(), table_.usage());
  }

 private:
  static constexpr std::size_t kColumn = 34;
  const Table& table_;
  std::size_t width_;
};

// The table as CLI11 knows it. CLI11 only gathers the words: values are read by the table's setters.
struct App {
  CLI::App app;
  std::map<const Option*, CLI::Option*> known;
  CLI::Option* positional = nullptr;

  explicit App(const Table& table) : app(table.summary(), table.command()) {
    app.set_help_flag();
    for (const Option& option : table.options()) {
      CLI::Option* added = option.takes_value() ? app.add_option(option.name(), [](const CLI::results_t&) { return true; })
                                                : app.add_flag(option.name());
      added->description(option.help)->group(option.has_no_effect() ? "" : option.group);
      if (option.takes_value()) added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      known[&option] = added;
    }
    for (const Option& option : table.positionals()) {
      CLI::Option* added = app.add_option(option.name(), [](const CLI::results_t&) { return true; });
      known[&option] = added->description(option.help);
    }
  }
};

Result<void> gather(App& app, const Table& table, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11's habit
  try {
    app.app.parse(std::move(arguments));
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extra = app.app.remaining();
    return std::unexpected(error(ErrorKind::invalid, "unexpected argument '{}'", extra.empty() ? "" : extra.front())
                               .with_hint(fmt::format("usage: puna {} {}", table.command(), table.usage())));
  } catch (const CLI::Error& failure) {
    return fail("{}", failure.what());
  }
  return {};
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
    for (const std::string& value : app.known.at(&option)->results()) PUNA_TRY(option.set(value));
  return parsed;
}

std::string help(const Table& table, std::size_t width) {
  App app(table);
  app.app.formatter(std::make_shared<Formatter>(table, width));
  std::string text = app.app.help();
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

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const std::size_t d = distance(word, candidate);
    if (d < least) least = d, best = candidate;
  }
  return best;
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
