#include "gguf/reader.h"

#include "base/os.h"
#include "gguf/load.h"
#include "gguf/parse.h"
#include "gguf/tensor_check.h"

namespace puna::gguf {
namespace {

// Before memory is taken for good: a model that does not fit is told with both numbers.
Result<void> check_memory(const std::vector<ShardContent>& set, const std::string& name, bool locked) {
  std::uint64_t wanted = 0;
  for (const ShardContent& content : set) wanted += content.shard.bytes.size();
  const std::uint64_t available = os::available_memory();
  if (available == 0 || wanted <= available) return {};
  auto problem = error(ErrorKind::out_of_memory, "{}: has {}, but only {} of memory are free", name, os::size_text(wanted),
                       os::size_text(available));
  return std::unexpected(std::move(problem).with_hint(locked ? "leave out --mlock, or use a smaller quantization"
                                                             : "leave out --no-mmap, or use a smaller quantization"));
}

}  // namespace

Result<File> File::open(const std::filesystem::path& path, const OpenOptions& options) {
  // Checked as mapped pages first, so that a wrong file is never read in whole.
  auto set = PUNA_TRY(load_set(path, MappedFile::How::map, extent_of(options)));
  if (!options.metadata_only) {
    if (!options.use_mmap || options.use_mlock) PUNA_TRY(check_memory(set, path.string(), options.use_mmap));
    if (!options.use_mmap) set = PUNA_TRY(load_set(path, MappedFile::How::read, extent_of(options)));
    if (options.use_mlock)
      for (const ShardContent& content : set)
        if (auto locked = content.shard.file.lock(); !locked)
          return std::unexpected(std::move(locked).error().within(content.shard.name));
  }
  return from_set(std::move(set), path.string(), options);
}

Result<File> File::parse(std::span<const std::byte> bytes, std::string name, const OpenOptions& options) {
  std::vector<ShardContent> set;
  set.push_back(PUNA_TRY(parse_shard(bytes, name, extent_of(options))));
  return from_set(std::move(set), std::move(name), options);
}

Result<File> File::from_set(std::vector<ShardContent> set, std::string name, const OpenOptions& options) {
  File file;
  file.name_ = std::move(name);
  file.metadata_ = std::move(set.front().metadata);
  file.key_places_ = std::move(set.front().key_places);
  std::size_t n_tensors = 0;
  for (const ShardContent& content : set) n_tensors += content.tensors.size();
  file.tensors_.reserve(n_tensors);
  file.tensor_places_.reserve(n_tensors);
  for (ShardContent& content : set) {
    for (TensorInfo tensor : content.tensors) {
      tensor.shard = file.shards_.size();
      if (!file.tensor_places_.try_emplace(tensor.name, file.tensors_.size()).second)
        return fail("{}: tensor {} is there twice, the first time in another part", content.shard.name, shown(tensor.name));
      file.tensors_.push_back(tensor);
    }
    file.shards_.push_back(std::move(content.shard));
  }
  PUNA_TRY(file.apply_overrides(options.overrides));
  if (options.check_tensors) PUNA_TRY(check_tensors(file));
  return file;
}

std::uint64_t File::size_bytes() const {
  std::uint64_t total = 0;
  for (const Shard& shard : shards_) total += shard.bytes.size();
  return total;
}

const MetaValue* File::find(std::string_view key) const {
  const auto place = key_places_.find(key);
  return place == key_places_.end() ? nullptr : &metadata_[place->second].value;
}

const TensorInfo* File::find_tensor(std::string_view name) const {
  const auto place = tensor_places_.find(name);
  return place == tensor_places_.end() ? nullptr : &tensors_[place->second];
}

template <class T>
Result<std::optional<T>> File::get(std::string_view key, std::optional<T> (MetaValue::*convert)() const,
                                   std::string_view wanted) const {
  const MetaValue* value = find(key);
  if (!value) return std::optional<T>();
  auto converted = (value->*convert)();
  if (converted) return converted;
  return fail("{}: key {} holds {}, wanted {}", name_, shown(key), value->type_text(), wanted);
}

Result<std::optional<std::int64_t>> File::get_int(std::string_view key) const {
  return get(key, &MetaValue::as_int, "an integer below 2^63");
}
Result<std::optional<double>> File::get_float(std::string_view key) const { return get(key, &MetaValue::as_float, "a number"); }
Result<std::optional<bool>> File::get_bool(std::string_view key) const { return get(key, &MetaValue::as_bool, "a bool"); }
Result<std::optional<std::string_view>> File::get_string(std::string_view key) const {
  return get(key, &MetaValue::as_string, "a string");
}
Result<std::optional<std::vector<std::string_view>>> File::get_strings(std::string_view key) const {
  return get<std::vector<std::string_view>>(key, &MetaValue::as_strings, "an array of strings");
}
Result<std::optional<std::vector<std::int64_t>>> File::get_ints(std::string_view key) const {
  return get(key, &MetaValue::as_ints, "an array of integers of 16 to 64 bits, below 2^63");
}
Result<std::optional<std::vector<float>>> File::get_floats(std::string_view key) const {
  return get(key, &MetaValue::as_floats, "an array of floats");
}
Result<std::optional<std::vector<bool>>> File::get_bools(std::string_view key) const {
  return get(key, &MetaValue::as_bools, "an array of bools");
}
Result<std::optional<std::span<const std::byte>>> File::get_bytes(std::string_view key) const {
  return get(key, &MetaValue::as_bytes, "an array of u8 or i8");
}

}  // namespace puna::gguf
