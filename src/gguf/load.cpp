#include "gguf/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "gguf/split.h"

namespace puna::gguf {
namespace {
namespace fs = std::filesystem;

// The names in `directory` that `wanted` accepts, sorted.
template <class Wanted>
std::vector<std::string> files_in(const fs::path& directory, Wanted wanted) {
  std::vector<std::string> names;
  std::error_code code;
  for (auto entry = fs::directory_iterator(directory, code); !code && entry != fs::directory_iterator(); entry.increment(code))
    if (std::string name = entry->path().filename().string(); wanted(name)) names.push_back(shown(name));
  std::ranges::sort(names);
  return names;
}

bool ends_in_gguf(std::string_view name) { return name.ends_with(".gguf"); }

// The same in one line; at most eight of them.
template <class Wanted>
std::string list_files(const fs::path& directory, Wanted wanted) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names = files_in(directory, wanted);
  const std::size_t n = names.size();
  names.resize(std::min(n, kShown));
  return fmt::format("{}{}", fmt::join(names, ", "), n > kShown ? fmt::format(" and {} more", n - kShown) : "");
}

Result<ShardContent> load_shard(const fs::path& path, MappedFile::How how, Extent extent) {
  auto file = PUNA_TRY(MappedFile::open(path, how));
  auto content = PUNA_TRY(parse_shard(file.bytes(), path.string(), extent));
  content.shard.file = std::move(file);
  return content;
}

// Helps where the path is not that of a file: a directory that holds models, the name of a split model without its number.
Result<void> check_path(const fs::path& path) {
  std::error_code code;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(path, code)) {
    auto problem = error(ErrorKind::invalid, "{}: is a directory, wanted a GGUF file", path.string());
    const std::string files = list_files(path, ends_in_gguf);
    return std::unexpected(
        std::move(problem).with_hint(files.empty() ? "no file in it ends in .gguf" : "name a file in it: " + files));
  }
  if (fs::exists(path, code) || code) return {};  // what else may be wrong with it is said on opening
  auto problem = error(ErrorKind::not_found, "{}: no such file", path.string());
  const std::string stem = path.stem().string();
  const std::string parts = list_files(directory, [&](std::string_view name) {
    const auto shard = parse_shard_name(name);
    return shard && shard->prefix == stem;
  });
  if (!parts.empty()) return std::unexpected(std::move(problem).with_hint("it is split into parts; name any of them: " + parts));
  if (!fs::is_directory(directory, code))
    return std::unexpected(std::move(problem).with_hint(fmt::format("there is no folder {}", shown(directory.string()))));
  const std::vector<std::string> files = files_in(directory, ends_in_gguf);
  if (const std::string_view meant = nearest(shown(path.filename().string()), files); !meant.empty())
    problem = std::move(problem).with_hint(fmt::format("did you mean {}?", meant));
  return std::unexpected(std::move(problem));
}

std::optional<std::int64_t> integer(const ShardContent& content, std::string_view key) {
  const auto place = content.key_places.find(key);
  if (place == content.key_places.end()) return std::nullopt;
  return content.metadata[place->second].value.as_int();
}

// Says which of a set's files are not there.
Result<void> all_present(const fs::path& directory, const ShardName& set) {
  constexpr int kShown = 8;
  std::vector<std::string> missing;
  int n_missing = 0;
  for (int number = 1; number <= set.count; ++number) {
    const std::string name = shard_name(set.prefix, number, set.count);
    std::error_code code;
    if (fs::exists(directory / name, code)) continue;
    if (++n_missing <= kShown) missing.push_back(name);
  }
  if (n_missing == 0) return {};
  auto problem =
      error(ErrorKind::not_found, "{}: {} of the {} files of this split model are missing: {}{}",
            (directory / set.prefix).string(), n_missing, set.count, fmt::join(missing, ", "), n_missing > kShown ? ", …" : "");
  return std::unexpected(std::move(problem).with_hint("put all parts into one directory, under their own names"));
}

Result<void> check_member(const ShardContent& content, const ShardName& wanted) {
  const auto number = integer(content, "split.no"), count = integer(content, "split.count");
  if (number == wanted.number - 1 && count == wanted.count) return {};
  const auto text = [](std::optional<std::int64_t> value) {
    return value ? fmt::format("{}", *value) : std::string("no number");
  };
  return fail("{}: wanted split.no {} and split.count {}, found {} and {}", content.shard.name, wanted.number - 1, wanted.count,
              text(number), text(count));
}

Result<void> check_total(const std::vector<ShardContent>& set) {
  const auto wanted = integer(set.front(), "split.tensors.count");
  std::size_t found = 0;
  for (const ShardContent& content : set) found += content.tensors.size();
  if (!wanted || *wanted == static_cast<std::int64_t>(found)) return {};
  return fail("{}: key 'split.tensors.count' is {}, but the {} parts hold {} tensors", set.front().shard.name, *wanted,
              set.size(), found);
}

}  // namespace

Result<std::vector<ShardContent>> load_set(const fs::path& path, MappedFile::How how, Extent extent) {
  PUNA_TRY(check_path(path));
  std::vector<ShardContent> set;
  set.push_back(PUNA_TRY(load_shard(path, how, extent)));
  const auto count = integer(set.front(), "split.count");
  if (!count || *count <= 1) return set;

  const auto named = parse_shard_name(path.filename().string());
  if (!named || named->count != *count) {
    const auto number = integer(set.front(), "split.no").value_or(0);
    auto problem = error(ErrorKind::invalid, "{}: is a part of a split model, but its name does not say which", path.string());
    return std::unexpected(std::move(problem).with_hint(
        fmt::format("give all {} parts their names back; this one's ends in -{:05}-of-{:05}.gguf", *count, number + 1, *count)));
  }
  const fs::path directory = path.parent_path();
  ShardContent given = std::move(set.front());
  set.clear();
  PUNA_TRY(check_member(given, *named));
  const bool metadata_only = extent == Extent::metadata;
  if (!metadata_only) PUNA_TRY(all_present(directory, *named));
  const int last = metadata_only ? 1 : named->count;
  for (int number = 1; number <= last; ++number) {
    if (number == named->number)
      set.push_back(std::move(given));
    else
      set.push_back(PUNA_TRY(load_shard(directory / shard_name(named->prefix, number, named->count), how, extent)));
    PUNA_TRY(check_member(set.back(), {named->prefix, number, named->count}));
  }
  if (!metadata_only) PUNA_TRY(check_total(set));
  return set;
}

}  // namespace puna::gguf
