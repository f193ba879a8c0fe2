// Byte-level BPE merges inside words only; a pre-tokenizer says where words end. Models differ in nothing else here, so each
// is a row of one table.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::text {

// The end of the word that begins at `begin` (inside `text`); more than `begin`.
using WordEnd = std::size_t (*)(std::string_view text, std::size_t begin);

struct PreTokenizer {
  std::string_view name;  // as tokenizer.ggml.pre says it
  WordEnd word_end;
  bool normalizes = false;   // text goes to normalization form C first
  bool whole_words = false;  // a word that is a token becomes it, whatever the merges would make of it
  bool adds_bos = false;     // where the file does not say
};

// Error: an unknown name, with the known ones.
Result<PreTokenizer> find_pretokenizer(std::string_view name);

}  // namespace puna::text
