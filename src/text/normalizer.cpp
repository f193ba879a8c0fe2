#include "text/normalizer.h"

#include <algorithm>
#include <optional>

#include "text/charsmap.h"
#include "text/regex.h"
#include "text/space_mark.h"
#include "text/unicode.h"

namespace puna::text {

using Kind = NormalizerStep::Kind;

struct Normalizer::Step {
  NormalizerStep plain;
  std::optional<CharsMap> map;
  std::optional<Regex> pattern;
};

Normalizer::Normalizer() = default;
Normalizer::~Normalizer() = default;
Normalizer::Normalizer(Normalizer&&) noexcept = default;
Normalizer& Normalizer::operator=(Normalizer&&) noexcept = default;

bool Normalizer::empty() const { return steps_.empty(); }

Result<Normalizer> Normalizer::make(std::vector<NormalizerStep> steps) {
  Normalizer normalizer;
  for (NormalizerStep& plain : steps) {
    Step step;
    if (plain.kind == Kind::charsmap) step.map = PUNA_TRY(CharsMap::parse(plain.from));
    if (plain.kind == Kind::replace_matches) step.pattern = PUNA_TRY(Regex::compile(plain.from));
    if (plain.kind == Kind::charsmap) plain.from.clear();
    step.plain = std::move(plain);
    normalizer.steps_.push_back(std::move(step));
  }
  return normalizer;
}

namespace {

template <bool (*kDrops)(char32_t)>
std::string without(std::string_view text) {
  return each_character(text, [](char32_t code, std::string& out) {
    if (!kDrops(code)) append_utf8(code, out);
  });
}

std::string cleaned(std::string_view text) {
  return each_character(text, [](char32_t code, std::string& out) {
    if (char_class(code) == CharClass::space && code != '\v' && code != '\f' && code != 0x85) {
      out += ' ';
    } else if (code != 0xFFFD && !is_other(code)) {
      append_utf8(code, out);
    }
  });
}

std::string with_spaced_ideographs(std::string_view text) {
  return each_character(text, [](char32_t code, std::string& out) {
    const bool ideograph = is_ideograph(code);
    if (ideograph) out += ' ';
    append_utf8(code, out);
    if (ideograph) out += ' ';
  });
}

std::string with_single_spaces(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char byte : text) {
    if (byte != ' ' || (!out.empty() && out.back() != ' ')) out += byte;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string with_marked_words(std::string_view text) {
  bool in_word = false;
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    const bool space = step.code != kNotACharacter && char_class(step.code) == CharClass::space;
    if (!space) {
      if (!in_word && !text.substr(at).starts_with(kSpaceMark)) out += kSpaceMark;
      out.append(text, at, step.length);
    }
    in_word = !space;
    at += step.length;
  }
  return out;
}

std::string replaced(std::string_view text, const NormalizerStep& step) {
  if (step.from.empty()) return std::string(text);
  std::string out;
  std::size_t at = 0;
  for (std::size_t found; (found = text.find(step.from, at)) != text.npos; at = found + step.from.size()) {
    out.append(text, at, found - at).append(step.to);
  }
  return out.append(text, at);
}

std::string replaced(std::string_view text, const Regex& pattern, std::string_view by) {
  std::vector<Piece> pieces;
  Regex::Search(pattern).split(text, {0, text.size()}, pieces);
  std::string out;
  for (const Piece& piece : pieces) out += piece.matches ? by : text.substr(piece.span.begin, piece.span.size());
  return out;
}

std::size_t character_end(std::string_view text, std::size_t at) { return at + utf8_at(text, at).length; }

std::string_view without_space_left(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && char_class(utf8_at(text, at).code) == CharClass::space) at = character_end(text, at);
  return text.substr(at);
}

std::string_view without_space_right(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool space = char_class(utf8_at(text, at).code) == CharClass::space;
    at = character_end(text, at);
    if (!space) end = at;
  }
  return text.substr(0, end);
}

std::string prepended(const NormalizerStep& step, std::string_view text, bool at_start) {
  const bool missing = step.kind == Kind::prepend || !text.starts_with(step.to);
  const bool wanted = !text.empty() && missing && (step.kind != Kind::prepend_at_start || at_start);
  std::string out = wanted ? step.to : std::string();
  out += text;
  return out;
}

}  // namespace

std::string Normalizer::apply(std::string_view given, bool at_start) const {
  std::string text(given);
  for (const Step& step : steps_) {
    switch (step.plain.kind) {
      case Kind::nfc:
        text = normalized(text, NormalForm::nfc);
        break;
      case Kind::nfd:
        text = normalized(text, NormalForm::nfd);
        break;
      case Kind::nfkc:
        text = normalized(text, NormalForm::nfkc);
        break;
      case Kind::nfkd:
        text = normalized(text, NormalForm::nfkd);
        break;
      case Kind::lowercase:
        text = lowercase(text);
        break;
      case Kind::strip_marks:
        text = without<is_mark>(text);
        break;
      case Kind::strip_accents:
        text = without<is_nonspacing_mark>(text);
        break;
      case Kind::clean:
        text = cleaned(text);
        break;
      case Kind::space_ideographs:
        text = with_spaced_ideographs(text);
        break;
      case Kind::charsmap:
        text = step.map->apply(text);
        break;
      case Kind::collapse_spaces:
        text = with_single_spaces(text);
        break;
      case Kind::mark_words:
        text = with_marked_words(text);
        break;
      case Kind::prepend:
      case Kind::prepend_missing:
      case Kind::prepend_at_start:
        text = prepended(step.plain, text, at_start);
        break;
      case Kind::replace:
        text = replaced(text, step.plain);
        break;
      case Kind::replace_matches:
        text = replaced(text, *step.pattern, step.plain.to);
        break;
      case Kind::strip_left:
        text = std::string(without_space_left(text));
        break;
      case Kind::strip_right:
        text = std::string(without_space_right(text));
        break;
    }
  }
  return text;
}

}  // namespace puna::text
