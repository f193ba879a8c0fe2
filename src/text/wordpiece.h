// WordPiece ("bert"): from a word's beginning the longest token that fits, then the longest that goes on, and so forth; a word
// that cannot be written so is one unknown token. (Devlin et al. 2018, arXiv:1810.04805.)
#pragma once

#include <memory>

#include "text/codec.h"
#include "text/trie.h"
#include "text/vocabulary.h"

namespace puna::text {

class WordPiece final : public Codec {
 public:
  // The vocabulary must outlive the codec. It writes the beginning of a word as U+2581 (▁) and what goes on without a mark, as
  // GGUF files do ("▁play", "ing").
  WordPiece(const Vocabulary& vocabulary, TokenId unk);

  // The text is normalized already: words end at spaces, and every sign is a word.
  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  void encode_word(std::string_view word, std::string& marked, std::vector<TokenId>& out) const;

  const Vocabulary& vocabulary_;
  TokenId unk_;
  Trie trie_;
};

}  // namespace puna::text
