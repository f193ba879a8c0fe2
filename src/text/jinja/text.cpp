#include "text/jinja/text.h"

#include <algorithm>
#include <utility>

namespace puna::text::jinja {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::size_t count_chars(std::string_view bytes) {
  std::size_t count = 0;
  for (char byte : bytes) count += is_continuation(byte) ? 0 : 1;
  if (!bytes.empty() && is_continuation(bytes.front())) ++count;
  return count;
}

std::size_t char_end(std::string_view bytes, std::size_t at) {
  ++at;
  while (at < bytes.size() && is_continuation(bytes[at])) ++at;
  return at;
}

std::size_t char_begin(std::string_view bytes, std::size_t at) {
  --at;
  while (at > 0 && is_continuation(bytes[at])) --at;
  return at;
}

std::size_t byte_offset(const Text& text, std::size_t index) {
  if (text.is_ascii()) return index;
  if (index >= text.n_chars) return text.bytes.size();
  std::size_t at = 0;
  while (index-- > 0) at = char_end(text.bytes, at);
  return at;
}

char32_t decode(std::string_view one_char) {
  constexpr char32_t kReplacement = 0xFFFD;
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(one_char[i])); };
  if (one_char.empty()) return kReplacement;
  const char32_t lead = byte(0);
  if (lead < 0x80) return one_char.size() == 1 ? lead : kReplacement;
  const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || one_char.size() != wanted) return kReplacement;
  char32_t code = lead & (0xFFU >> (wanted + 1));
  for (std::size_t i = 1; i < wanted; ++i) code = code << 6U | (byte(i) & 0x3FU);
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[wanted] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kReplacement;
  return code;
}

bool append_utf8(std::string& out, char32_t code) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | code >> 6U);
    push(0x80 | (code & 0x3FU));
  } else if (code < 0x10000) {
    push(0xE0 | code >> 12U);
    push(0x80 | (code >> 6U & 0x3FU));
    push(0x80 | (code & 0x3FU));
  } else {
    push(0xF0 | code >> 18U);
    push(0x80 | (code >> 12U & 0x3FU));
    push(0x80 | (code >> 6U & 0x3FU));
    push(0x80 | (code & 0x3FU));
  }
  return true;
}

TextRef make_text(Text text) {
  text.n_chars = count_chars(text.bytes);
  return std::make_shared<const Text>(std::move(text));
}

TextRef literal_text(std::string bytes) {
  Text text{.bytes = std::move(bytes)};
  if (!text.bytes.empty()) text.literal.push_back({0, text.bytes.size()});
  return make_text(std::move(text));
}

TextRef user_text(std::string bytes) { return make_text(Text{.bytes = std::move(bytes)}); }

TextRef slice_text(const Text& text, Span bytes) {
  TextBuilder part;
  part.append(text, bytes);
  return make_text(part.take(text.markup));
}

void TextBuilder::literal(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t begin = bytes_.size();
  bytes_.append(bytes);
  if (!literal_.empty() && literal_.back().end == begin) {
    literal_.back().end = bytes_.size();
  } else {
    literal_.push_back({begin, bytes_.size()});
  }
}

void TextBuilder::append(const Text& text, Span part) {
  const std::size_t base = bytes_.size();
  bytes_.append(text.bytes, part.begin, part.size());
  auto span = std::upper_bound(text.literal.begin(), text.literal.end(), part.begin,
                               [](std::size_t at, const Span& one) { return at < one.end; });
  for (; span != text.literal.end() && span->begin < part.end; ++span) {
    const std::size_t begin = base + std::max(span->begin, part.begin) - part.begin;
    const std::size_t end = base + std::min(span->end, part.end) - part.begin;
    if (begin == end) continue;
    if (!literal_.empty() && literal_.back().end == begin) {
      literal_.back().end = end;
    } else {
      literal_.push_back({begin, end});
    }
  }
}

Text TextBuilder::take(bool markup) {
  Text text{.bytes = std::exchange(bytes_, {}), .literal = std::exchange(literal_, {}), .markup = markup};
  text.n_chars = count_chars(text.bytes);
  return text;
}

}  // namespace puna::text::jinja
