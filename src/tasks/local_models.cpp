#include "tasks/local_models.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/os.h"
#include "base/value.h"
#include "gguf/split.h"
#include "tasks/pull/hub.h"
#include "tasks/pull/sha256.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

// Collects, each file once however many names lead to it.
class Collection {
 public:
  void add(LocalModel model) {
    std::error_code code;
    const fs::path real = fs::canonical(model.path, code);
    if (!code && seen_.insert(real.string()).second) models_.push_back(std::move(model));
  }
  // The models added since the last call of this, by name.
  void close_source() {
    std::sort(models_.begin() + static_cast<std::ptrdiff_t>(sorted_), models_.end(),
              [](const LocalModel& a, const LocalModel& b) { return std::tie(a.name, a.path) < std::tie(b.name, b.path); });
    sorted_ = models_.size();
  }
  std::vector<LocalModel> take() { return std::move(models_); }

 private:
  std::vector<LocalModel> models_;
  std::set<std::string> seen_;
  std::size_t sorted_ = 0;
};

// Every model below a folder; `name_of` makes its name from its path in there. The shards of a split one count as one.
template <class Name>
void add_folder(Collection& collection, const fs::path& folder, const std::string& source, Name name_of) {
  const std::vector<HubFile> files = files_below(folder);
  for (const HubFile& file : files) {
    const auto shard = gguf::parse_shard_name(file.path);
    LocalModel model{.name = name_of(file.path), .path = folder / file.path, .size = file.size, .source = source};
    if (shard) {
      std::size_t here = 0;
      const HubFile* first = nullptr;
      model.size = 0;
      for (const HubFile& other : files) {
        const auto its = gguf::parse_shard_name(other.path);
        if (!its || its->prefix != shard->prefix || its->count != shard->count) continue;
        if (!first) first = &other;  // the list is sorted
        ++here;
        model.size += other.size;
      }
      if (first->path != file.path) continue;
      model.missing_shards = static_cast<std::size_t>(shard->count) - std::min(here, static_cast<std::size_t>(shard->count));
    }
    collection.add(std::move(model));
  }
}

// "models--org--repo" is of org/repo.
std::string name_in_hub_cache(std::string_view folder) {
  const auto at = folder.find("--");
  if (at == std::string_view::npos) return std::string(folder);
  return fmt::format("{}/{}", folder.substr(0, at), folder.substr(at + 2));
}

// In puna's home: models/NAME/FILE is a catalogue name, hf/OWNER/REPOSITORY/FILE a name of the hub.
std::string name_in_home(const std::string& path) {
  std::vector<std::string> pieces;
  for (const fs::path& piece : fs::path(path)) pieces.push_back(piece.string());
  if (pieces.size() == 3 && pieces[0] == "models") return pieces[1];
  if (pieces.size() >= 4 && pieces[0] == "hf")
    return fmt::format("hf:{}/{}:{}", pieces[1], pieces[2],
                       path.substr(pieces[0].size() + pieces[1].size() + pieces[2].size() + 3));
  return fs::path(path).stem().string();
}

void add_hub_cache(Collection& collection, const fs::path& cache) {
  constexpr std::string_view kPrefix = "models--";
  for (const fs::path& repository : os::entries(cache)) {
    const std::string folder = repository.filename().string();
    if (!folder.starts_with(kPrefix)) continue;
    const std::string name = name_in_hub_cache(folder.substr(kPrefix.size()));
    for (const fs::path& snapshot : os::entries(repository / "snapshots"))
      add_folder(collection, snapshot, "Hugging Face",
                 [&](const std::string& path) { return fmt::format("hf:{}:{}", name, path); });
  }
}

