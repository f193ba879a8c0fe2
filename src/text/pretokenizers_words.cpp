// The patterns' functions. A regular expression engine would do, but these need no stack, never backtrack, and read each byte
// at most a few times.
#include <array>

#include "text/pretokenizers.h"
#include "text/pretokenizers_patterns.h"
#include "text/unicode.h"

namespace puna::text {

namespace {

struct Character {
  char32_t code = kNotACharacter;
  std::uint8_t flags = 0;
  std::size_t end = 0;  // where the next one begins

  bool is(unsigned mask) const { return (flags & mask) != 0; }
  bool is_newline() const { return code == '\n' || code == '\r'; }
};

// A byte that is not UTF-8 is a character of its own, without flags.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, kAsciiFlags[byte], at + 1};
  const Utf8Step step = utf8_at(text, at);
  if (step.code == kNotACharacter) return {kNotACharacter, 0, at + 1};
  return {step.code, char_flags_beyond_ascii(step.code), at + step.length};
}

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

// The end of the longest run of such characters (not more than `most`) from `at` on.
template <class Accepts>
std::size_t run_end_if(std::string_view text, std::size_t at, Accepts&& accepts, std::size_t most = kAll) {
  for (std::size_t n = 0; at < text.size() && n < most; ++n) {
    const Character c = character_at(text, at);
    if (!accepts(c)) break;
    at = c.end;
  }
  return at;
}

std::size_t run_end(std::string_view text, std::size_t at, unsigned mask, std::size_t most = kAll) {
  return run_end_if(text, at, [mask](const Character& c) { return c.is(mask); }, most);
}

// Of characters that have none of the flags.
std::size_t other_run_end(std::string_view text, std::size_t at, unsigned mask) {
  return run_end_if(text, at, [mask](const Character& c) { return !c.is(mask); });
}

std::size_t newlines_end(std::string_view text, std::size_t at, bool with_slash = false) {
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r' || (with_slash && text[at] == '/'))) ++at;
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
    if (!c.is(kSpace)) break;
    run.last = at;
    at = c.end;
    if (c.is_newline()) run.after_last_newline = at;
  }
  run.end = at;
  return run;
}

// \s+(?!\S)|\s+ on a run of spaces: all but the last where something follows, so that a word keeps one space before it.
std::size_t spaces_end(const SpaceRun& run, std::size_t begin, std::size_t text_end) {
  return run.end < text_end && run.last > begin ? run.last : run.end;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t newlines_or_spaces_end(std::string_view text, std::size_t begin) {
  const SpaceRun run = space_run(text, begin);
  return run.after_last_newline != 0 ? run.after_last_newline : spaces_end(run, begin, text.size());
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

std::size_t gpt2_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, false)) return begin + length;
  auto end_of_run = [&](const Character& c, std::size_t at) {
    if (c.is(kLetter)) return run_end(text, at, kLetter);
    return c.is(kNumber) ? run_end(text, at, kNumber) : other_run_end(text, at, kSpace | kLetter | kNumber);
  };
  const Character first = character_at(text, begin);
  if (!first.is(kSpace)) return end_of_run(first, begin);
  if (first.code == ' ' && first.end < text.size()) {
    const Character next = character_at(text, first.end);
    if (!next.is(kSpace)) return end_of_run(next, first.end);
  }
  return spaces_end(space_run(text, begin), begin, text.size());
}

// kLlama3, kQwen2, kQwen35: they differ in how many digits go together and in what a word is made of.
template <std::size_t kDigits, unsigned kWord>
std::size_t llama3_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, true)) return begin + length;
  constexpr unsigned kNotOther = kSpace | kWord | kNumber;
  const Character first = character_at(text, begin);
  if (first.is(kWord)) return run_end(text, begin, kWord);
  if (first.is(kNumber)) return run_end(text, begin, kNumber, kDigits);
  if (first.end < text.size() && !first.is_newline()) {
    const Character next = character_at(text, first.end);
    if (next.is(kWord)) return run_end(text, first.end, kWord);
    if (first.code == ' ' && !next.is(kNotOther)) return newlines_end(text, other_run_end(text, first.end, kNotOther));
  }
  if (!first.is(kSpace)) return newlines_end(text, other_run_end(text, begin, kNotOther));
  return newlines_or_spaces_end(text, begin);
}

// What kGpt4o, kTekken and kKimi differ in.
struct CasedRules {
  bool contractions = true;
  std::size_t digits = 3;
  bool slash = true;       // a slash may stand among the newlines after symbols
  bool han_apart = false;  // runs of Han are words of their own
};

