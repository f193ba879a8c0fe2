// The tokens with a role: begin and end of text, end of turn, fill in the middle; which count as control, and which end a
// generation.
#pragma once

#include <optional>
#include <vector>

#include "text/vocabulary.h"

namespace puna::text {

struct SpecialTokens {
  std::optional<TokenId> bos, eos, unk, eot, eom, sep, pad, mask, fim_pre, fim_suf, fim_mid;
  std::vector<TokenId> eog;   // ascending, each once
  std::vector<bool> control;  // by token; see Tokenizer::is_control()

  // Errors: an id outside the vocabulary, with its key.
  static Result<SpecialTokens> make(const VocabularyData& data, const Vocabulary& vocabulary);
};

}  // namespace puna::text
