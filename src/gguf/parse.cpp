#include "gguf/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "base/checked.h"
#include "base/log.h"

namespace puna::gguf {
namespace {

// The least a key or a tensor takes in a file: both counts are held against what is left before anything is reserved.
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;         // length, one character, type, one byte of value
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;  // length, one character, dimensions, type, offset

std::unexpected<Error> cut_short(std::string_view what, std::uint64_t wanted, std::uint64_t left) {
  auto problem = error(ErrorKind::invalid, "{} needs {} bytes, {} are left in the file", what, wanted, left);
  return std::unexpected(std::move(problem).with_hint("the file is damaged or cut short: download it again"));
}

// Reads one file from front to back. Errors name the key or tensor; the file's name is put in front by parse_shard().
class Parser {
 public:
  Parser(std::span<const std::byte> bytes, Extent extent, ShardContent& out) : bytes_(bytes), extent_(extent), out_(out) {}

  Result<void> header();
  Result<void> keys();
  Result<void> tensor_list();
  Result<void> place_tensors();
  Result<void> after_the_end() const;
  std::uint64_t position() const { return position_; }

 private:
  std::uint64_t left() const { return bytes_.size() - position_; }
  template <class T>
  Result<T> number(std::string_view what);
  Result<std::string_view> string(std::string_view what, std::uint64_t limit);
  Result<ValueType> value_type(std::string_view what);
  Result<void> skip(std::string_view what, std::uint64_t n);
  Result<void> value(ValueType type);
  Result<void> array();
  Result<void> bools(std::uint64_t n);
  Result<void> key(std::string_view key);
  Result<std::string_view> item_name(std::string_view kind, std::uint64_t i, std::uint64_t limit);
  Result<void> shape(TensorInfo& tensor);
  Result<void> type(TensorInfo& tensor);
  Result<void> no_overlap() const;

