// A string of a template program: its bytes, and which of them the template's author wrote. Characters are code points, as
// Python counts them; malformed UTF-8 is kept byte for byte, a lone continuation byte belongs to the character before it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace puna::text::jinja {

struct Text {
  std::string bytes;
  std::vector<Span> literal = {};  // bytes from the template; ascending, disjoint, never touching
  std::size_t n_chars = 0;
  bool markup = false;  // already escaped for HTML: what the filters `safe` and `escape` return

  bool is_ascii() const { return n_chars == bytes.size(); }
};
using TextRef = std::shared_ptr<const Text>;

TextRef literal_text(std::string bytes);  // all of it written by the template
TextRef user_text(std::string bytes);     // none of it

std::size_t count_chars(std::string_view bytes);
// The first byte after the character that begins at `at` (< size).
std::size_t char_end(std::string_view bytes, std::size_t at);
// The first byte of the character before `at` (> 0).
std::size_t char_begin(std::string_view bytes, std::size_t at);
// Byte offset of character `index` (≤ n_chars).
std::size_t byte_offset(const Text& text, std::size_t index);
// The code point of one whole character; U+FFFD for malformed bytes.
char32_t decode(std::string_view one_char);
bool append_utf8(std::string& out, char32_t code);  // false (and nothing appended) for surrogates and beyond U+10FFFF

class TextBuilder {
 public:
  void literal(std::string_view bytes);
  void user(std::string_view bytes) { bytes_.append(bytes); }
  void add(std::string_view bytes, bool is_literal) { is_literal ? literal(bytes) : user(bytes); }
  void append(const Text& text) { append(text, {0, text.bytes.size()}); }
  void append(const Text& text, Span part);  // keeps who wrote what
  void reserve(std::size_t n_bytes) { bytes_.reserve(n_bytes); }

  std::size_t size() const { return bytes_.size(); }
  Text take(bool markup = false);  // and empties the builder

 private:
  std::string bytes_;
  std::vector<Span> literal_;
};

// Whether the character that begins at byte `at` is the template's own; for walks from front to back.
class OriginCursor {
 public:
  explicit OriginCursor(const Text& text) : spans_(text.literal) {}
  bool is_literal(std::size_t at) {
    while (next_ < spans_.size() && spans_[next_].end <= at) ++next_;
    return next_ < spans_.size() && spans_[next_].begin <= at;
  }

 private:
  const std::vector<Span>& spans_;
  std::size_t next_ = 0;
};

TextRef make_text(Text text);
TextRef slice_text(const Text& text, Span bytes);  // keeps origin and markup

}  // namespace puna::text::jinja
