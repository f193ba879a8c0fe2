// What a GGUF file holds, as data: the content of `puna gguf info --json`.
#pragma once

#include "base/value.h"
#include "gguf/reader.h"

namespace puna::gguf {

// {path, version, alignment, size, shards?: [names], metadata: {key: value, …}, tensors: [{name, type, shape, bytes, offset,
// shard?}], types: [{type, tensors, bytes}], parameters}. An array of more than 8 elements is {type, count, first: [8]};
// "shards" and "shard" stand only in split models. A type that this engine does not have is shown with its number, as
// "IQ2_XXS (16)", and without "bytes", which nobody here knows.
Value describe(const File& file);
Value describe(const MetaValue& value);

}  // namespace puna::gguf
