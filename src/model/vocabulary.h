// The tokenizer that a file describes.
#pragma once

#include <memory>
#include <string_view>

#include "gguf/reader.h"
#include "text/tokenizer.h"

namespace puna::model {

// `pre_tokenizer`: instead of the file's tokenizer.ggml.pre, where it is not empty. Errors name the file and the key.
Result<std::unique_ptr<text::Tokenizer>> load_tokenizer(const gguf::File& file, std::string_view pre_tokenizer = {});

}  // namespace puna::model
