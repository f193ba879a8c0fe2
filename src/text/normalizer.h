// What happens to a text before it is cut into words: normal forms, small letters, spaces that become marks. A list of steps,
// each of which sees what the one before made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::text {

struct NormalizerStep {
  enum class Kind : std::uint8_t {
    nfc,
    nfd,
    nfkc,
    nfkd,
    lowercase,
    strip_marks,       // drops \p{M}; a text in nfd loses its accents
    strip_accents,     // drops \p{Mn} only
    clean,             // drops controls and U+FFFD; every space becomes ' '
    space_ideographs,  // ' ' before and after each ideograph
    charsmap,          // `from`: the bytes of a precompiled_charsmap
    collapse_spaces,   // one ' ' for several, none at either end
    mark_words,        // drops all space; U+2581 before each word that does not begin with it
    prepend,           // `to` before a text that is not empty
    prepend_missing,   // … and does not begin with it
    prepend_at_start,  // … and is the beginning of the whole text
    replace,           // `from`, as it is, by `to`
    replace_matches,   // the matches of the pattern `from` by `to`
    strip_left,        // drops space at the beginning
    strip_right,
  };
  Kind kind = Kind::nfc;
  std::string from{};
  std::string to{};
};

// Immutable: threads share one.
class Normalizer {
 public:
  Normalizer();
  ~Normalizer();
  Normalizer(Normalizer&&) noexcept;
  Normalizer& operator=(Normalizer&&) noexcept;

  // Errors: a charsmap or a pattern that is none.
  static Result<Normalizer> make(std::vector<NormalizerStep> steps);

  bool empty() const;
  // at_start: `text` is the beginning of the whole text, and not what stands after a special token.
  std::string apply(std::string_view text, bool at_start) const;

 private:
  struct Step;
  std::vector<Step> steps_;
};

}  // namespace puna::text