// The blob that an Ollama manifest names as the model, with its size; empty where it names none. A digest is taken only as
// 64 hexadecimal digits: it becomes a path.
std::optional<std::pair<std::string, std::uint64_t>> model_blob(const fs::path& manifest) {
  constexpr std::string_view kMediaType = "application/vnd.ollama.image.model", kDigest = "sha256:";
  std::error_code code;
  if (fs::file_size(manifest, code) > (1 << 20) || code) return std::nullopt;
  const auto text = os::read_file(manifest);
  if (!text) return std::nullopt;
  const auto parsed = json::parse(*text);
  const Value* layers = parsed ? parsed->find("layers") : nullptr;
  if (!layers || !layers->if_array()) return std::nullopt;
  for (const Value& layer : *layers->if_array()) {
    const Value* type = layer.find("mediaType");
    const Value* digest = layer.find("digest");
    if (!type || *type != Value(kMediaType) || !digest || !digest->if_string()) continue;
    const std::string_view value = *digest->if_string();
    if (!value.starts_with(kDigest) || !is_sha256(value.substr(kDigest.size()))) continue;
    const Value* size = layer.find("size");
    const bool known = size && size->if_int() && *size->if_int() > 0;
    return std::pair{fmt::format("sha256-{}", value.substr(kDigest.size())),
                     known ? static_cast<std::uint64_t>(*size->if_int()) : 0};
  }
  return std::nullopt;
}

// manifests/HOST/NAMESPACE/MODEL/TAG, as Ollama itself shows them: the usual host and namespace are left out.
void add_ollama(Collection& collection, const fs::path& root) {
  const fs::path manifests = root / "manifests";
  std::error_code code;
  for (fs::recursive_directory_iterator at(manifests, fs::directory_options::skip_permission_denied, code), end;
       !code && at != end; at.increment(code)) {
    std::error_code gone;
    if (!at->is_regular_file(gone)) continue;
    const auto blob = model_blob(at->path());
    if (!blob) continue;
    const fs::path path = root / "blobs" / blob->first;
    if (!fs::is_regular_file(path, gone)) continue;
    const fs::path place = at->path().lexically_relative(manifests);
    std::string name = fmt::format("{}:{}", place.parent_path().generic_string(), place.filename().string());
    for (const std::string_view usual : {"registry.ollama.ai/", "library/"})
      if (name.starts_with(usual)) name.erase(0, usual.size());
    collection.add({.name = name, .path = path, .size = fs::file_size(path, gone), .source = "Ollama"});
  }
}

}  // namespace

ModelPlaces usual_places(const Environment& environment, const fs::path& user_home, const fs::path& puna_home) {
  const auto set = [&](std::string_view name) { return fs::path(environment(name)); };
  const fs::path cache = set("XDG_CACHE_HOME").empty() ? user_home / ".cache" : set("XDG_CACHE_HOME");
  ModelPlaces places{.puna = puna_home, .hugging_face = set("HF_HUB_CACHE"), .llama_cpp = set("LLAMA_CACHE"), .ollama = {}};
  if (places.hugging_face.empty())
    places.hugging_face = (set("HF_HOME").empty() ? cache / "huggingface" : set("HF_HOME")) / "hub";
  if (places.llama_cpp.empty()) places.llama_cpp = cache / "llama.cpp";
  if (!set("OLLAMA_MODELS").empty()) places.ollama.push_back(set("OLLAMA_MODELS"));
  // A person's own, and that of the service the installer sets up.
  places.ollama.push_back(user_home / ".ollama" / "models");
  places.ollama.push_back("/usr/share/ollama/.ollama/models");
  return places;
}

std::optional<LocalModel> find_listed(std::string_view name, const ModelPlaces& places) {
  for (LocalModel& model : list_models(places))
    if (model.name == name) return std::move(model);
  return std::nullopt;
}

std::vector<LocalModel> list_models(const ModelPlaces& places) {
  Collection collection;
  const auto stem = [](const std::string& path) { return fs::path(path).stem().string(); };
  if (!places.puna.empty()) add_folder(collection, places.puna, "puna", name_in_home);
  collection.close_source();
  if (!places.hugging_face.empty()) add_hub_cache(collection, places.hugging_face);
  collection.close_source();
  if (!places.llama_cpp.empty()) add_folder(collection, places.llama_cpp, "llama.cpp", stem);
  collection.close_source();
  for (const fs::path& root : places.ollama) add_ollama(collection, root);
  collection.close_source();
  return collection.take();
}

}  // namespace puna::tasks
