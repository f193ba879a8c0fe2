// RWKV's vocabulary of bytes ("rwkv"): at each place the longest token that stands there. (BlinkDL's "world" tokenizer.)
#pragma once

#include <memory>

#include "text/codec.h"
#include "text/trie.h"
#include "text/vocabulary.h"

namespace puna::text {

class GreedyBytes final : public Codec {
 public:
  // The vocabulary must outlive the codec. It writes tokens as Python writes bytes: "\n", "\x00", "\\". Error: an escape that is
  // none. A byte that no token begins with becomes `unk`, or nothing where there is none.
  static Result<std::unique_ptr<Codec>> make(const Vocabulary& vocabulary, TokenId unk);

  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  explicit GreedyBytes(TokenId unk) : unk_(unk) {}

  TokenId unk_;
  std::vector<std::string> texts_;  // by token
  Trie trie_;
};

}  // namespace puna::text
