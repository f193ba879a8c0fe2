#include "tasks/pull/hub.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/os.h"
#include "base/value.h"
#include "gguf/split.h"
#include "tasks/pull/sha256.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

// In the order in which puna takes them when nobody names one: the one with the best balance, then by quality, then
// unquantized weights, which are slower and need the most memory.
constexpr std::string_view kDefaultQuantization = "Q4_K_M";
constexpr std::string_view kPreference[] = {kDefaultQuantization,
                                            "Q8_0",
                                            "Q6_K_L",
                                            "Q6_K",
                                            "Q5_K_L",
                                            "Q5_K_M",
                                            "Q5_K",
                                            "Q5_K_S",
                                            "Q5_1",
                                            "Q5_0",
                                            "Q4_K_L",
                                            "Q4_K",
                                            "Q4_1",
                                            "Q4_K_S",
                                            "IQ4_NL",
                                            "Q4_0",
                                            "IQ4_XS",
                                            "Q3_K_L",
                                            "Q3_K_M",
                                            "Q3_K",
                                            "Q3_K_S",
                                            "Q2_K_L",
                                            "Q2_K",
                                            "BF16",
                                            "F16",
                                            "FP16",
                                            "F32"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool is_word(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9'); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

// Whether a path speaks of a quantization: "dir/model-Q4_K_M.gguf" of Q4_K_M, but not of Q4_K (a longer name goes on) nor of K_M.
bool names(std::string_view path, std::string_view quantization) {
  const std::string where = lower(path), what = lower(quantization);
  for (std::size_t at = where.find(what); at != std::string::npos; at = where.find(what, at + 1)) {
    const std::size_t end = at + what.size();
    const bool starts = at == 0 || !is_word(where[at - 1]);
    const bool ends = end == where.size() || (!is_word(where[end]) && where[end] != '_');
    if (starts && ends && !what.empty()) return true;
  }
  return false;
}

bool is_gguf(std::string_view path) { return lower(path).ends_with(".gguf"); }

// Vision projectors and importance matrices lie beside models and are none.
bool is_model(std::string_view path) {
  const std::string name = lower(path.substr(path.rfind('/') + 1));
  return is_gguf(name) && name.find("mmproj") == std::string::npos && name.find("imatrix") == std::string::npos;
}

// One model: a file, or all shards of one.
struct Group {
  std::string name;  // path of the file or of the first shard
  std::vector<HubFile> files;
  std::vector<std::string> missing;
  std::uint64_t size = 0;
};

// Files by path.
using Index = std::map<std::string_view, const HubFile*>;

Index index_of(std::span<const HubFile> files) {
  Index index;
  for (const HubFile& file : files) index.emplace(file.path, &file);
  return index;
}

constexpr std::size_t kMostNamed = 12;  // in one message

Group group_of(const Index& files, const HubFile& member) {
  const auto shard = gguf::parse_shard_name(member.path);
  if (!shard) return {.name = member.path, .files = {member}, .missing = {}, .size = member.size};
  Group group{.name = gguf::shard_name(shard->prefix, 1, shard->count), .files = {}, .missing = {}, .size = 0};
  // A name may promise more shards than anyone wants to read of.
  for (int number = 1; number <= shard->count && group.missing.size() <= kMostNamed; ++number) {
    std::string path = gguf::shard_name(shard->prefix, number, shard->count);
    if (const auto found = files.find(path); found != files.end()) {
      group.files.push_back(*found->second);
      group.size += found->second->size;
    } else {
      group.missing.push_back(std::move(path));
    }
  }
  return group;
}

// What group_of calls the file's group.
std::string group_name(const std::string& path) {
  const auto shard = gguf::parse_shard_name(path);
  return shard ? gguf::shard_name(shard->prefix, 1, shard->count) : path;
}

std::vector<Group> groups_of(std::span<const HubFile> files) {
  const Index index = index_of(files);
  std::vector<Group> groups;
  std::set<std::string> seen;
  for (const HubFile& file : files)
    if (is_model(file.path) && seen.insert(group_name(file.path)).second) groups.push_back(group_of(index, file));
  return groups;
}

std::string repository_of(const HubModel& model) { return fmt::format("hf:{}/{}", model.owner, model.repository); }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kMostNamed) text += ", …";
  return text;
}

Result<Choice> take(const HubModel& model, Group group, std::string note) {
  if (group.missing.empty()) return Choice{std::move(group.files), std::move(note)};
  return fail(ErrorKind::not_found, "{}: {} is split, and these shards are missing: {}", repository_of(model), group.name,
              list_of(group.missing));
}

std::unexpected<Error> not_offered(const HubModel& model, std::string_view wanted, const std::vector<Group>& groups) {
  std::vector<std::string> names;
  for (const Group& group : groups) names.push_back(group.name);
  return std::unexpected(error(ErrorKind::not_found, "{}: has no {}", repository_of(model), wanted)
                             .with_hint(names.empty() ? "it holds no GGUF file: look for a repository whose name ends in -GGUF"
                                                      : "it has: " + list_of(names)));
}

bool fits(const Group& group, std::uint64_t memory) { return memory == 0 || memory_for(group.size) <= memory; }

struct Candidate {
  const Group* group = nullptr;
  std::string_view quantization;
};

// Whole models in the order of preference; those of other quantizations last.
std::vector<Candidate> candidates_of(const std::vector<Group>& groups) {
  std::vector<Candidate> result;
  std::set<const Group*> taken;
  for (const std::string_view quantization : kPreference)
    for (const Group& group : groups)
      if (group.missing.empty() && names(group.name, quantization) && taken.insert(&group).second)
        result.push_back({&group, quantization});
  for (const Group& group : groups)
    if (group.missing.empty() && taken.insert(&group).second) result.push_back({&group, ""});
  return result;
}

