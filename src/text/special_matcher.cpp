#include "text/special_matcher.h"

#include <algorithm>

#include "text/unicode.h"

namespace puna::text {

namespace {
std::vector<Trie::Entry> texts_of(const std::vector<SpecialMatcher::Entry>& entries) {
  std::vector<Trie::Entry> texts;
  for (std::size_t i = 0; i < entries.size(); ++i) texts.push_back({entries[i].text, static_cast<std::int32_t>(i)});
  return texts;
}

std::vector<SpecialMatcher::Entry> sorted(std::vector<SpecialMatcher::Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return entries;
}
}  // namespace

SpecialMatcher::SpecialMatcher(std::vector<Entry> entries) : entries_(sorted(std::move(entries))), trie_(texts_of(entries_)) {}

namespace {
// The character that ends at `end`, which is more than 0.
Utf8Step character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  const Utf8Step step = utf8_at(text.substr(0, end), begin);
  return step.code != kNotACharacter && begin + step.length == end ? step : Utf8Step{};
}
}  // namespace

// How far the text of a control token that begins at `at` may reach.
std::size_t SpecialMatcher::Walk::control_limit(std::size_t at) {
  if (!options_.parse_special) return 0;
  if (!options_.has_literal_marks) return text_.size();
  while (mark_ < options_.literal.size() && options_.literal[mark_].end <= at) ++mark_;
  const bool inside = mark_ < options_.literal.size() && options_.literal[mark_].begin <= at;
  return inside ? options_.literal[mark_].end : 0;
}

bool SpecialMatcher::Walk::stands_alone(std::size_t begin, std::size_t end) const {
  const bool after_word = begin > 0 && is_word_character(character_before(text_, begin).code);
  return !after_word && (end == text_.size() || !is_word_character(utf8_at(text_, end).code));
}

SpecialMatcher::Match SpecialMatcher::Walk::with_space(const Entry& entry, Match match) const {
  while (entry.strips_left && match.begin > after_last_) {
    const Utf8Step before = character_before(text_, match.begin);
    if (char_class(before.code) != CharClass::space) break;
    match.begin -= before.length;
  }
  while (entry.strips_right && match.end < text_.size()) {
    const Utf8Step after = utf8_at(text_, match.end);
    if (char_class(after.code) != CharClass::space) break;
    match.end += after.length;
  }
  return match;
}

SpecialMatcher::Match SpecialMatcher::Walk::next() {
  for (; at_ < text_.size(); ++at_) {
    if (!matcher_.trie_.begins(text_[at_])) continue;
    const std::size_t limit = control_limit(at_);
    Match match;
    const Entry* found = nullptr;
    matcher_.trie_.prefixes(text_, at_, [&](std::size_t end, std::int32_t place) {
      const Entry& entry = matcher_.entries_[static_cast<std::size_t>(place)];
      if ((entry.control && end > limit) || (entry.single_word && !stands_alone(at_, end))) return;
      match = {at_, end, entry.id};
      found = &entry;
    });
    if (!found) continue;
    match = with_space(*found, match);
    at_ = after_last_ = match.end;
    return match;
  }
  return {text_.size(), text_.size(), kNoToken};
}

}  // namespace puna::text
