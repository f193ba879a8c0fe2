// The models that are on this machine already, also those that other programs brought.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace puna::tasks {

// Looks an environment variable up, empty where it is unset: os::environment, or a test's own.
using Environment = std::function<std::string(std::string_view name)>;

// Where models lie. An empty path is skipped.
struct ModelPlaces {
  std::filesystem::path puna;                 // os::puna_home()
  std::filesystem::path hugging_face;         // the hub cache: models--org--repo/snapshots/REVISION/FILE
  std::filesystem::path llama_cpp;            // a flat folder of .gguf files
  std::vector<std::filesystem::path> ollama;  // each with manifests/ and blobs/
};

// The usual places: HF_HUB_CACHE, HF_HOME, LLAMA_CACHE, OLLAMA_MODELS and XDG_CACHE_HOME are honoured.
ModelPlaces usual_places(const Environment& environment, const std::filesystem::path& user_home,
                         const std::filesystem::path& puna_home);

struct LocalModel {
  std::string name;            // a catalogue name, "hf:org/repo:file", a file name without .gguf, "model:tag"
  std::filesystem::path path;  // what to give to -m; of a split file the first shard
  std::uint64_t size = 0;      // bytes, all shards together
  std::string source;          // "puna", "Hugging Face", "llama.cpp" or "Ollama"
  std::size_t missing_shards = 0;
};

// By source in the order above, then by name. Folders that do not exist or cannot be read are skipped; a file that several
// names lead to is listed once.
std::vector<LocalModel> list_models(const ModelPlaces& places);

// The first of them with that name.
std::optional<LocalModel> find_listed(std::string_view name, const ModelPlaces& places);

}  // namespace puna::tasks