// Why the candidate at `at` was taken.
std::string reason(const std::vector<Candidate>& candidates, std::size_t at, std::uint64_t memory) {
  const auto text = [](const Candidate& candidate) {
    const std::string_view name = candidate.quantization.empty() ? candidate.group->name : candidate.quantization;
    return candidate.group->size ? fmt::format("{} ({})", name, os::size_text(candidate.group->size)) : std::string(name);
  };
  const std::string chosen = text(candidates[at]);
  if (candidates[at].quantization == kDefaultQuantization) return fmt::format("taking {}, the usual choice", chosen);
  if (candidates.size() == 1) return fmt::format("taking {}, the only one there", chosen);
  const std::string_view bound = memory != 0 ? " that fits in memory" : " there";
  if (candidates[0].quantization == kDefaultQuantization)
    return fmt::format("taking {}, the best{}: {} does not fit in {}", chosen, bound, text(candidates[0]), os::size_text(memory));
  return fmt::format("taking {}, the best{}: there is no {}", chosen, bound, kDefaultQuantization);
}

Result<Choice> choose_freely(const HubModel& model, const std::vector<Group>& groups, std::uint64_t memory) {
  const std::vector<Candidate> candidates = candidates_of(groups);
  if (candidates.empty()) return not_offered(model, "whole GGUF model", groups);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (fits(*candidates[i].group, memory)) return take(model, *candidates[i].group, reason(candidates, i, memory));
  const auto by_size = [](const Candidate& candidate) { return candidate.group->size; };
  const Group& smallest = *std::ranges::min_element(candidates, {}, by_size)->group;
  return std::unexpected(
      error(ErrorKind::out_of_memory, "{}: no file fits in {} of memory; the smallest, {}, wants {}", repository_of(model),
            os::size_text(memory), smallest.name, os::size_text(memory_for(smallest.size)))
          .with_hint(fmt::format("to bring it all the same, name it: {}:{}", repository_of(model), smallest.name)));
}

}  // namespace

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.size() > 1024) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view piece = path.substr(at, end - at);
    if (piece.empty() || piece == "." || piece == ".." || piece.size() > 200) return false;
    for (const char c : piece)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\' || c == ':') return false;
    at = end + 1;
  }
  return true;
}

std::uint64_t memory_for(std::uint64_t file_size) { return file_size + file_size / 10 + (256ull << 20); }

Result<std::vector<HubFile>> parse_listing(std::string_view text) {
  const Value answer = PUNA_TRY(json::parse(text));
  const Value* siblings = answer.find("siblings");
  if (!siblings || !siblings->if_array()) return fail("has no 'siblings'");
  std::vector<HubFile> files;
  const auto size_of = [](const Value* size) {
    return size && size->if_int() && *size->if_int() > 0 ? static_cast<std::uint64_t>(*size->if_int()) : 0;
  };
  for (const Value& sibling : *siblings->if_array()) {
    const Value* name = sibling.find("rfilename");
    if (!name || !name->if_string() || !is_plain_path(*name->if_string())) continue;
    HubFile file{.path = *name->if_string(), .size = size_of(sibling.find("size")), .sha256 = {}};
    if (const Value* lfs = sibling.find("lfs")) {
      if (const Value* sha256 = lfs->find("sha256"); sha256 && sha256->if_string() && is_sha256(*sha256->if_string()))
        file.sha256 = *sha256->if_string();
      if (file.size == 0) file.size = size_of(lfs->find("size"));
    }
    files.push_back(std::move(file));
  }
  return files;
}

Result<Choice> choose(std::span<const HubFile> files, const HubModel& model, std::uint64_t memory) {
  const std::vector<Group> groups = groups_of(files);
  if (!model.file.empty()) {
    const Index index = index_of(files);
    const auto found = index.find(model.file);
    if (found == index.end()) return not_offered(model, "file " + model.file, groups);
    return take(model, group_of(index, *found->second), "");
  }
  if (model.quantization.empty()) return choose_freely(model, groups, memory);
  const Group* best = nullptr;  // of several (a plain one and a variant of it) the shortest name is the plain one
  for (const Group& group : groups)
    if (names(group.name, model.quantization) && (!best || group.name.size() < best->name.size())) best = &group;
  return best ? take(model, *best, "") : not_offered(model, "quantization " + model.quantization, groups);
}

std::vector<HubFile> files_below(const fs::path& folder) {
  std::vector<HubFile> files;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, code), end; !code && at != end;
       at.increment(code)) {
    std::error_code gone;
    if (!is_gguf(at->path().filename().string()) || !at->is_regular_file(gone)) continue;
    const std::uint64_t size = at->file_size(gone);
    if (!gone) files.push_back({.path = at->path().lexically_relative(folder).generic_string(), .size = size, .sha256 = {}});
  }
  std::ranges::sort(files, {}, &HubFile::path);
  return files;
}

namespace {

// What RFC 3986 lets stand in a path, and the slash; the rest in percent.
std::string escaped(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (is_word(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == '/')
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string without_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace

std::string listing_url(const std::string& endpoint, const HubModel& model) {
  return fmt::format("{}/api/models/{}/{}?blobs=true", without_slash(endpoint), model.owner, model.repository);
}

std::string file_url(const std::string& endpoint, const HubModel& model, const std::string& path) {
  return fmt::format("{}/{}/{}/resolve/main/{}", without_slash(endpoint), model.owner, model.repository, escaped(path));
}

}  // namespace puna::tasks