struct CasedRun {
  std::size_t mixed_end = 0;  // of [upper]*[lower]+; 0: no match
  std::size_t upper_end = 0;  // of [upper]+
};

// Characters without case are both. A run of capitals is given back as far as its last character that may be a small one.
template <CasedRules kRules>
CasedRun cased_run(std::string_view text, std::size_t begin) {
  constexpr unsigned kUpperSet = kUpper | kCaseless | kMark;
  constexpr unsigned kLowerSet = kLower | kCaseless | kMark;
  auto is = [](const Character& c, unsigned mask) { return c.is(mask) && !(kRules.han_apart && is_han(c.code)); };
  CasedRun run;
  std::size_t at = begin;
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (!is(c, kUpperSet)) break;
    at = c.end;
    if (c.is(kLowerSet)) run.mixed_end = at;
  }
  if (at > begin) run.upper_end = at;
  const std::size_t end = run_end_if(text, at, [&](const Character& c) { return is(c, kLowerSet); });
  if (end > at) run.mixed_end = end;
  return run;
}

template <CasedRules kRules>
std::size_t cased_word_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  auto with_contraction = [&](std::size_t end) {
    const bool may = kRules.contractions && end < text.size();
    return may ? end + contraction_length(text, end, true) : end;
  };
  if (kRules.han_apart && is_han(first.code)) return run_end_if(text, begin, [](const Character& c) { return is_han(c.code); });
  // One character that is no letter may stand before a word; a mark may be that one or the word's own first.
  const bool leads = !first.is(kLetter | kNumber) && !first.is_newline() && first.end < text.size();
  const CasedRun after_first = leads ? cased_run<kRules>(text, first.end) : CasedRun{};
  if (after_first.mixed_end != 0) return with_contraction(after_first.mixed_end);
  const CasedRun run = first.is(kLetter | kMark) ? cased_run<kRules>(text, begin) : CasedRun{};
  for (const std::size_t end : {run.mixed_end, after_first.upper_end, run.upper_end}) {
    if (end != 0) return with_contraction(end);
  }
  if (first.is(kNumber)) return run_end(text, begin, kNumber, kRules.digits);
  constexpr unsigned kNotOther = kSpace | kLetter | kNumber;
  if (!first.is(kNotOther)) return newlines_end(text, other_run_end(text, begin, kNotOther), kRules.slash);
  if (first.code == ' ' && first.end < text.size() && !character_at(text, first.end).is(kNotOther)) {
    return newlines_end(text, other_run_end(text, first.end, kNotOther), kRules.slash);
  }
  return newlines_or_spaces_end(text, begin);
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// kDeepSeek3's match at `begin`, or 0.
std::size_t deepseek3_match_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  constexpr unsigned kWord = kLetter | kMark;
  constexpr unsigned kSigns = kPunctuation | kSymbol;
  if (first.code < 0x80 && first.is(kSigns) && first.end < text.size() && is_ascii_letter(text[first.end])) {
    std::size_t at = first.end;
    while (at < text.size() && is_ascii_letter(text[at])) ++at;
    return at;
  }
  if (first.is(kWord)) return run_end(text, begin, kWord);
  if (first.end < text.size() && !first.is_newline() && !first.is(kSigns)) {
    const Character next = character_at(text, first.end);
    if (next.is(kWord)) return run_end(text, first.end, kWord);
    if (first.code == ' ' && next.is(kSigns)) return newlines_end(text, run_end(text, first.end, kSigns));
  }
  if (first.is(kSigns)) return newlines_end(text, run_end(text, begin, kSigns));
  return first.is(kSpace) ? newlines_or_spaces_end(text, begin) : 0;
}

std::size_t deepseek3_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t end = deepseek3_match_end(text, begin)) return end;
  std::size_t at = character_at(text, begin).end;
  while (at < text.size() && deepseek3_match_end(text, at) == 0) at = character_at(text, at).end;
  return at;
}

// Matches of a class, at most so many characters in each, and what lies between.
template <bool (*kIs)(const Character&), std::size_t kMost>
std::size_t class_end(std::string_view text, std::size_t begin) {
  if (kIs(character_at(text, begin))) return run_end_if(text, begin, kIs, kMost);
  return run_end_if(text, begin, [](const Character& c) { return !kIs(c); });
}

