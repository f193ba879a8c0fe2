#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <fmt/core.h>

#include <array>
#include <string>

#include "base/check.h"
#include "text/utf8.h"

namespace puna::text {

struct Regex::Code {
  template <auto kFree>
  struct Free {
    void operator()(auto* thing) const { kFree(thing); }
  };

  int search(std::string_view subject, std::size_t at, pcre2_match_data* match) const;

  std::unique_ptr<pcre2_code, Free<pcre2_code_free>> pattern;
  std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>> context;
};

namespace {

// Every space by name: PCRE2's own \s has U+180E, which is no space any more.
constexpr std::string_view kSpaces = R"(\x09-\x0D\x20\x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

// The reference's \w, by which \b goes too; PCRE2's has other numbers, no marks and no circled letters.
#define PUNA_WORD_CHARACTERS \
  R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\xB2\xB3\xB9\xBC-\xBE\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})"
constexpr std::string_view kWordCharacters = PUNA_WORD_CHARACTERS;
constexpr std::string_view kWordEnd = "(?:(?<=[" PUNA_WORD_CHARACTERS "])(?![" PUNA_WORD_CHARACTERS
                                      "])|(?<![" PUNA_WORD_CHARACTERS "])(?=[" PUNA_WORD_CHARACTERS "]))";
#undef PUNA_WORD_CHARACTERS

// What stands for the escape \c, or nothing where both syntaxes mean the same.
std::string escape(char c, bool in_class) {
  const std::string_view set = c == 's' || c == 'S' ? kSpaces : c == 'w' || c == 'W' ? kWordCharacters : std::string_view();
  if (!set.empty() && in_class && (c == 's' || c == 'w')) return std::string(set);
  if (!set.empty() && !in_class) return fmt::format("[{}{}]", c == 'S' || c == 'W' ? "^" : "", set);
  return c == 'b' && !in_class ? std::string(kWordEnd) : std::string();
}

// The script that "{Han}…" names, or nothing. PCRE2 takes a script's name for its extensions too, unless told otherwise.
std::string_view script_at(std::string_view text) {
  constexpr std::string_view kScripts[] = {"Han",      "Hiragana", "Katakana", "Hangul",  "Bopomofo", "Latin",     "Greek",
                                           "Cyrillic", "Arabic",   "Hebrew",   "Thai",    "Lao",      "Khmer",     "Myanmar",
                                           "Tibetan",  "Armenian", "Georgian", "Bengali", "Tamil",    "Devanagari"};
  for (const std::string_view script : kScripts) {
    if (text.starts_with('{') && text.substr(1).starts_with(script) && text.substr(1 + script.size()).starts_with('}'))
      return script;
  }
  return {};
}

// From the syntax of the tokenizers' files (Oniguruma's) to PCRE2's.
Result<std::string> translated(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  bool in_name = false;  // [:alpha:]
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (c == '\\') {
      if (next == 'h' || next == 'H') return fail(ErrorKind::unsupported, "the pattern '{}' has \\{}", pattern, next);
      const std::string_view script = next == 'p' || next == 'P' ? script_at(pattern.substr(i + 2)) : std::string_view();
      if (!script.empty()) {
        out += fmt::format("\\{}{{sc:{}}}", next, script);
        i += script.size() + 3;
        continue;
      }
      const std::string ours = escape(next, in_class);
      out += ours.empty() ? std::string(pattern.substr(i, 2)) : ours;
      ++i;
      continue;
    }
    if (in_class && ((c == '[' && next != ':') || (c == '&' && next == '&'))) {
      return fail(ErrorKind::unsupported, "the pattern '{}' has a class within a class", pattern);
    }
    if (c == '[') {
      in_name = in_class;
      in_class = true;
    } else if (c == ']') {
      // A bracket that would close an empty class is one of its characters.
      if (!in_name && !out.ends_with("[") && !out.ends_with("[^")) in_class = false;
      in_name = false;
    }
    out += c;
  }
  return out;
}

// Steps of one search; a pattern that backtracks without end reaches it in about a second.
constexpr std::uint32_t kMostSteps = 200'000'000;
constexpr std::uint32_t kMostHeap = 1 << 20;  // KiB

}  // namespace

Result<Regex> Regex::compile(std::string_view pattern) {
  const std::string ours = PUNA_TRY(translated(pattern));
  auto code = std::make_unique<Code>();
  int number = 0;
  std::size_t offset = 0;
  code->pattern.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(ours.data()), ours.size(),
                                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &number, &offset,
                                    nullptr));
  if (!code->pattern) {
    std::array<PCRE2_UCHAR, 200> message{};
    pcre2_get_error_message(number, message.data(), message.size());
    return fail("the pattern '{}': {}", pattern, reinterpret_cast<const char*>(message.data()));
  }
  pcre2_jit_compile(code->pattern.get(), PCRE2_JIT_COMPLETE);  // where it cannot, matching interprets
  code->context.reset(pcre2_match_context_create(nullptr));
  PUNA_CHECK(code->context);
  pcre2_set_match_limit(code->context.get(), kMostSteps);
  pcre2_set_heap_limit(code->context.get(), kMostHeap);
  return Regex(std::move(code));
}

Regex::Regex(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Regex::Search::Search(const Regex& regex) : code_(*regex.code_), match_(pcre2_match_data_create(1, nullptr)) {
  PUNA_CHECK(match_);
}

void Regex::FreeMatch::operator()(pcre2_real_match_data_8* match) const { pcre2_match_data_free(match); }

void Regex::Search::split(std::string_view text, Span range, std::vector<Piece>& pieces) {
  std::size_t begin = range.begin;
  for (std::size_t at = range.begin; at < range.end;) {
    const Utf8Step step = utf8_at(text.substr(0, range.end), at);
    if (step.code == kNotACharacter) {
      split_valid(text, {begin, at}, pieces);
      pieces.push_back({{at, at + 1}, false});
      begin = at + 1;
    }
    at += step.code == kNotACharacter ? 1 : step.length;
  }
  split_valid(text, {begin, range.end}, pieces);
}

// The text is valid already; PCRE2 would check the whole rest again for each match.
int Regex::Code::search(std::string_view subject, std::size_t at, pcre2_match_data* match) const {
  const auto* text = reinterpret_cast<PCRE2_SPTR>(subject.data());
  const int found = pcre2_match(pattern.get(), text, subject.size(), at, PCRE2_NO_UTF_CHECK, match, context.get());
  if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
  // Compiled code has 32 KiB of stack; the interpreter takes its room from the heap.
  return pcre2_match(pattern.get(), text, subject.size(), at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match, context.get());
}

void Regex::Search::split_valid(std::string_view text, Span range, std::vector<Piece>& pieces) {
  if (range.begin == range.end) return;
  const std::string_view subject = text.substr(range.begin, range.size());
  std::size_t begin = 0;  // of the piece that is not cut yet
  auto cut = [&](std::size_t end, bool matches) {
    if (end > begin) pieces.push_back({{range.begin + begin, range.begin + end}, matches});
    begin = end;
  };
  for (std::size_t at = 0; at < subject.size();) {
    if (code_.search(subject, at, match_.get()) < 0) break;
    const std::size_t* ends = pcre2_get_ovector_pointer(match_.get());
    cut(ends[0], false);
    cut(ends[1], true);
    at = ends[1];
    if (ends[1] == ends[0] && at < subject.size()) at += utf8_at(subject, at).length;
  }
  cut(subject.size(), false);
}

}  // namespace puna::text
