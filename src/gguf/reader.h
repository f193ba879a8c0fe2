// GGUF files, versions 2 and 3, read and checked: a file, or the whole set of a split model. Every count, length and
// offset is checked before use; what a File hands out lies inside the file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "gguf/value.h"
#include "tensor/dtype.h"

namespace puna::gguf {

struct ShardContent;  // inside the room

struct Entry {
  std::string_view key;
  MetaValue value;
};

struct TensorInfo {
  std::string_view name;
  tensor::DType dtype = tensor::DType::F32;
  int n_dims = 0;                              // as the file says; 0 is a scalar
  std::array<std::int64_t, 4> ne{1, 1, 1, 1};  // ne[0] = row length; unused dimensions are 1
  std::uint64_t bytes = 0;
  const std::byte* data = nullptr;
  std::size_t shard = 0;     // which file of a split set
  std::uint64_t offset = 0;  // from the start of that file's data section
  // The format's number of a type that this engine does not have; then dtype says nothing, bytes is 0 and data null. Only in
  // files opened with OpenOptions::any_type.
  std::optional<std::uint32_t> foreign_type{};
};

struct OpenOptions {
  bool use_mmap = true;                  // off: the file is read into memory by several threads
  bool use_mlock = false;                // keep the pages in memory; works with and without mmap
  bool check_tensors = false;            // refuse NaN and infinities in values and scales: reads everything
  std::vector<std::string> overrides{};  // KEY=TYPE:VALUE with TYPE int, float, bool or str
  // Metadata only (of a split model: its first file's): tensors() is empty, and their list and data are not looked at. For
  // vocabularies.
  bool metadata_only = false;
  // Lists tensors of types that this engine does not have, instead of refusing the file. For looking at it, not for its data.
  bool any_type = false;
};

class File {
 public:
  // Any file of a split model ("-00002-of-00003.gguf") opens the whole set.
  static Result<File> open(const std::filesystem::path& path, const OpenOptions& options = {});
  // From memory, which must outlive the File; `name` stands in errors. A split model's shard is parsed alone.
  static Result<File> parse(std::span<const std::byte> bytes, std::string name, const OpenOptions& options = {});

  File(File&&) noexcept = default;  // moved or not, views into a File stay valid
  File& operator=(File&&) noexcept = default;

  const std::string& name() const { return name_; }  // the path as it was given to open()
  std::uint32_t version() const { return shards_.front().version; }
  std::uint64_t alignment() const { return shards_.front().alignment; }
  std::uint64_t size_bytes() const;  // of all shards

  std::span<const Entry> metadata() const { return metadata_; }  // in file order; of a split model: its first file's
  const MetaValue* find(std::string_view key) const;

  // Typed look-ups: empty where the key is absent; where it is of another type or does not fit, an error that names the
  // file, the key, the wanted type and the found one. Conversions as in MetaValue.
  Result<std::optional<std::int64_t>> get_int(std::string_view key) const;
  Result<std::optional<double>> get_float(std::string_view key) const;
  Result<std::optional<bool>> get_bool(std::string_view key) const;
  Result<std::optional<std::string_view>> get_string(std::string_view key) const;
  Result<std::optional<std::vector<std::string_view>>> get_strings(std::string_view key) const;
  Result<std::optional<std::vector<std::int64_t>>> get_ints(std::string_view key) const;
  Result<std::optional<std::vector<float>>> get_floats(std::string_view key) const;
  Result<std::optional<std::vector<bool>>> get_bools(std::string_view key) const;
  Result<std::optional<std::span<const std::byte>>> get_bytes(std::string_view key) const;

  std::span<const TensorInfo> tensors() const { return tensors_; }  // in file order, shard after shard
  const TensorInfo* find_tensor(std::string_view name) const;

  // One file of the set (a model in one file is a set of one).
  struct Shard {
    std::string name;
    MappedFile file;                   // empty where the File was parsed from memory
    std::span<const std::byte> bytes;  // the whole file
    std::uint32_t version = 3;
    std::uint64_t alignment = 32;
    std::uint64_t header_end = 0;  // end of the tensor list
    std::uint64_t n_tensors = 0;   // as the header says
    std::uint64_t data_start = 0;  // header_end rounded up to the alignment; may lie past a file without tensors
  };
  std::span<const Shard> shards() const { return shards_; }

 private:
  File() = default;
  static Result<File> from_set(std::vector<ShardContent> set, std::string name, const OpenOptions& options);
  template <class T>
  Result<std::optional<T>> get(std::string_view key, std::optional<T> (MetaValue::*convert)() const,
                               std::string_view wanted) const;
  Result<void> apply_overrides(const std::vector<std::string>& overrides);
  Result<void> apply_override(std::string_view text);

  std::string name_;
  std::vector<Shard> shards_;
  std::vector<Entry> metadata_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string_view, std::size_t> key_places_;
  std::unordered_map<std::string_view, std::size_t> tensor_places_;
  std::vector<std::vector<std::byte>> owned_;  // keys and values that came from overrides
};

}  // namespace puna::gguf
