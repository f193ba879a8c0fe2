// The text that a model writes, as far as it is not yet understood, and the looking for markers in it. Next to each byte
// stands where it came from: a control token, or the prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace puna::text::tool_calls {

// '~' stands for any white space or none. Where the vocabulary has a token for (a part of) the marker, these bytes count only
// if that token was drawn: text that merely looks like it is text.
struct Pattern {
  std::string text;
  std::string is_token;  // a byte for each byte of `text`: not 0, if it must come from a control token

  Pattern() = default;
  Pattern(std::string text_, std::span<const std::string> control_texts);
  bool empty() const { return text.empty(); }
};

class Tape {
 public:
  static constexpr char kControl = 1;  // of a control token
  static constexpr char kPrompt = 2;   // already in the prompt

  enum class Match : std::uint8_t { no, partial, yes };  // partial: more text could make it one
  struct Found {
    Match match = Match::no;
    std::size_t end = 0;
  };

  void append(std::string_view piece, char origin) {
    text_ += piece;
    origin_.append(piece.size(), origin);
  }
  void end() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }
  std::size_t size() const { return text_.size(); }
  char operator[](std::size_t at) const { return text_[at]; }
  std::string_view view(std::size_t begin, std::size_t end) const { return std::string_view(text_).substr(begin, end - begin); }

  Found match(const Pattern& pattern, std::size_t at) const;
  std::size_t skip_space(std::size_t at) const;
  std::size_t back_over_space(std::size_t at, std::size_t least) const;
  // What a reader is shown of it: nothing of the prompt, and of control tokens only if `shows_control`.
  void append_shown(std::string& out, std::size_t begin, std::size_t end, bool shows_control) const;
  void forget(std::size_t n);  // the first n bytes

 private:
  std::string text_;
  std::string origin_;
  bool has_ended_ = false;
};

bool is_space(char c);

}  // namespace puna::text::tool_calls
