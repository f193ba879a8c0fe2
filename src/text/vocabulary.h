// The tokens themselves, stored compactly: all texts in one string, found by text through an open-addressing table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/hash.h"
#include "text/tokenizer.h"

namespace puna::text {

class Vocabulary {
 public:
  // Checks tokens and kinds. Errors: no tokens, too many, a kind per token missing or unknown.
  static Result<Vocabulary> make(const VocabularyData& data);

  std::size_t size() const { return kinds_.size(); }
  bool contains(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }
  // The id must be in the vocabulary.
  std::string_view text(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(texts_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }
  TokenKind kind(TokenId id) const { return kinds_[static_cast<std::size_t>(id)]; }
  std::size_t longest() const { return longest_; }  // bytes of the longest text

  // The first token with that text, or kNoToken.
  TokenId find(std::string_view text) const { return find(text, hash_bytes(text, seed_)); }
  // The same of many texts, whose ways through memory go side by side.  ids: [texts]
  void find_all(std::span<const std::string_view> texts, std::span<TokenId> ids) const;

 private:
  struct Slot {
    std::uint32_t tag = 0;  // the upper half of the text's hash: tells most texts apart without reading them
    TokenId id = kNoToken;
  };

  void index();
  TokenId find(std::string_view text, std::uint64_t hash) const;

  std::string texts_;
  std::vector<std::uint32_t> ends_;  // [size + 1]; token i is texts_[ends_[i], ends_[i + 1])
  std::vector<TokenKind> kinds_;
  std::vector<Slot> slots_;  // a power of two, at most two thirds full
  std::uint64_t seed_ = 0;
  std::size_t longest_ = 0;
};

// The value of "<0x0A>": exactly two hexadecimal digits. Less than 0: not such a text.
int byte_token_value(std::string_view text);

}  // namespace puna::text
