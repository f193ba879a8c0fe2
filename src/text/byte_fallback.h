// The 256 tokens "<0x00>" to "<0xFF>" of vocabularies that are made of characters: what is no token is written as bytes.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace puna::text {

class ByteFallback {
 public:
  ByteFallback() { tokens_.fill(kNoToken); }
  // Of kind byte, or of any kind where the file has no kinds.
  ByteFallback(const VocabularyData& data, const Vocabulary& vocabulary);

  // Whether every byte of it has a token.
  bool covers(std::string_view bytes) const;
  // It must be covered.
  void append(std::string_view bytes, std::vector<TokenId>& out) const;
  // What a token of such a vocabulary stands for: its byte, or its text with plain spaces.
  void append_piece(TokenId id, std::string_view text, std::string& out) const;

 private:
  std::array<TokenId, 256> tokens_{};
};

}  // namespace puna::text
