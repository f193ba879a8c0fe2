// BPE merges inside words only; a pre-tokenizer says where words end. Models differ in nothing else here, so each is a row of
// one table: patterns as their own files write them, and a few flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/regex.h"
#include "text/span.h"

namespace puna::text {

// Cuts text[begin, text's end) into pieces, none of them empty, and appends these.
using CutFunction = void (*)(std::string_view text, std::size_t begin, std::vector<Span>& pieces);

struct PreTokenizer {
  std::string_view name;                         // as tokenizer.ggml.pre says it
  std::span<const std::string_view> patterns{};  // each cuts up further what the one before left
  bool normalizes = false;                       // text goes to normalization form C first
  bool whole_words = false;                      // a word that is a token becomes it, whatever the merges would make of it
  bool adds_bos = false;                         // where the file does not say
  bool characters = false;                       // tokens are made of characters, with U+2581 for spaces, not of bytes
};

// One cut of all pieces.
struct SplitStep {
  enum class Behaviour : std::uint8_t {
    isolated,  // each match is a piece, and so is what lies between two
    removed,   // matches are no piece: they are lost
    merged_with_previous,
    merged_with_next,
    contiguous,  // neighbouring matches are one piece
  };
  std::string pattern{};
  Behaviour behaviour = Behaviour::isolated;
  bool invert = false;  // what lies between matches takes their place
};

// Cuts texts into words. Immutable: threads share one.
class WordSplitter {
 public:
  // Error: a pattern that is none.
  static Result<WordSplitter> make(std::span<const SplitStep> steps);
  static Result<WordSplitter> make(const PreTokenizer& pre);
  // Appends the words of `text`; unless a step removes something, they are all of it. None is empty.
  void split(std::string_view text, std::vector<Span>& words) const;

 private:
  struct Cut {
    CutFunction function = nullptr;  // instead of the pattern, where there is one
    std::vector<Regex> pattern{};    // one, or none
    SplitStep::Behaviour behaviour = SplitStep::Behaviour::isolated;
    bool invert = false;
  };
  std::vector<Cut> cuts_;
};

// Error: an unknown name, with the known ones.
Result<PreTokenizer> find_pretokenizer(std::string_view name);

// The row that a file means whose tokenizer.ggml.model is this, where it names none itself: empty, or the model's own. Nothing
// where the model is no BPE.
std::optional<std::string_view> row_of_model(std::string_view model);

// A pattern with its line ends as escapes: files have both forms.
std::string with_escaped_newlines(std::string_view pattern);

// Patterns that have a function: it cuts any text as the pattern does (as the behaviour isolated), without a stack and reading
// each byte a few times at most.
struct HandWritten {
  std::string_view pattern;
  CutFunction cut;
  bool covers = false;  // the pattern's matches leave nothing between them
};
std::span<const HandWritten> hand_written_patterns();

}  // namespace puna::text
