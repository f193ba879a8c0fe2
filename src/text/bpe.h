// BPE ("gpt2"): a word's bytes or characters, then the pair that was merged first in training is merged first, until no merge
// applies. (Sennrich et al. 2016, arXiv:1508.07909; bytes as symbols: GPT-2.)
#pragma once

#include <array>
#include <memory>

#include "text/byte_fallback.h"
#include "text/codec.h"
#include "text/merges.h"
#include "text/pretokenizers.h"
#include "text/vocabulary.h"

namespace puna::text {

class Bpe final : public Codec {
 public:
  struct Words {
    WordSplitter splitter{};
    bool whole_words = false;  // a word that is a token becomes it, whatever the merges would make of it
    bool characters = false;   // tokens are made of characters, with U+2581 for spaces, not of bytes
    bool adds_space = false;   // before a text that does not begin with one
    TokenId unk = kNoToken;
    bool fuses_unk = true;  // neighbours become one
  };

  // The vocabulary must outlive the codec. A byte without a token (some vocabularies lack control characters and bytes that
  // UTF-8 never has) becomes nothing, as in the reference. Where tokens are made of characters, one that is no token becomes
  // its bytes' tokens, or else `unk`, or nothing. Errors: those of the merges.
  static Result<std::unique_ptr<Codec>> make(const VocabularyData& data, const Vocabulary& vocabulary, Words words);

  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  struct Scratch;

  Bpe(const Vocabulary& vocabulary, Words words, Merges merges)
      : vocabulary_(vocabulary), words_(std::move(words)), merges_(std::move(merges)) {}

  TokenId whole(std::string_view word, Scratch& scratch) const;
  void encode_words(std::string_view text, std::vector<TokenId>& out) const;
  // The tokens of a word to scratch.ids.
  void encode_word(std::string_view word, Scratch& scratch) const;
  void split_characters(std::string_view word, std::vector<TokenId>& ids) const;
  void merge_short(Scratch& scratch) const;
  void merge_long(Scratch& scratch) const;

  const Vocabulary& vocabulary_;
  Words words_;
  std::array<TokenId, 256> byte_tokens_{};  // of bytes, or of the characters below 0x80
  ByteFallback bytes_;
  Merges merges_;
};

}  // namespace puna::text
