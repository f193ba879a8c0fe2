// Regular expressions for patterns of our own tables (PCRE2: look-ahead, Unicode classes, just-in-time compiled).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace puna::text {

// Immutable and shared: any number of threads may search with one.
class Regex {
 public:
  // A wrong pattern is our own mistake.
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&&) = delete;

  // Cuts text[range] into its matches and what lies between them, and appends these pieces. What lies outside the range is
  // not there: a look-ahead at its end sees an end. A byte that is not UTF-8 is a piece of its own, and an end as well.
  void split(std::string_view text, Span range, std::vector<Span>& pieces) const;

 private:
  struct Code;
  void split_valid(std::string_view text, Span range, std::vector<Span>& pieces) const;

  std::unique_ptr<Code> code_;
};

}  // namespace puna::text
