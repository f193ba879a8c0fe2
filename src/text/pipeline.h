// How a text becomes words, where a file says so step by step (a tokenizer.json) and not by the name of a pre-tokenizer.
#pragma once

#include <vector>

#include "base/token.h"
#include "text/normalizer.h"
#include "text/pretokenizers.h"

namespace puna::text {

struct AddedToken {
  TokenId id = kNoToken;
  bool normalized = false;   // looked for in the normalized text, not in the text itself
  bool strips_left = false;  // takes the space before it along
  bool strips_right = false;
  bool single_word = false;  // not next to a letter or digit
};

struct Pipeline {
  std::vector<NormalizerStep> normalizer;
  std::vector<SplitStep> splits;
  std::vector<AddedToken> added;  // of the control and user-defined tokens those that have such a flag
  std::vector<double> scores;     // Unigram: as the file has them, finer than a GGUF file's
  bool characters = false;        // BPE: tokens are made of characters, not of bytes
  bool whole_words = false;       // BPE: a word that is a token becomes it, whatever the merges would make of it
  bool fuses_unk = false;         // BPE: neighbouring unknown characters become one token
  bool adds_space = false;        // byte-level BPE: before a text that does not begin with one
};

}  // namespace puna::text
