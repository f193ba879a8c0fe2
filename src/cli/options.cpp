#include "cli/options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"

namespace puna::cli {

namespace {

Option read_spelled(std::string_view spelled) {
  Option option;
  option.spelled = spelled;
  while (!spelled.empty()) {
    const std::size_t comma = spelled.find(", ");
    std::string_view word = spelled.substr(0, comma);
    spelled = comma == spelled.npos ? std::string_view{} : spelled.substr(comma + 2);
    if (const std::size_t space = word.find(' '); space != word.npos) {
      option.value = word.substr(space + 1);
      word = word.substr(0, space);
    }
    option.spellings.emplace_back(word);
  }
  return option;
}

}  // namespace

void Table::add(std::string_view spelled, std::string_view help, Setter set) {
  Option option = read_spelled(spelled);
  PUNA_CHECK(option.name().starts_with("--"), option.spelled);
  for (const std::string& spelling : option.spellings) PUNA_CHECK(!find(spelling), spelling);
  option.help = help;
  option.group = group_;
  option.set = std::move(set);
  options_.push_back(std::move(option));
}

void Table::positional(std::string_view name, std::string_view help, Setter set) {
  Option option;
  option.spelled = name;
  option.spellings = {std::string(name)};
  option.help = help;
  option.set = std::move(set);
  positionals_.push_back(std::move(option));
}

const Option* Table::find(std::string_view spelling) const {
  for (const Option& option : options_)
    if (std::ranges::find(option.spellings, spelling) != option.spellings.end()) return &option;
  return nullptr;
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (begin == end || stop != end || (code != std::errc{} && code != std::errc::result_out_of_range))
    return fail("'{}' is no whole number", text);
  if (code != std::errc{} || value < least || value > most) return fail("{} lies outside {} … {}", text, least, most);
  return value;
}

Result<double> parse_number(std::string_view text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (begin == end || stop != end || code == std::errc::invalid_argument) return fail("'{}' is no number", text);
  if (code != std::errc{}) return fail("{} is out of range", text);
  return value;
}

Setter into(std::string& target) {
  return [&target](std::string_view text) -> Result<void> {
    target = text;
    return {};
  };
}

Setter into(std::optional<std::string>& target) {
  return [&target](std::string_view text) -> Result<void> {
    target = std::string(text);
    return {};
  };
}

Setter into_name(std::string& target) {
  return [&target](std::string_view text) -> Result<void> {
    if (text.empty()) return fail("a file's name may not be empty");
    target = text;
    return {};
  };
}

Setter into(std::optional<float>& target) {
  return [&target](std::string_view text) -> Result<void> {
    target = static_cast<float>(PUNA_TRY(parse_number(text)));
    return {};
  };
}

Setter flag(bool& target, bool value) {
  return [&target, value](std::string_view) -> Result<void> {
    target = value;
    return {};
  };
}

Setter one_of(std::string& target, std::vector<std::string> words) {
  return [&target, words = std::move(words)](std::string_view text) -> Result<void> {
    if (std::ranges::find(words, text) == words.end()) return fail("'{}' is none of {}", text, fmt::join(words, ", "));
    target = text;
    return {};
  };
}

Setter each(std::vector<std::string>& target) {
  return [&target](std::string_view text) -> Result<void> {
    target.emplace_back(text);
    return {};
  };
}

}  // namespace puna::cli
