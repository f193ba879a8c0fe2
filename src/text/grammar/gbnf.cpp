#include "text/grammar/gbnf.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/nearest.h"
#include "text/grammar/code_points.h"
#include "text/utf8.h"

namespace puna::text::grammar {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; }
bool is_punctuation(char c) { return c > ' ' && c < 0x7F && !is_name(c); }

// An open parenthesis, or the rule itself.
struct Level {
  std::size_t begin = 0;  // where it was opened
  std::vector<NodeId> options = {};
  std::vector<NodeId> parts = {};  // of the option that is being read
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Grammar> parse() {
    if (text_.size() > kLongestGbnf) return fail("the grammar has {} bytes, at most {} can be read", text_.size(), kLongestGbnf);
    skip_space(true);
    while (at_ < text_.size()) {
      PUNA_TRY(parse_rule());
      skip_space(true);
    }
    PUNA_TRY(check_names());
    return std::move(grammar_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool ends_line() const { return at_ >= text_.size() || peek() == '\n' || peek() == '\r'; }

  // "line 3, column 7"
  std::string place(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t begin = before.rfind('\n');
    return fmt::format("line {}, column {}", line, at - (begin == before.npos ? 0 : begin + 1) + 1);
  }
  std::unexpected<Error> wrong(std::size_t at, std::string message, std::string hint = {}) const {
    return std::unexpected(Error{ErrorKind::invalid, fmt::format("{}: {}", place(at), message), std::move(hint)});
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    if (ends_line()) return "the end of the line";
    return fmt::format("'{}'", text_.substr(at_, utf8_at(text_, at_).length));
  }

  void skip_space(bool newlines) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (!ends_line()) ++at_;
      } else if (c == ' ' || c == '\t' || (newlines && (c == '\n' || c == '\r'))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Result<std::string_view> parse_name() {
    const std::size_t begin = at_;
    while (is_name(peek())) ++at_;
    if (at_ == begin) return wrong(at_, fmt::format("wanted the name of a rule, found {}", found()), "a rule is NAME ::= …");
    return text_.substr(begin, at_ - begin);
  }

  // The rule of that name, defined or not yet.
  RuleId rule_named(std::string_view name, std::size_t at) {
    const auto [entry, is_new] = names_.try_emplace(name, static_cast<RuleId>(grammar_.rules.size()));
    if (is_new) {
      grammar_.add_rule(std::string(name), 0);
      places_.push_back({.use = at, .definition = kNowhere});
    }
    return entry->second;
  }

  Result<void> parse_rule() {
    const std::size_t begin = at_;
    const std::string_view name = PUNA_TRY(parse_name());
    skip_space(false);
    if (!is_at("::="))
      return wrong(at_, fmt::format("wanted ::= after '{}', found {}", name, found()),
                   "alternatives on a line of their own follow a | at the end of the line before");
    at_ += 3;
    const RuleId rule = rule_named(name, begin);
    std::size_t& definition = places_[rule].definition;
    if (definition != kNowhere) return wrong(begin, fmt::format("'{}' is there twice, first in {}", name, place(definition)));
    definition = begin;
    grammar_.rules[rule].body = PUNA_TRY(parse_body());
    return {};
  }

  Result<NodeId> parse_body() {
    levels_.assign(1, {at_});
    skip_space(true);
    while (!ends_rule()) {
      PUNA_TRY(parse_item());
      skip_space(levels_.size() > 1);
    }
    if (levels_.size() > 1) return wrong(levels_.back().begin, "this parenthesis is never closed");
    return close_level();
  }

  // At the end of the line, unless the next one goes on with a |.
  bool ends_rule() {
    if (levels_.size() > 1) return at_ >= text_.size();
    if (!ends_line()) return false;
    const std::size_t end = at_;
    skip_space(true);
    if (peek() == '|') return false;
    at_ = end;
    return true;
  }

  NodeId close_level() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    end_option(level);
    return level.options.size() == 1 ? level.options.front() : grammar_.add(Choice{std::move(level.options)});
  }

  void end_option(Level& level) {
    level.options.push_back(level.parts.size() == 1 ? level.parts.front() : grammar_.add(Sequence{std::move(level.parts)}));
    level.parts.clear();
  }

  Result<void> parse_item() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '(') {
      ++at_;
      levels_.push_back({begin});
      skip_space(true);
      return {};
    }
    if (c == '|') {
      ++at_;
      end_option(levels_.back());
      skip_space(true);
      return {};
    }
    if (c == '*' || c == '+' || c == '?' || c == '{') return parse_repeat();
    NodeId part = 0;
    if (c == ')') {
      if (levels_.size() == 1) return wrong(begin, "this parenthesis closes none");
      ++at_;
      part = close_level();
    } else {
      part = grammar_.add(PUNA_TRY(parse_terminal()));
    }
    levels_.back().parts.push_back(part);
    return {};
  }

  Result<Node> parse_terminal() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '"') return parse_literal();
    if (c == '[') return parse_class();
    if (c == '<' || c == '!') return parse_token();
    if (c == '.') {
      ++at_;
      return negated({});
    }
    if (!is_name(c)) return wrong(begin, fmt::format("wanted a rule, \"text\", [characters], ( or |, found {}", found()));
    const std::string_view name = PUNA_TRY(parse_name());
    const std::size_t end = at_;
    skip_space(false);
    if (is_at("::=")) {
      if (levels_.size() > 1) return wrong(levels_.back().begin, "this parenthesis is never closed");
      return wrong(begin, fmt::format("the rule '{}' must begin on a line of its own", name));
    }
    at_ = end;
    return Call{rule_named(name, begin)};
  }

  Result<Node> parse_literal() {
    const std::size_t begin = at_++;
    Literal literal;
    while (peek() != '"') {
      if (at_ >= text_.size()) return wrong(begin, "this text is never closed: its second \" is missing");
      append_utf8(PUNA_TRY(parse_character()), literal.bytes);
    }
    ++at_;
    return literal;
  }

  Result<Node> parse_class() {
    const std::size_t begin = at_++;
    const bool is_negated = peek() == '^';
    if (is_negated) ++at_;
    std::vector<CodePoints::Range> ranges;
    while (peek() != ']') {
      if (at_ >= text_.size()) return wrong(begin, "this set of characters is never closed: its ] is missing");
      const std::size_t place = at_;
      const char32_t first = PUNA_TRY(parse_character());
      char32_t last = first;
      if (peek() == '-' && peek(1) != ']') {
        ++at_;
        if (at_ >= text_.size()) return wrong(begin, "this set of characters is never closed: its ] is missing");
        last = PUNA_TRY(parse_character());
      }
      if (last < first) return wrong(place, "this range of characters ends before it begins");
      ranges.push_back({first, last});
    }
    ++at_;
    CodePoints points = normalized(std::move(ranges));
    return is_negated ? negated(points) : points;
  }

  Result<char32_t> parse_character() {
    if (peek() == '\\') return parse_escape();
    const Utf8Step step = utf8_at(text_, at_);
    if (step.code == kNotACharacter)
      return wrong(at_, fmt::format("the byte 0x{:02X} is no UTF-8", static_cast<unsigned char>(text_[at_])));
    at_ += step.length;
    return step.code;
  }

  Result<char32_t> parse_escape() {
    const std::size_t begin = at_++;
    const char c = peek();
    ++at_;
    if (c == 'n') return U'\n';
    if (c == 't') return U'\t';
    if (c == 'r') return U'\r';
    const std::size_t n_digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (n_digits == 0) {
      if (is_punctuation(c) || c == '-') return static_cast<char32_t>(c);
      return wrong(begin, "no such escape", "known are \\n \\t \\r \\\" \\\\ \\[ \\] \\xNN \\uNNNN \\UNNNNNNNN");
    }
    const std::string_view digits = text_.substr(at_, n_digits);
    std::uint32_t code = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (problem != std::errc() || digits.size() < n_digits || end != digits.data() + n_digits)
      return wrong(begin, fmt::format("wanted {} hexadecimal digits after \\{}", n_digits, c));
    if (code > kLastCodePoint || (code >= 0xD800 && code <= 0xDFFF))
      return wrong(begin, fmt::format("U+{:04X} is no character", code));
    at_ += n_digits;
    return static_cast<char32_t>(code);
  }

  Result<Node> parse_token() {
    const std::size_t begin = at_;
    const bool is_negated = peek() == '!';
    if (is_negated) ++at_;
    if (peek() != '<') return wrong(begin, "wanted a token, <text> or <[number]>, after !");
    if (peek(1) == '[') {
      at_ += 2;
      TokenId id = 0;
      const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), id);
      if (problem != std::errc() || id < 0) return wrong(at_, "wanted the number of a token, as in <[1000]>");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (!is_at("]>")) return wrong(at_, fmt::format("wanted ]> after the number of a token, found {}", found()));
      at_ += 2;
      return Token{.text = {}, .id = id, .is_negated = is_negated};
    }
    const std::size_t first = at_++;
    while (!ends_line() && peek() != '>') ++at_;
    if (peek() != '>') return wrong(first, "this token is never closed: its > is missing");
    ++at_;
    return Token{.text = std::string(text_.substr(first, at_ - first)), .is_negated = is_negated};
  }

  Result<void> parse_repeat() {
    const std::size_t begin = at_;
    Repeat repeat;
    const char c = text_[at_++];
    if (c == '+') repeat.min = 1;
    if (c == '?') repeat.max = 1;
    if (c == '{') {
      repeat.min = PUNA_TRY(parse_count());
      repeat.max = repeat.min;
      skip_space(levels_.size() > 1);
      if (peek() == ',') {
        ++at_;
        skip_space(levels_.size() > 1);
        repeat.max = is_digit(peek()) ? std::optional(PUNA_TRY(parse_count())) : std::nullopt;
        skip_space(levels_.size() > 1);
      }
      if (peek() != '}') return wrong(at_, fmt::format("wanted }} after the count, found {}", found()));
      ++at_;
      if (repeat.max && *repeat.max < repeat.min)
        return wrong(begin, fmt::format("between {} and {} times is never", repeat.min, *repeat.max));
    }
    std::vector<NodeId>& parts = levels_.back().parts;
    if (parts.empty()) return wrong(begin, fmt::format("nothing stands before this '{}'", c));
    repeat.body = parts.back();
    parts.back() = grammar_.add(repeat);
    return {};
  }

  Result<std::uint32_t> parse_count() {
    skip_space(levels_.size() > 1);
    const std::size_t begin = at_;
    std::uint32_t count = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), count);
    if (problem == std::errc::invalid_argument) return wrong(begin, "wanted a count, as in {3}, {3,} or {0,5}");
    if (problem != std::errc() || count > kMostTimes) return wrong(begin, fmt::format("more than {} times", kMostTimes));
    at_ = static_cast<std::size_t>(end - text_.data());
    return count;
  }

  Result<void> check_names() {
    std::vector<std::string_view> defined;
    for (RuleId rule = 0; rule < grammar_.rules.size(); ++rule)
      if (places_[rule].definition != kNowhere) defined.push_back(grammar_.rules[rule].name);
    const auto root = names_.find("root");
    if (root == names_.end() || places_[root->second].definition == kNowhere)
      return std::unexpected(
          error(ErrorKind::invalid, "there is no rule 'root'").with_hint("the whole answer is one root ::= …"));
    grammar_.root = root->second;
    for (RuleId rule = 0; rule < grammar_.rules.size(); ++rule) {
      if (places_[rule].definition != kNowhere) continue;
      const std::string& name = grammar_.rules[rule].name;
      const auto near = nearest(name, defined);
      return wrong(places_[rule].use, fmt::format("there is no rule '{}'", name),
                   near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    return {};
  }

  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t kMostTimes = 1'000'000'000;
  struct Places {
    std::size_t use = 0;  // the first
    std::size_t definition = kNowhere;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  Grammar grammar_;
  std::unordered_map<std::string_view, RuleId> names_;
  std::vector<Places> places_;  // by RuleId
  std::vector<Level> levels_;
};

}  // namespace

Result<Grammar> parse_gbnf(std::string_view text) { return Parser(text).parse(); }

}  // namespace puna::text::grammar
