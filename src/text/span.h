// A range of bytes in a text: [begin, end).
#pragma once

#include <cstddef>

namespace puna::text {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

}  // namespace puna::text
