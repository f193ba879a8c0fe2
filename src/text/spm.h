// SentencePiece BPE ("llama"): characters, then the neighbours whose union is the token with the highest score are merged
// first; what is no token in the end falls back to bytes. Spaces are written U+2581 (▁). (Kudo and Richardson 2018,
// arXiv:1808.06226.)
#pragma once

#include <array>
#include <memory>

#include "text/byte_fallback.h"
#include "text/codec.h"
#include "text/special_matcher.h"
#include "text/vocabulary.h"

namespace puna::text {

class SentencePieceBpe final : public Codec {
 public:
  // The vocabulary must outlive the codec. Errors: scores that are missing, too few, too many or not a number. A character
  // that is no token becomes its bytes' tokens where all of them exist; otherwise it is part of one `unk` with its like
  // neighbours, or nothing where there is none.
  static Result<std::unique_ptr<Codec>> make(const VocabularyData& data, const Vocabulary& vocabulary, TokenId unk);

  void encode(std::string_view text, std::vector<TokenId>& out) const override;
  void append_bytes(TokenId id, std::string& out) const override;

 private:
  class Word;

  SentencePieceBpe(const Vocabulary& vocabulary, bool adds_prefix, TokenId unk);

  // A token that characters may become, or kNoToken: control, unknown and byte tokens never come from their own text.
  TokenId find(std::string_view text) const;
  // The end of a stretch that begins at `begin` and that no merge can reach beyond.
  std::size_t word_end(std::string_view text, std::size_t begin) const;

  const Vocabulary& vocabulary_;
  bool adds_prefix_;
  TokenId unk_;
  std::vector<float> scores_;
  ByteFallback bytes_;
  std::array<bool, 256> joins_space_{};  // last bytes of characters that stand before a ▁ inside some token
  SpecialMatcher space_runs_;            // user-defined tokens that are several spaces, which win over merges
};

}  // namespace puna::text
