// Unigram ("t5"): of all ways to write a word with tokens the one whose scores, which are logarithms of probabilities, have the
// greatest sum. (Kudo 2018, arXiv:1804.10959; by Viterbi's algorithm.)
#pragma once

#include <memory>

#include "text/byte_fallback.h"
#include "text/codec.h"
#include "text/trie.h"
#include "text/vocabulary.h"

namespace puna::text {

class Unigram final : public Codec {
 public:
  // The vocabulary must outlive the codec. Errors: scores that are missing, too few, too many or not a number. A character
  // that no token begins with becomes its bytes' tokens where all of them exist; otherwise it is part of one `unk` with its
  // like neighbours, or nothing where there is none.
  static Result<std::unique_ptr<Codec>> make(const VocabularyData& data, const Vocabulary& vocabulary, TokenId unk);

  // Spaces are U+2581 already.
  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  struct Scratch;

  Unigram(const Vocabulary& vocabulary, TokenId unk) : vocabulary_(vocabulary), unk_(unk) {}
  std::size_t word_end(std::string_view text, std::size_t begin) const;
  // The tokens of a word to scratch.ids.
  void encode_word(std::string_view word, Scratch& scratch) const;

  const Vocabulary& vocabulary_;
  TokenId unk_;
  std::vector<double> scores_;
  double unk_score_ = 0;
  ByteFallback bytes_;
  Trie trie_;
  bool joins_words_ = false;  // some token has a ▁ after another character
};

}  // namespace puna::text
