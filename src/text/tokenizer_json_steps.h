// The normalizers and pre-tokenizers of a tokenizer.json, as the steps of a pipeline.
#pragma once

#include <string>

#include "base/value.h"
#include "text/pipeline.h"

namespace puna::text {

// A value of the file and where it lies there.
class JsonPlace {
 public:
  JsonPlace(const Value* value, std::string path) : value_(value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  const Value* value() const { return value_; }  // null: there is none
  bool is_null() const { return value_ == nullptr || value_->is_null(); }
  JsonPlace operator[](std::string_view key) const;
  // Its elements; none where it is no array.
  std::vector<JsonPlace> items() const;

  // Errors: another type, or missing where no default is given.
  Result<std::string> text() const;
  Result<bool> flag(bool otherwise) const;
  Result<std::int64_t> number() const;
  // "…path is 'X', which is not supported"
  std::unexpected<Error> unsupported(std::string_view what) const;
  std::unexpected<Error> wrong(std::string_view wanted) const;

 private:
  const Value* value_;
  std::string path_;
};

// Appends to the pipeline what these say. byte_level is set where the tokens are made of bytes; marks_words: words have got a
// U+2581 before them.
struct JsonSteps {
  explicit JsonSteps(Pipeline& out) : pipeline(out) {}

  Pipeline& pipeline;
  bool byte_level = false;
  bool marks_words = false;
  bool bert_words = false;  // BERT's own cuts, which its model makes itself

  Result<void> normalizer(const JsonPlace& place);
  Result<void> pre_tokenizer(const JsonPlace& place);

 private:
  Result<void> bert_normalizer(const JsonPlace& place);
  Result<void> replace(const JsonPlace& place);
  Result<void> split(const JsonPlace& place);
  Result<void> metaspace(const JsonPlace& place);
  Result<void> byte_level_step(const JsonPlace& place);
  void add(NormalizerStep::Kind kind, std::string from = {}, std::string to = {});

  bool words_apart_ = false;  // the step before left nothing but words without space
};

}  // namespace puna::text
