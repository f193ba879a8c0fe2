// The tokenizer that a file describes.
#pragma once

#include <memory>
#include <string_view>

#include "gguf/reader.h"
#include "text/tokenizer.h"

namespace puna::model {

// `pre_tokenizer`: what --pre says, instead of the file's tokenizer.ggml.pre, where it is not empty. Errors name the file and the
// key, or --pre: an unknown name, and any name where the vocabulary's kind has no pre-tokenizer.
Result<std::unique_ptr<text::Tokenizer>> load_tokenizer(const gguf::File& file, std::string_view pre_tokenizer = {});

}  // namespace puna::model
