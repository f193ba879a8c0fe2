// Hugging Face repositories: what is in one, and which of its files to take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tasks/pull.h"

namespace puna::tasks {

struct HubFile {
  std::string path;        // in the repository, with / between folders
  std::uint64_t size = 0;  // bytes; 0: not said
  std::string sha256;      // empty: not said
};

struct Choice {
  std::vector<HubFile> files;  // one, or all shards of a split model in order
  std::string note;            // why this quantization; empty where it was named
};

// The repository's files from the hub's answer (JSON). Names that could leave a folder are dropped.
Result<std::vector<HubFile>> parse_listing(std::string_view json);

// The file or quantization that `model` names, with all its shards; without a name the quantization that suits `memory` bytes
// (0: no bound). not_found: no such file, or shards that are missing; out_of_memory: none fits.
Result<Choice> choose(std::span<const HubFile> files, const HubModel& model, std::uint64_t memory);

// Memory that a file of that size wants at least: its weights, a tenth for cache and activations, and 256 MiB.
std::uint64_t memory_for(std::uint64_t file_size);

// The .gguf files below a folder, as if it were a repository.
std::vector<HubFile> files_below(const std::filesystem::path& folder);

// Whether `path` is a relative path in which every piece is a plain name.
bool is_plain_path(std::string_view path);

std::string listing_url(const std::string& endpoint, const HubModel& model);
std::string file_url(const std::string& endpoint, const HubModel& model, const std::string& path);

}  // namespace puna::tasks
