#include "tasks/pull.h"

#include <algorithm>
#include <optional>

#include "base/os.h"
#include "tasks/pull/checked_file.h"
#include "tasks/pull/download.h"
#include "tasks/pull/file_lock.h"
#include "tasks/pull/hub.h"
#include "tasks/pull/packages.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

std::unexpected<Error> not_here(const ModelRef& model) {
  return std::unexpected(
      error(ErrorKind::not_found, "{}: is not on this machine", model.text).with_hint("bring it: puna pull " + model.text));
}

// Where a pulled file lies.
fs::path home_of(const CatalogueEntry& entry, const ModelPlaces& places) { return places.puna / "models" / entry.name; }
fs::path home_of(const HubModel& model, const ModelPlaces& places) { return places.puna / "hf" / model.owner / model.repository; }
fs::path home_of(const WebModel& model, const ModelPlaces& places) {
  return places.puna / "web" / sha256_of(model.url).substr(0, 12);  // two URLs may end in the same name
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Result<Pulled> find(const PathModel& model, const ModelRef& ref, const PullOptions&) {
  std::error_code code;
  const fs::file_status status = fs::status(model.path, code);
  if (status.type() == fs::file_type::not_found)
    return std::unexpected(
        error(ErrorKind::not_found, "{}: no such file", ref.text).with_hint("puna list shows the models of this machine"));
  if (fs::is_directory(status)) {
    std::string files;
    for (const HubFile& file : files_below(model.path)) files += (files.empty() ? "" : ", ") + file.path;
    return std::unexpected(error(ErrorKind::invalid, "{}: is a directory, wanted a file", ref.text)
                               .with_hint(files.empty() ? "no .gguf file lies in it" : "in it: " + files));
  }
  return Pulled{.path = model.path, .note = {}};
}

// A catalogue file with the hash that the catalogue wants; empty where there is none.
Result<std::optional<fs::path>> find_entry(const CatalogueEntry& entry, const PullOptions& options) {
  const fs::path path = home_of(entry, options.places) / entry.file_name;
  if (!is_file(path)) return std::nullopt;
  Meter meter(options.progress, "checking " + entry.name);
  const std::string sha256 = PUNA_TRY(file_sha256(path, meter, options.stop));
  if (sha256 == entry.sha256) return path;
  return std::unexpected(error(ErrorKind::invalid, "{}: wanted sha256 {}, the file has {}", path.string(), entry.sha256, sha256)
                             .with_hint("remove it and bring it again: puna pull " + entry.name));
}

Result<Pulled> find(const CatalogueEntry& entry, const ModelRef& ref, const PullOptions& options) {
  const auto path = PUNA_TRY(find_entry(entry, options));
  return path ? Result<Pulled>(Pulled{.path = *path, .note = {}}) : not_here(ref);
}

Result<Pulled> find(const WebModel& model, const ModelRef& ref, const PullOptions& options) {
  const fs::path path = home_of(model, options.places) / model.file_name;
  return is_file(path) ? Result<Pulled>(Pulled{.path = path, .note = {}}) : not_here(ref);
}

// The snapshot that a hub cache shows for the repository's main branch, or any that is there.
fs::path cached_snapshot(const HubModel& model, const fs::path& cache) {
  const fs::path repository = cache / fmt::format("models--{}--{}", model.owner, model.repository);
  if (auto main = os::read_file(repository / "refs" / "main")) {
    while (!main->empty() && (main->back() == '\n' || main->back() == '\r')) main->pop_back();
    if (is_plain_path(*main) && fs::path(*main).filename() == *main) return repository / "snapshots" / *main;
  }
  const std::vector<fs::path> snapshots = os::entries(repository / "snapshots");
  return snapshots.empty() ? fs::path() : snapshots.front();
}

Result<Pulled> find(const HubModel& model, const ModelRef& ref, const PullOptions& options) {
  std::vector<fs::path> folders{home_of(model, options.places)};
  if (!options.places.hugging_face.empty()) folders.push_back(cached_snapshot(model, options.places.hugging_face));
  for (const fs::path& folder : folders) {
    if (folder.empty()) continue;
    // No bound: what lies here was chosen when it came.
    if (auto choice = choose(files_below(folder), model, 0))
      return Pulled{.path = folder / choice->files.front().path, .note = {}};
  }
  return not_here(ref);
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return fail(ErrorKind::io, "{}: cannot make the folder: {}", folder.string(), code.message());
  return {};
}

// Takes the lock and, unless the file is there by then, brings it.
template <class Is, class Bring>
Result<void> bring_locked(const fs::path& target, const std::string& name, const PullOptions& options, Is is_there, Bring bring) {
  PUNA_TRY(make_folder(target.parent_path()));
  const auto tell = [&] {
    if (options.progress) options.progress({.what = name + " (another puna is bringing it)", .done = 0, .total = 0});
  };
  const FileLock lock = PUNA_TRY(FileLock::take(target, options.stop, tell));
  if (PUNA_TRY(is_there())) return {};
  return bring();
}

Result<Pulled> bring(const PathModel& model, const ModelRef& ref, const PullOptions& options) {
  return find(model, ref, options);
}

Result<Pulled> bring(const CatalogueEntry& entry, const ModelRef&, const PullOptions& options) {
  const fs::path target = home_of(entry, options.places) / entry.file_name;
  const auto is_there = [&]() -> Result<bool> {
    return PUNA_TRY(find_entry(entry, options))
    .has_value();
  };
  const auto assembled = [&] { return assemble(entry, target, options); };
  if (!PUNA_TRY(is_there())) PUNA_TRY(bring_locked(target, entry.name, options, is_there, assembled));
  return Pulled{.path = target, .note = {}};
}

Result<Pulled> bring(const WebModel& model, const ModelRef&, const PullOptions& options) {
  const fs::path target = home_of(model, options.places) / model.file_name;
  const auto is_there = [&]() -> Result<bool> { return is_file(target); };
  const Source source{.url = model.url, .name = model.file_name, .from_hub = false, .expected = {}};
  if (!is_file(target))
    PUNA_TRY(bring_locked(target, model.file_name, options, is_there, [&] { return download(source, target, options); }));
  return Pulled{.path = target, .note = {}};
}

Result<void> check_endpoint(const std::string& endpoint) {
  if (endpoint.starts_with("https://") || endpoint.starts_with("http://")) return {};
  return std::unexpected(error(ErrorKind::invalid, "HF_ENDPOINT {}: is no address of a hub", endpoint)
                             .with_hint(fmt::format("write it with https://, as in {}", kHubEndpoint)));
}

// What to bring: from the hub's listing, or, where a mirror has no listing, just the file that was named.
Result<Choice> choose_on_hub(const HubModel& model, const PullOptions& options) {
  const Source listing{.url = listing_url(options.hf_endpoint, model),
                       .name = fmt::format("{}/{}", model.owner, model.repository),
                       .from_hub = true,
                       .expected = {}};
  auto text = fetch_text(listing, options);
  if (!text && text.error().kind == ErrorKind::not_found && !model.file.empty())
    return Choice{.files = {HubFile{.path = model.file, .size = 0, .sha256 = {}}}, .note = {}};
  if (!text) return std::unexpected(std::move(text).error());
  const auto files = parse_listing(*text);
  if (!files) return std::unexpected(Error(files.error()).within("the hub's list of files of " + listing.name));
  return choose(*files, model, options.memory_bytes);
}

// The file is here and is the one the hub has now.
Result<bool> is_current(const fs::path& target, const HubFile& file, const PullOptions& options) {
  std::error_code code;
  const std::uint64_t size = fs::file_size(target, code);
  if (code || (file.size != 0 && size != file.size)) return false;
  if (file.sha256.empty()) return true;
  Meter meter(options.progress, "checking " + file.path);
  return PUNA_TRY(file_sha256(target, meter, options.stop))
  == file.sha256;
}

Result<Pulled> bring(const HubModel& model, const ModelRef&, const PullOptions& options) {
  PUNA_TRY(check_endpoint(options.hf_endpoint));
  const Choice choice = PUNA_TRY(choose_on_hub(model, options));
  const fs::path home = home_of(model, options.places);
  for (const HubFile& file : choice.files) {
    const fs::path target = home / file.path;
    const Source source{.url = file_url(options.hf_endpoint, model, file.path),
                        .name = target.filename().string(),
                        .from_hub = true,
                        .expected = {.size = file.size, .sha256 = file.sha256}};
    const auto is_there = [&] { return is_current(target, file, options); };
    if (!PUNA_TRY(is_there()))
      PUNA_TRY(bring_locked(target, source.name, options, is_there, [&] { return download(source, target, options); }));
  }
  return Pulled{.path = home / choice.files.front().path, .note = choice.note};
}

}  // namespace

PullOptions pull_options(const Environment& environment, const fs::path& user_home, const fs::path& puna_home) {
  PullOptions options;
  options.places = usual_places(environment, user_home, puna_home);
  if (std::string endpoint = environment("HF_ENDPOINT"); !endpoint.empty()) options.hf_endpoint = std::move(endpoint);
  options.hf_token = environment("HF_TOKEN");
  return options;
}

Result<Pulled> find_local(const ModelRef& model, const PullOptions& options) {
  return std::visit([&](const auto& source) { return find(source, model, options); }, model.source);
}

Result<Pulled> pull(const ModelRef& model, const PullOptions& options) {
  return std::visit([&](const auto& source) { return bring(source, model, options); }, model.source);
}

}  // namespace puna::tasks
