// What the kinds of vocabulary have in common for the tokenizer: a stretch of text without special tokens to ids, and an
// ordinary token to bytes. One file per kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/token.h"

namespace puna::text {

class Codec {
 public:
  virtual ~Codec() = default;
  // Nothing stands before it, or a special token does: a space prefix belongs there, if the vocabulary has one.
  virtual void encode(std::string_view text, std::vector<TokenId>& out) const = 0;
  // What a token of the vocabulary stands for, unless it stands for its own text.
  virtual void append_bytes(TokenId id, std::string& out) const = 0;
};

}  // namespace puna::text
