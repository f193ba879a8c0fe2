// Inside the room: the bytes of one file, checked.
#pragma once

#include "gguf/reader.h"

namespace puna::gguf {

// Limits on what a file may claim, beside the number of bytes it has.
inline constexpr std::uint64_t kMaxKeys = 1u << 16;
inline constexpr std::uint64_t kMaxTensors = 1u << 20;
inline constexpr std::uint64_t kMaxKeyBytes = (1u << 16) - 1;  // the format's own
// The format says 64, but files with longer names exist.
inline constexpr std::uint64_t kMaxNameBytes = 1023;
inline constexpr std::uint64_t kMaxStringBytes = 64u << 20;
inline constexpr std::uint64_t kMinAlignment = 8, kMaxAlignment = 64u << 10;

struct ShardContent {
  File::Shard shard;
  std::vector<Entry> metadata;
  std::unordered_map<std::string_view, std::size_t> key_places;
  std::vector<TensorInfo> tensors;  // names are unique
};

// How much of a file is parsed: see OpenOptions::metadata_only and any_type.
enum class Extent { metadata, known_types, any_types };
inline Extent extent_of(const OpenOptions& options) {
  if (options.metadata_only) return Extent::metadata;
  return options.any_type ? Extent::any_types : Extent::known_types;
}

// Every rule of the format holds in what is returned. The shard's name and bytes are set, its `file` is not.
Result<ShardContent> parse_shard(std::span<const std::byte> bytes, std::string name, Extent extent);

// The value of general.alignment: a u32, a power of two, 8 to 64 KiB.
Result<std::uint64_t> checked_alignment(const MetaValue& value);

// Elements of a tensor of that shape; an error where a dimension is not positive or the product does not fit.
Result<std::int64_t> element_count(const std::array<std::int64_t, 4>& ne);
// Bytes of a tensor of that shape; an error where a dimension is not positive, a row is no whole number of blocks or the
// size does not fit.
Result<std::uint64_t> tensor_bytes(tensor::DType dtype, const std::array<std::int64_t, 4>& ne);

// A name from a file, for a message: in quotes, on one line, of bounded length, without control characters.
std::string shown(std::string_view name);

// What the first bytes of a file that is no GGUF look like: "a safetensors file"; empty where nothing is recognised.
std::string_view guess_format(std::span<const std::byte> bytes);

}  // namespace puna::gguf
