// Byte-level BPE ("gpt2"): a word's bytes, then the pair that was merged first in training is merged first, until no
// merge applies. (Sennrich et al. 2016, arXiv:1508.07909; bytes as symbols: GPT-2.)
#pragma once

#include <array>
#include <memory>

#include "text/codec.h"
#include "text/pretokenizers.h"
#include "text/vocabulary.h"

namespace puna::text {

class ByteLevelBpe final : public Codec {
 public:
  // The vocabulary must outlive the codec. Merges whose parts or whole are no tokens, or whole a control token, can never
  // apply and are left out, with one warning. A byte without a token (some vocabularies lack control characters and bytes
  // that UTF-8 never has) becomes nothing, as in the reference. Error: a merge that is not two parts.
  static Result<std::unique_ptr<Codec>> make(const VocabularyData& data, const Vocabulary& vocabulary, const PreTokenizer& pre);

  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  struct Merge {
    TokenId left = kNoToken;
    TokenId right = kNoToken;
    TokenId whole = kNoToken;
    std::uint32_t rank = 0;
  };
  struct Scratch;

  ByteLevelBpe(const Vocabulary& vocabulary, const PreTokenizer& pre, bool adds_space)
      : vocabulary_(vocabulary), pre_(pre), words_(pre), adds_space_(adds_space) {}

  Result<void> read_merges(const VocabularyData& data);
  void insert(const Merge& merge);
  const Merge* find(TokenId left, TokenId right) const;
  void encode_words(std::string_view text, std::vector<TokenId>& out) const;
  void encode_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& out) const;
  void merge_short(Scratch& scratch) const;
  void merge_long(Scratch& scratch) const;

  const Vocabulary& vocabulary_;
  PreTokenizer pre_;
  WordSplitter words_;
  bool adds_space_;
  std::array<TokenId, 256> byte_tokens_{};
  std::vector<Merge> merges_;  // open addressing by (left, right); a power of two, at most half full
  std::uint64_t seed_ = 0;
};

}  // namespace puna::text
