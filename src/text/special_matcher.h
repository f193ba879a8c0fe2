// Finds the texts of special tokens in a text: at each place the longest one, by walking a trie.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace puna::text {

class SpecialMatcher {
 public:
  // Longer texts are never looked for: this bounds the work at each byte, and no real token comes near it.
  static constexpr std::size_t kLongestText = 256;

  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId id = kNoToken;
  };

  struct Entry {
    std::string text;
    TokenId id = kNoToken;
    bool control = false;  // see Tokenizer::is_control()
  };

  // Of equal texts the one with the lowest id counts.
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

    const SpecialMatcher& matcher_;
    std::string_view text_;
    const EncodeOptions& options_;
    std::size_t at_ = 0;
    std::size_t mark_ = 0;
  };

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::uint16_t n_children = 0;  // side by side, ascending by byte
    std::uint8_t byte = 0;
    bool control = false;
    TokenId id = kNoToken;  // the token whose text ends here
  };

  const Node* child(const Node& node, unsigned char byte) const;

  std::vector<Node> nodes_;         // nodes_[0] is the root
  std::array<bool, 256> begins_{};  // bytes with which a text begins
};

}  // namespace puna::text