  std::span<const std::byte> bytes_;
  Extent extent_;
  ShardContent& out_;
  std::uint64_t position_ = 0;
  std::uint64_t n_keys_ = 0;
  std::unordered_set<std::string_view> tensor_names_;
};

template <class T>
Result<T> Parser::number(std::string_view what) {
  if (left() < sizeof(T)) return cut_short(what, sizeof(T), left());
  T value;
  std::memcpy(&value, bytes_.data() + position_, sizeof value);
  position_ += sizeof value;
  return value;
}

Result<void> Parser::skip(std::string_view what, std::uint64_t n) {
  if (n > left()) return cut_short(what, n, left());
  position_ += n;
  return {};
}

Result<std::string_view> Parser::string(std::string_view what, std::uint64_t limit) {
  const auto length = PUNA_TRY(number<std::uint64_t>(what));
  if (length > left()) return cut_short(what, length, left());
  if (length > limit) return fail("{} has {} bytes, at most {} are allowed", what, length, limit);
  const auto* start = reinterpret_cast<const char*>(bytes_.data() + position_);
  position_ += length;
  return std::string_view(start, length);
}

Result<ValueType> Parser::value_type(std::string_view what) {
  const auto type = PUNA_TRY(number<std::uint32_t>(what));
  if (type > static_cast<std::uint32_t>(ValueType::f64)) return fail("{} is {}, which the format does not have", what, type);
  return static_cast<ValueType>(type);
}

Result<void> Parser::header() {
  const auto is = [&](std::string_view magic) { return bytes_.size() >= 4 && std::memcmp(bytes_.data(), magic.data(), 4) == 0; };
  if (is("FUGG")) return fail(ErrorKind::unsupported, "is a big-endian GGUF file, wanted little-endian");
  if (!is("GGUF")) {
    const std::string_view guess = guess_format(bytes_);
    return fail("is not a GGUF file{}{}", guess.empty() ? "" : "; it looks like ", guess);
  }
  position_ = 4;
  const auto version = PUNA_TRY(number<std::uint32_t>("the version"));
  if (version != 0 && (version & 0xFFFF) == 0) {
    auto problem = error(ErrorKind::unsupported, "is a byte-swapped (big-endian) GGUF file, wanted little-endian");
    return std::unexpected(std::move(problem).with_hint("convert the model again on a little-endian machine"));
  }
  if (version == 1) {
    auto problem = error(ErrorKind::unsupported, "is a GGUF file of version 1, which is no longer in use; wanted 2 or 3");
    return std::unexpected(std::move(problem).with_hint("download or convert the model again: every current file is version 3"));
  }
  if (version != 2 && version != 3) return fail(ErrorKind::unsupported, "is a GGUF file of version {}, wanted 2 or 3", version);
  out_.shard.version = version;
  out_.shard.n_tensors = PUNA_TRY(number<std::uint64_t>("the number of tensors"));
  n_keys_ = PUNA_TRY(number<std::uint64_t>("the number of keys"));
  if (n_keys_ > left() / kLeastKeyBytes || n_keys_ > kMaxKeys)
    return fail("claims {} keys, but has only {} bytes left (and at most {} keys are allowed)", n_keys_, left(), kMaxKeys);
  if (out_.shard.n_tensors > left() / kLeastTensorBytes || out_.shard.n_tensors > kMaxTensors)
    return fail("claims {} tensors, but has only {} bytes left (and at most {} tensors are allowed)", out_.shard.n_tensors,
                left(), kMaxTensors);
  return {};
}

Result<void> Parser::bools(std::uint64_t n) {
  if (n > left()) return cut_short("its value", n, left());
  for (std::uint64_t i = 0; i < n; ++i, ++position_)
    if (bytes_[position_] > std::byte{1})
      return fail("holds {} where a bool is 0 or 1", std::to_integer<unsigned>(bytes_[position_]));
  return {};
}

Result<void> Parser::array() {
  const auto element = PUNA_TRY(value_type("the element type"));
  const auto count = PUNA_TRY(number<std::uint64_t>("the number of elements"));
  if (element == ValueType::array) return fail(ErrorKind::unsupported, "is an array of arrays, which no model has");
  if (element == ValueType::boolean) return bools(count);
  const std::uint64_t least = width(element).value_or(sizeof(std::uint64_t));
  if (count > left() / least)
    return fail("claims {} elements of type {}, but only {} bytes are left in the file", count, name(element), left());
  if (element != ValueType::string) return skip("its value", count * least);
  for (std::uint64_t i = 0; i < count; ++i) PUNA_TRY(string("a string in it", kMaxStringBytes));
  return {};
}

Result<void> Parser::value(ValueType type) {
  if (type == ValueType::array) return array();
  if (type == ValueType::boolean) return bools(1);
  if (type != ValueType::string) return skip("its value", *width(type));
  PUNA_TRY(string("its value", kMaxStringBytes));
  return {};
}

Result<void> Parser::key(std::string_view key) {
  const auto type = PUNA_TRY(value_type("its type"));
  const std::uint64_t start = position_;
  PUNA_TRY(value(type));
  if (!out_.key_places.try_emplace(key, out_.metadata.size()).second) return fail("is there twice");
  out_.metadata.push_back({key, MetaValue(type, bytes_.subspan(start, position_ - start))});
  return {};
}

// The name of key or tensor number `i`; until it is known, messages count.
Result<std::string_view> Parser::item_name(std::string_view kind, std::uint64_t i, std::uint64_t limit) {
  auto name = string("its name", limit);
  if (name && name->empty()) name = fail("has an empty name");
  if (!name) return std::unexpected(std::move(name).error().within(fmt::format("{} number {}", kind, i + 1)));
  return name;
}

Result<void> Parser::keys() {
  for (std::uint64_t i = 0; i < n_keys_; ++i) {
    const auto name = PUNA_TRY(item_name("key", i, kMaxKeyBytes));
    if (auto done = key(name); !done) return std::unexpected(std::move(done).error().within("key " + shown(name)));
  }
  if (const auto place = out_.key_places.find("general.alignment"); place != out_.key_places.end())
    out_.shard.alignment = PUNA_TRY(checked_alignment(out_.metadata[place->second].value));
  return {};
}

Result<void> Parser::type(TensorInfo& tensor) {
  const auto number = PUNA_TRY(this->number<std::uint32_t>("the type"));
  if (const auto dtype = tensor::dtype_from_number(number)) {
    tensor.dtype = *dtype;
    tensor.bytes = PUNA_TRY(tensor_bytes(*dtype, tensor.ne));
    return {};
  }
  if (extent_ == Extent::any_types) {
    tensor.foreign_type = number;
    PUNA_TRY(element_count(tensor.ne));
    return {};
  }
  std::string names;
  for (const auto& known : tensor::all_dtypes()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  auto problem =
      error(ErrorKind::unsupported, "its type is {} ({}), which puna does not compute with", tensor::dtype_name(number), number);
  return std::unexpected(std::move(problem).with_hint("use a file quantized to one of " + names));
}

// Dimensions, type and offset of a tensor whose name is known.
Result<void> Parser::shape(TensorInfo& tensor) {
  const auto n_dims = PUNA_TRY(number<std::uint32_t>("the number of dimensions"));
  if (n_dims > tensor.ne.size()) return fail("has {} dimensions, at most 4 are allowed", n_dims);
  tensor.n_dims = static_cast<int>(n_dims);
  for (std::uint32_t i = 0; i < n_dims; ++i) {
    const auto size = PUNA_TRY(number<std::uint64_t>("a dimension"));
    tensor.ne[i] = static_cast<std::int64_t>(size);
    if (tensor.ne[i] <= 0) return fail("dimension {} is {}, wanted 1 or more and below 2^63", i, size);
  }
  PUNA_TRY(type(tensor));
  tensor.offset = PUNA_TRY(number<std::uint64_t>("the offset"));
  if (tensor.offset % out_.shard.alignment != 0)
    return fail("its offset {} is no multiple of the alignment {}", tensor.offset, out_.shard.alignment);
  return {};
}

Result<void> Parser::tensor_list() {
  for (std::uint64_t i = 0; i < out_.shard.n_tensors; ++i) {
    TensorInfo tensor;
    tensor.name = PUNA_TRY(item_name("tensor", i, kMaxNameBytes));
    auto done = shape(tensor);
    if (done && !tensor_names_.insert(tensor.name).second) done = fail("is there twice");
    if (!done) return std::unexpected(std::move(done).error().within("tensor " + shown(tensor.name)));
    out_.tensors.push_back(tensor);
  }
  out_.shard.header_end = position_;
  // Cannot wrap: the file is in memory, so its size is far below 2^64.
  out_.shard.data_start = round_up(position_, out_.shard.alignment);
  return {};
}

Result<void> Parser::place_tensors() {
  const std::uint64_t start = out_.shard.data_start;
  const std::uint64_t available = bytes_.size() > start ? bytes_.size() - start : 0;
  for (TensorInfo& tensor : out_.tensors) {
    const auto end = checked_add(tensor.offset, tensor.bytes);
    if (!end || *end > available) {
      auto problem = error(ErrorKind::invalid, "tensor {} needs {} bytes at offset {} of the data, which has {}",
                           shown(tensor.name), tensor.bytes, tensor.offset, available);
      return std::unexpected(std::move(problem).with_hint("the file is damaged or cut short: download it again"));
    }
    if (!tensor.foreign_type) tensor.data = bytes_.data() + start + tensor.offset;
  }
  return no_overlap();
}

Result<void> Parser::no_overlap() const {
  std::vector<const TensorInfo*> by_offset;
  by_offset.reserve(out_.tensors.size());
  for (const TensorInfo& tensor : out_.tensors) by_offset.push_back(&tensor);
  std::ranges::sort(by_offset, {}, &TensorInfo::offset);
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const TensorInfo &a = *by_offset[i - 1], &b = *by_offset[i];
    if (a.offset + a.bytes > b.offset)
      return fail("tensors {} and {} overlap: the first ends at offset {}, the second begins at {}", shown(a.name), shown(b.name),
                  a.offset + a.bytes, b.offset);
  }
  return {};
}

// Shards that were joined with `cat` load as the first of them unless the second's start is looked for.
Result<void> Parser::after_the_end() const {
  const File::Shard& shard = out_.shard;
  std::uint64_t end = out_.tensors.empty() ? shard.header_end : shard.data_start;
  for (const TensorInfo& tensor : out_.tensors) end = std::max(end, shard.data_start + tensor.offset + tensor.bytes);
  const std::uint64_t padded = round_up(end, shard.alignment);
  for (const std::uint64_t place : {end, padded}) {
    if (place + 8 > bytes_.size() || std::memcmp(bytes_.data() + place, "GGUF", 4) != 0) continue;
    auto problem = error(ErrorKind::invalid, "a second GGUF file begins at byte {}: these are files joined with `cat`", place);
    return std::unexpected(std::move(problem).with_hint(
        "keep the parts of a split model apart and open any of them, or join them with a tool that knows the format, such as "
        "llama-gguf-split --merge"));
  }
  if (bytes_.size() > padded) log::warning("{}: {} bytes after the last tensor are not used", shard.name, bytes_.size() - padded);
  return {};
}

Result<void> parse_into(ShardContent& out, Extent extent) {
  Parser parser(out.shard.bytes, extent, out);
  PUNA_TRY(parser.header());
  PUNA_TRY(parser.keys());
  if (extent == Extent::metadata) {
    out.shard.header_end = parser.position();
    return {};
  }
  PUNA_TRY(parser.tensor_list());
  PUNA_TRY(parser.place_tensors());
  const bool has_foreign = std::ranges::any_of(out.tensors, [](const TensorInfo& t) { return t.foreign_type.has_value(); });
  return has_foreign ? Result<void>() : parser.after_the_end();  // of a foreign type nobody here knows where it ends
}

}  // namespace

Result<ShardContent> parse_shard(std::span<const std::byte> bytes, std::string name, Extent extent) {
  ShardContent out;
  out.shard.name = std::move(name);
  out.shard.bytes = bytes;
  if (auto done = parse_into(out, extent); !done) return std::unexpected(std::move(done).error().within(out.shard.name));
  return out;
}

Result<std::uint64_t> checked_alignment(const MetaValue& value) {
  if (value.type() != ValueType::u32) return fail("key 'general.alignment' is {}, wanted u32", value.type_text());
  const auto alignment = static_cast<std::uint64_t>(*value.as_int());
  if (!std::has_single_bit(alignment) || alignment < kMinAlignment || alignment > kMaxAlignment)
    return fail("key 'general.alignment' is {}, wanted a power of two from {} to {}", alignment, kMinAlignment, kMaxAlignment);
  return alignment;
}

Result<std::int64_t> element_count(const std::array<std::int64_t, 4>& ne) {
  std::int64_t n = 1;
  for (const std::int64_t size : ne) {
    if (size <= 0) return fail("a dimension is {}, wanted 1 or more", size);
    const auto product = checked_mul(n, size);
    if (!product) return fail("its shape [{}] has more than 2^63 elements", fmt::join(ne, ", "));
    n = *product;
  }
  return n;
}

Result<std::uint64_t> tensor_bytes(tensor::DType dtype, const std::array<std::int64_t, 4>& ne) {
  const auto& traits = tensor::traits(dtype);
  const std::int64_t n = PUNA_TRY(element_count(ne));
  if (ne[0] % traits.block_size != 0)
    return fail("a row of {} elements is no whole number of {} blocks of {}", ne[0], traits.name, traits.block_size);
  const auto bytes = checked_mul(static_cast<std::uint64_t>(n) / traits.block_size, std::uint64_t{traits.block_bytes});
  if (!bytes || *bytes > static_cast<std::uint64_t>(INT64_MAX))
    return fail("its shape [{}] has more than 2^63 bytes", fmt::join(ne, ", "));
  return *bytes;
}

std::string shown(std::string_view name) {
  constexpr std::size_t kLimit = 80;
  std::string result = "'";
  for (const char c : name.substr(0, kLimit)) {
    if (c >= 0x20 && c < 0x7F)
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return result + (name.size() > kLimit ? "…'" : "'");
}

}  // namespace puna::gguf
