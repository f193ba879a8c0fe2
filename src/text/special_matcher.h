// Finds the texts of special tokens in a text: at each place the longest one, by walking a trie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/trie.h"

namespace puna::text {

class SpecialMatcher {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId id = kNoToken;
  };

  struct Entry {
    std::string text{};
    TokenId id = kNoToken;
    bool control = false;       // see Tokenizer::is_control()
    bool strips_left = false;   // a match takes the space before it along
    bool strips_right = false;  // … after it
    bool single_word = false;   // no match next to a letter or digit
  };

  // Of equal texts the one with the lowest id counts. Texts longer than Trie::kLongestText are never looked for.
  explicit SpecialMatcher(std::vector<Entry> entries);

  // Walks a text from left to right.
  class Walk {
   public:
    Walk(const SpecialMatcher& matcher, std::string_view text, const EncodeOptions& options)
        : matcher_(matcher), text_(text), options_(options) {}
    // The next special token; id is kNoToken (and begin the text's end) where there is none.
    Match next();

   private:
    std::size_t control_limit(std::size_t at);
    bool stands_alone(std::size_t begin, std::size_t end) const;
    Match with_space(const Entry& entry, Match match) const;

    const SpecialMatcher& matcher_;
    std::string_view text_;
    const EncodeOptions& options_;
    std::size_t at_ = 0;
    std::size_t mark_ = 0;
    std::size_t after_last_ = 0;  // match
  };

 private:
  std::vector<Entry> entries_;
  Trie trie_;  // of places in entries_
};

}  // namespace puna::text
