// SentencePiece's precompiled map of characters (tokenizer.ggml.precompiled_charsmap): a double-array trie (Aoe 1989, in the
// layout of the Darts-clone library) of byte sequences, and for each the text that stands for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::text {

class CharsMap {
 public:
  // Error: the trie is longer than the data, or no multiple of four bytes. Anything else that is wrong inside only means that
  // less is found.
  static Result<CharsMap> parse(std::string_view bytes);

  // `text` with each longest sequence that the map has replaced; what it lacks stays.
  std::string apply(std::string_view text) const;

 private:
  struct Found {
    std::size_t length = 0;  // 0: none
    std::string_view text;
  };
  Found longest(std::string_view text, std::size_t at) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;  // each ends with a NUL
};

}  // namespace puna::text
