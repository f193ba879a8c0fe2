// Inside the room: files from disk, a split model's whole set.
#pragma once

#include <filesystem>
#include <vector>

#include "base/mapped_file.h"
#include "gguf/parse.h"

namespace puna::gguf {

// The file, or all files of its set in order. Of a split model's metadata alone: its first file.
Result<std::vector<ShardContent>> load_set(const std::filesystem::path& path, MappedFile::How how, Extent extent);

}  // namespace puna::gguf
