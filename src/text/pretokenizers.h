// Byte-level BPE merges inside words only; a pre-tokenizer says where words end. Models differ in nothing else here, so each
// is a row of one table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/regex.h"
#include "text/span.h"

namespace puna::text {

// The end of the word that begins at `begin` (inside `text`); more than `begin`.
using WordEnd = std::size_t (*)(std::string_view text, std::size_t begin);

struct PreTokenizer {
  std::string_view name;                         // as tokenizer.ggml.pre says it
  WordEnd word_end = nullptr;                    // a splitter written by hand, or
  std::span<const std::string_view> patterns{};  // patterns, each of which cuts up further what the one before left
  bool normalizes = false;                       // text goes to normalization form C first
  bool whole_words = false;                      // a word that is a token becomes it, whatever the merges would make of it
  bool adds_bos = false;                         // where the file does not say
};

// Cuts texts into words. Immutable: threads share one.
class WordSplitter {
 public:
  explicit WordSplitter(const PreTokenizer& pre);
  // Appends the words of `text`, which are all of it.
  void split(std::string_view text, std::vector<Span>& words) const;

 private:
  WordEnd word_end_;
  std::vector<Regex> patterns_;
};

// Error: an unknown name, with the known ones.
Result<PreTokenizer> find_pretokenizer(std::string_view name);

}  // namespace puna::text
