#include "text/pretokenizers.h"

#include <fmt/ranges.h>

#include <array>

#include "text/tokenizer.h"
#include "text/unicode.h"

namespace puna::text {

namespace {

// The patterns that these functions follow are written above them, as the models' own tokenizer files have them. A regular
// expression engine would do, but these need no stack, never backtrack, and read each byte at most a few times.

struct Character {
  char32_t code = kNotACharacter;
  CharClass kind = CharClass::other;
  std::size_t end = 0;  // where the next one begins

  bool is_newline() const { return code == '\n' || code == '\r'; }
};

// A byte that is not UTF-8 is a character of its own, of class other.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, char_class(byte), at + 1};
  const Utf8Step step = utf8_at(text, at);
  if (step.code == kNotACharacter) return {kNotACharacter, CharClass::other, at + 1};
  return {step.code, char_class_beyond_ascii(step.code), at + step.length};
}

// The end of the longest run of characters of that class (not more than `most`) from `at` on.
std::size_t run_end(std::string_view text, std::size_t at, CharClass kind, std::size_t most = static_cast<std::size_t>(-1)) {
  for (std::size_t n = 0; at < text.size() && n < most; ++n) {
    const Character c = character_at(text, at);
    if (c.kind != kind) break;
    at = c.end;
  }
  return at;
}

std::size_t newlines_end(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
  return at;
}

struct SpaceRun {
  std::size_t end = 0;
  std::size_t last = 0;                // where its last character begins
  std::size_t after_last_newline = 0;  // 0: it holds none
};

SpaceRun space_run(std::string_view text, std::size_t at) {
  SpaceRun run;
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (c.kind != CharClass::space) break;
    run.last = at;
    at = c.end;
    if (c.is_newline()) run.after_last_newline = at;
  }
  run.end = at;
  return run;
}

// \s+(?!\S)|\s+ on a run of spaces: all but the last where something follows, so that a word keeps one space before it.
std::size_t spaces_end(const SpaceRun& run, std::size_t begin, bool something_follows) {
  return something_follows && run.last > begin ? run.last : run.end;
}

// The length of 's 't 'm 'd 're 've 'll at `at`, or 0. Ignoring case, U+017F (ſ) is an s.
std::size_t contraction_length(std::string_view text, std::size_t at, bool any_case) {
  if (text[at] != '\'') return 0;
  auto letter = [&](std::size_t i) {
    const char c = at + i < text.size() ? text[at + i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(1);
  const char second = letter(2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l')) return 3;
  if (any_case && text.substr(at + 1).starts_with("\xC5\xBF")) return 3;
  return 0;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// With kDigitsApart, each \p{N} is cut out first, and the pattern sees what lies between.
template <bool kDigitsApart>
std::size_t gpt2_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, false)) return begin + length;
  const Character first = character_at(text, begin);
  auto end_of_run = [&](const Character& c, std::size_t at) {
    if (kDigitsApart && c.kind == CharClass::number) return c.end;
    return run_end(text, at, c.kind);
  };
  if (first.kind != CharClass::space) return end_of_run(first, begin);
  if (first.code == ' ' && first.end < text.size()) {
    const Character next = character_at(text, first.end);
    if (kDigitsApart && next.kind == CharClass::number) return first.end;
    if (next.kind != CharClass::space) return run_end(text, first.end, next.kind);
  }
  const SpaceRun run = space_run(text, begin);
  const bool follows = run.end < text.size() && !(kDigitsApart && character_at(text, run.end).kind == CharClass::number);
  return spaces_end(run, begin, follows);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,kDigits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
template <std::size_t kDigits>
std::size_t llama3_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, true)) return begin + length;
  const Character first = character_at(text, begin);
  if (first.kind == CharClass::letter) return run_end(text, begin, CharClass::letter);
  if (first.kind == CharClass::number) return run_end(text, begin, CharClass::number, kDigits);
  if (first.end < text.size() && !first.is_newline()) {
    const Character next = character_at(text, first.end);
    if (next.kind == CharClass::letter) return run_end(text, first.end, CharClass::letter);
    if (first.code == ' ' && next.kind == CharClass::other) {
      return newlines_end(text, run_end(text, first.end, CharClass::other));
    }
  }
  if (first.kind == CharClass::other) return newlines_end(text, run_end(text, begin, CharClass::other));
  const SpaceRun run = space_run(text, begin);
  if (run.after_last_newline != 0) return run.after_last_newline;
  return spaces_end(run, begin, run.end < text.size());
}

constexpr std::string_view kGpt4o[] = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

constexpr std::string_view kDeepSeek3[] = {
    R"(\p{N}{1,3})", R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

constexpr PreTokenizer gpt2(std::string_view name) { return {.name = name, .word_end = gpt2_word_end<false>}; }
constexpr PreTokenizer smollm(std::string_view name) { return {.name = name, .word_end = gpt2_word_end<true>}; }
constexpr PreTokenizer llama3(std::string_view name) {
  return {.name = name, .word_end = llama3_word_end<3>, .whole_words = true, .adds_bos = true};
}
constexpr PreTokenizer qwen2(std::string_view name) { return {.name = name, .word_end = llama3_word_end<1>, .normalizes = true}; }

constexpr std::array kPreTokenizers{
    gpt2("gpt-2"),
    gpt2("gpt2"),
    smollm("smollm"),
    llama3("llama-bpe"),
    llama3("llama3"),
    llama3("llama-v3"),
    qwen2("qwen2"),
    qwen2("deepseek-r1-qwen"),
    PreTokenizer{.name = "gpt-4o", .patterns = kGpt4o},
    PreTokenizer{.name = "deepseek-v3", .patterns = kDeepSeek3},
};

}  // namespace

WordSplitter::WordSplitter(const PreTokenizer& pre) : word_end_(pre.word_end) {
  for (const auto pattern : pre.patterns) patterns_.emplace_back(pattern);
}

void WordSplitter::split(std::string_view text, std::vector<Span>& words) const {
  if (word_end_) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = word_end_(text, begin);
      words.push_back({begin, end});
      begin = end;
    }
    return;
  }
  std::vector<Span> pieces{{0, text.size()}};
  for (const Regex& pattern : patterns_) {
    std::vector<Span> finer;
    for (const Span piece : pieces) pattern.split(text, piece, finer);
    pieces = std::move(finer);
  }
  words.insert(words.end(), pieces.begin(), pieces.end());
}

std::vector<std::string_view> pretokenizer_names() {
  std::vector<std::string_view> names;
  for (const auto& row : kPreTokenizers) names.push_back(row.name);
  return names;
}

Result<PreTokenizer> find_pretokenizer(std::string_view name) {
  for (const auto& row : kPreTokenizers) {
    if (row.name == name) return row;
  }
  const std::string hint = fmt::format("choose one of these with --pre: {}", fmt::join(pretokenizer_names(), ", "));
  if (name.empty()) {
    return std::unexpected(
        error(ErrorKind::unsupported, "the file does not say its pre-tokenizer (tokenizer.ggml.pre)").with_hint(hint));
  }
  return std::unexpected(error(ErrorKind::unsupported, "unknown pre-tokenizer '{}' (tokenizer.ggml.pre)", name).with_hint(hint));
}

}  // namespace puna::text
