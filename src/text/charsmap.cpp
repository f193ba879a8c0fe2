#include "text/charsmap.h"

#include "text/utf8.h"

namespace puna::text {

namespace {

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// A unit of the array: bits 0-7 the byte that leads here (bit 31 is set in a leaf, so that no byte fits), bit 8 whether a
// text ends here, bits 10-30 the distance to the children, times 256 where bit 9 says so. In a leaf bits 0-30 are a value.
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FF; }
bool ends_here(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t distance(std::uint32_t unit) { return unit >> 10 << ((unit >> 9 & 1) != 0 ? 8 : 0); }
std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFF; }

// The longest real one has 56 bytes; without a bound a file could make gigabytes of a short text.
constexpr std::size_t kLongestText = 256;

}  // namespace

Result<CharsMap> CharsMap::parse(std::string_view bytes) {
  if (bytes.size() < 4) return fail("a precompiled_charsmap has at least 4 bytes, this one {}", bytes.size());
  const std::size_t length = little_endian(bytes, 0);
  if (length % 4 != 0 || length > bytes.size() - 4)
    return fail("precompiled_charsmap: a trie of {} bytes, but there are {}", length, bytes.size() - 4);
  CharsMap map;
  map.units_.reserve(length / 4);
  for (std::size_t at = 4; at < 4 + length; at += 4) map.units_.push_back(little_endian(bytes, at));
  map.texts_ = bytes.substr(4 + length);
  return map;
}

CharsMap::Found CharsMap::longest(std::string_view text, std::size_t at) const {
  Found found;
  if (units_.empty()) return found;
  std::size_t node = distance(units_[0]);
  for (std::size_t i = at; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label(units_[node]) != byte) break;
    const bool ends = ends_here(units_[node]);
    node ^= distance(units_[node]);
    if (!ends) continue;
    if (node >= units_.size() || value(units_[node]) >= texts_.size()) break;
    const std::string_view rest = std::string_view(texts_).substr(value(units_[node]), kLongestText + 1);
    if (const std::size_t end = rest.find('\0'); end != rest.npos) found = {i + 1 - at, rest.substr(0, end)};
  }
  return found;
}

std::string CharsMap::apply(std::string_view text) const {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t at = 0; at < text.size();) {
    const Found found = longest(text, at);
    if (found.length != 0) {
      out += found.text;
      at += found.length;
      continue;
    }
    const Utf8Step step = utf8_at(text, at);
    out.append(text, at, step.length);
    at += step.length;
  }
  return out;
}

}  // namespace puna::text
