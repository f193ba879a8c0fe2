// A tokenizer.json, the file that Hugging Face's tokenizers write: what of it there is here, and otherwise an error that names
// the part by its path ("pre_tokenizer.pretokenizers[1].type").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/value.h"
#include "text/pipeline.h"
#include "text/tokenizer.h"

namespace puna::text {

class TokenizerJson {
 public:
  // BPE, Unigram and WordPiece; their normalizers, pre-tokenizers, added tokens, and of post-processors and decoders what they
  // say of begin, end and the first space. Errors: by path.
  static Result<TokenizerJson> read(const Value& file);

  // The same as GGUF's keys would say it, with the steps of this file; views of this object, which must outlive their use.
  VocabularyData data() const;
  Result<std::unique_ptr<Tokenizer>> make() const { return Tokenizer::make(data()); }
  // The row of text/pretokenizers that cuts as this file does; empty: there is none.
  std::string_view pre_tokenizer_name() const;

 private:
  friend class TokenizerJsonReader;

  VocabularyData plain_;             // without views
  std::vector<std::string> tokens_;  // by id
  std::vector<std::string> merges_;  // "left right"
  Pipeline pipeline_;
};

}  // namespace puna::text