bool is_number(const Character& c) { return c.is(kNumber); }
bool is_line_end(const Character& c) { return c.code == '\n'; }
bool is_decimal(const Character& c) { return c.is(kNumber) && is_digit(c.code); }
bool is_east_asian(const Character& c) {
  return (c.code >= 0x4E00 && c.code <= 0x9FA5) || (c.code >= 0x3040 && c.code <= 0x30FF);
}

// Spaces before the end of a line, as many as stand there; what lies between ends where these begin.
std::size_t spaces_at_end(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size();) {
    const Character c = character_at(text, at);
    if (!c.is(kSpace)) {
      at = c.end;
      continue;
    }
    const SpaceRun run = space_run(text, at);
    // The match ends at the text's end, or before the run's last line end.
    const std::size_t last_newline = text.substr(at, run.end - at).rfind('\n');
    const bool has_newline = last_newline != text.npos && last_newline > 0;
    if (run.end == text.size() || has_newline)
      return at > begin ? at : has_newline && run.end != text.size() ? at + last_newline : run.end;
    at = run.end;
  }
  return text.size();
}

struct DigitRun {
  std::size_t end = 0;
  std::size_t length = 0;  // in characters
};

DigitRun digit_run(std::string_view text, std::size_t at) {
  DigitRun run{at, 0};
  for (; run.end < text.size(); ++run.length) {
    const Character c = character_at(text, run.end);
    if (!is_decimal(c)) break;
    run.end = c.end;
  }
  return run;
}

// All of `text` from `begin` on, a piece after the other.
template <std::size_t (*kPieceEnd)(std::string_view, std::size_t)>
void cut(std::string_view text, std::size_t begin, std::vector<Span>& pieces) {
  while (begin < text.size()) {
    const std::size_t end = kPieceEnd(text, begin);
    pieces.push_back({begin, end});
    begin = end;
  }
}

// Cuts before each group of three that the digits of a run have from the right, and with kApart also at both ends of a run, if
// no word goes on there.
template <bool kApart>
void cut_threes(std::string_view text, std::size_t begin, std::vector<Span>& pieces) {
  auto cut_at = [&](std::size_t end) {
    if (end > begin) pieces.push_back({begin, end});
    begin = end;
  };
  for (std::size_t at = begin; at < text.size();) {
    DigitRun run = digit_run(text, at);
    if (run.length == 0) {
      at = character_at(text, at).end;
      continue;
    }
    const bool in_word = kApart && run.end < text.size() && is_word_character(character_at(text, run.end).code);
    if (kApart && !in_word) cut_at(at);
    for (; run.length > 0 && !in_word; --run.length) {
      if (run.length % 3 == 0) cut_at(at);
      at = character_at(text, at).end;
    }
    if (kApart && !in_word) cut_at(run.end);
    at = run.end;
  }
  cut_at(text.size());
}

constexpr CasedRules kOfGpt4o{};
constexpr CasedRules kOfTekken{.contractions = false, .digits = 1};
constexpr CasedRules kOfKimi{.slash = false, .han_apart = true};

constexpr std::array kHandWritten{
    HandWritten{patterns::kGpt2, cut<gpt2_word_end>, true},
    HandWritten{patterns::kLlama3, cut<llama3_word_end<3, kLetter>>, true},
    HandWritten{patterns::kQwen2, cut<llama3_word_end<1, kLetter>>, true},
    HandWritten{patterns::kQwen35, cut<llama3_word_end<1, kLetter | kMark>>, true},
    HandWritten{patterns::kGpt4o, cut<cased_word_end<kOfGpt4o>>, true},
    HandWritten{patterns::kTekken, cut<cased_word_end<kOfTekken>>, true},
    HandWritten{patterns::kKimi, cut<cased_word_end<kOfKimi>>, true},
    HandWritten{patterns::kDeepSeek3, cut<deepseek3_word_end>},
    HandWritten{patterns::kEastAsian, cut<class_end<is_east_asian, kAll>>},
    HandWritten{patterns::kDigit, cut<class_end<is_number, 1>>},
    HandWritten{patterns::kThreeDigits, cut<class_end<is_number, 3>>},
    HandWritten{patterns::kLines, cut<class_end<is_line_end, kAll>>, true},
    HandWritten{patterns::kSpacesAtEnd, cut<spaces_at_end>},
    HandWritten{patterns::kThreesFromRight, cut_threes<true>},
    HandWritten{patterns::kBeforeThrees, cut_threes<false>},
};

}  // namespace

std::span<const HandWritten> hand_written_patterns() { return kHandWritten; }

}  // namespace puna::text
