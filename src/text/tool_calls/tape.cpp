#include "text/tool_calls/tape.h"

namespace puna::text::tool_calls {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Pattern::Pattern(std::string text_, std::span<const std::string> control_texts)
    : text(std::move(text_)), is_token(text.size(), '\0') {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t longest = 0;
    for (const std::string& token : control_texts)
      if (token.size() > longest && text.compare(at, token.size(), token) == 0) longest = token.size();
    for (std::size_t i = 0; i < longest; ++i) is_token[at + i] = 1;
    at += longest > 0 ? longest : 1;
  }
}

Tape::Found Tape::match(const Pattern& pattern, std::size_t at) const {
  const Match unfinished = has_ended_ ? Match::no : Match::partial;
  for (std::size_t i = 0; i < pattern.text.size(); ++i) {
    if (pattern.text[i] == '~') {
      at = skip_space(at);
      if (at == size() && !has_ended_) return {Match::partial, at};
      continue;
    }
    if (at == size()) return {unfinished, at};
    if (text_[at] != pattern.text[i]) return {};
    if (pattern.is_token[i] && origin_[at] == 0) return {};
    ++at;
  }
  return {Match::yes, at};
}

std::size_t Tape::skip_space(std::size_t at) const {
  while (at < size() && is_space(text_[at])) ++at;
  return at;
}

std::size_t Tape::back_over_space(std::size_t at, std::size_t least) const {
  while (at > least && is_space(text_[at - 1])) --at;
  return at;
}

void Tape::append_shown(std::string& out, std::size_t begin, std::size_t end, bool shows_control) const {
  for (std::size_t at = begin; at < end; ++at)
    if (origin_[at] == 0 || (origin_[at] == kControl && shows_control)) out += text_[at];
}

void Tape::forget(std::size_t n) {
  text_.erase(0, n);
  origin_.erase(0, n);
}

}  // namespace puna::text::tool_calls
