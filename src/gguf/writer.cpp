#include "gguf/writer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "base/check.h"
#include "base/checked.h"
#include "gguf/output_file.h"
#include "gguf/parse.h"

namespace puna::gguf {
namespace {

void append_bytes(std::vector<std::byte>& out, const void* bytes, std::size_t n) {
  const std::size_t at = out.size();
  out.resize(at + n);
  if (n > 0) std::memcpy(out.data() + at, bytes, n);
}

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  append_bytes(out, &value, sizeof value);
}

void append_string(std::vector<std::byte>& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append_bytes(out, text.data(), text.size());
}

template <class T>
Encoded encode_number(ValueType type, T value) {
  Encoded result{type, {}};
  append(result.payload, value);
  return result;
}

Encoded array_head(ValueType element, std::size_t count) {
  Encoded result{ValueType::array, {}};
  append(result.payload, static_cast<std::uint32_t>(element));
  append(result.payload, std::uint64_t{count});
  return result;
}

template <class T>
Encoded encode_array(ValueType element, std::span<const T> values) {
  Encoded result = array_head(element, values.size());
  append_bytes(result.payload, values.data(), values.size_bytes());
  return result;
}

Result<void> put_zeros(const Put& put, std::uint64_t n) {
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(n, kMaxAlignment));
  for (; n > 0; n -= std::min<std::uint64_t>(n, zeros.size()))
    PUNA_TRY(put(std::span(zeros).first(std::min<std::uint64_t>(n, zeros.size()))));
  return {};
}

}  // namespace

Encoded encode(std::uint8_t value) { return encode_number(ValueType::u8, value); }
Encoded encode(std::int8_t value) { return encode_number(ValueType::i8, value); }
Encoded encode(std::uint16_t value) { return encode_number(ValueType::u16, value); }
Encoded encode(std::int16_t value) { return encode_number(ValueType::i16, value); }
Encoded encode(std::uint32_t value) { return encode_number(ValueType::u32, value); }
Encoded encode(std::int32_t value) { return encode_number(ValueType::i32, value); }
Encoded encode(std::uint64_t value) { return encode_number(ValueType::u64, value); }
Encoded encode(std::int64_t value) { return encode_number(ValueType::i64, value); }
Encoded encode(float value) { return encode_number(ValueType::f32, value); }
Encoded encode(double value) { return encode_number(ValueType::f64, value); }
Encoded encode(bool value) { return encode_number(ValueType::boolean, std::uint8_t{value}); }
Encoded encode(std::string_view value) {
  Encoded result{ValueType::string, {}};
  append_string(result.payload, value);
  return result;
}
Encoded encode_strings(std::span<const std::string_view> values) {
  Encoded result = array_head(ValueType::string, values.size());
  for (const std::string_view value : values) append_string(result.payload, value);
  return result;
}
Encoded encode_strings(std::span<const std::string> values) {
  Encoded result = array_head(ValueType::string, values.size());
  for (const std::string& value : values) append_string(result.payload, value);
  return result;
}
Encoded encode_ints(std::span<const std::int32_t> values) { return encode_array(ValueType::i32, values); }
Encoded encode_floats(std::span<const float> values) { return encode_array(ValueType::f32, values); }
Encoded encode_bytes(std::span<const std::byte> values) { return encode_array(ValueType::u8, values); }

Writer Writer::copy_of(const File& file) {
  Writer result(file.version());
  const bool split = file.shards().size() > 1;
  for (const Entry& entry : file.metadata()) {
    if (split && entry.key.starts_with("split.")) continue;
    result.pairs_.push_back({std::string(entry.key), entry.value.type(), {}, entry.value.payload()});
  }
  for (const TensorInfo& tensor : file.tensors()) {
    PUNA_CHECK(!tensor.foreign_type, "a copy of data that this engine cannot measure");
    result.add_tensor({std::string(tensor.name), tensor.dtype, tensor.n_dims, tensor.ne, {}}, {tensor.data, tensor.bytes});
  }
  const File::Shard& shard = file.shards()[0];
  if (split || shard.n_tensors != file.tensors().size()) return result;
  result.kept_ = Kept{shard.bytes, shard.header_end, shard.data_start, shard.alignment, {}};
  for (const TensorInfo& tensor : file.tensors()) result.kept_->offsets.push_back(tensor.offset);
  return result;
}

Writer::Pair& Writer::pair(std::string_view key) {
  const auto place = std::ranges::find(pairs_, key, &Pair::key);
  return place != pairs_.end() ? *place : pairs_.emplace_back(Pair{std::string(key), ValueType::u8, {}, {}});
}

void Writer::set(std::string_view key, Encoded value) {
  Pair& place = pair(key);
  place.type = value.type;
  place.owned = std::move(value.payload);
  place.view = {};
}

void Writer::set(std::string_view key, const MetaValue& value) {
  Pair& place = pair(key);
  place.type = value.type();
  place.owned.clear();
  place.view = value.payload();
}

bool Writer::remove(std::string_view key) {
  return std::erase_if(pairs_, [&](const Pair& pair) { return pair.key == key; }) > 0;
}

void Writer::add_tensor(TensorSpec spec) {
  tensors_.push_back(std::move(spec));
  kept_.reset();  // another list of tensors is laid out anew
}

void Writer::add_tensor(TensorSpec spec, std::span<const std::byte> data) {
  spec.produce = [data](const Put& put) { return put(data); };
  add_tensor(std::move(spec));
}

struct Writer::Layout {
  std::vector<std::byte> header;
  std::uint64_t alignment = 32;
  std::vector<std::uint64_t> offsets;  // of each tensor in the data section
  std::vector<std::uint64_t> sizes;
  std::vector<std::size_t> order;  // tensors by offset
  std::uint64_t data_bytes = 0;    // of the whole section, the padding after the last tensor included
  const Kept* kept = nullptr;      // where offsets and padding are those of a file
};

// Sizes and places; an error where a tensor cannot be.
Result<void> Writer::place_tensors(Layout& layout) const {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto size = tensor_bytes(tensors_[i].dtype, tensors_[i].ne);
    if (!size) return std::unexpected(Error(size.error()).within("tensor " + shown(tensors_[i].name)));
    layout.sizes.push_back(*size);
    layout.offsets.push_back(layout.kept ? layout.kept->offsets[i] : end);
    const auto next = checked_add(end, *size);
    const auto padded = next ? checked_round_up(*next, layout.alignment) : next;
    if (!padded) return fail("tensor {}: the tensors have more than 2^64 bytes together", shown(tensors_[i].name));
    end = *padded;
  }
  layout.data_bytes = end;
  if (layout.kept) {
    const std::uint64_t size = layout.kept->bytes.size(), start = layout.kept->data_start;
    layout.data_bytes = size > start ? size - start : 0;
  }
  layout.order.resize(tensors_.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  std::ranges::sort(layout.order, {}, [&](std::size_t i) { return layout.offsets[i]; });
  return {};
}

Result<Writer::Layout> Writer::lay_out() const {
  Layout layout;
  append(layout.header, std::array{'G', 'G', 'U', 'F'});
  append(layout.header, version_);
  append(layout.header, std::uint64_t{tensors_.size()});
  append(layout.header, std::uint64_t{pairs_.size()});
  for (const Pair& pair : pairs_) {
    if (pair.key.empty() || pair.key.size() > kMaxKeyBytes)
      return fail("key {} has {} bytes, wanted 1 to {}", shown(pair.key), pair.key.size(), kMaxKeyBytes);
    const std::span<const std::byte> payload = pair.owned.empty() ? pair.view : pair.owned;
    if (pair.key == "general.alignment") layout.alignment = PUNA_TRY(checked_alignment(MetaValue(pair.type, payload)));
    append_string(layout.header, pair.key);
    append(layout.header, static_cast<std::uint32_t>(pair.type));
    layout.header.insert(layout.header.end(), payload.begin(), payload.end());
  }
  if (kept_ && kept_->alignment == layout.alignment) layout.kept = &*kept_;
  PUNA_TRY(place_tensors(layout));

  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const TensorSpec& tensor = tensors_[i];
    if (tensor.name.empty() || tensor.name.size() > kMaxNameBytes || !names.insert(tensor.name).second)
      return fail("tensor {}: its name is empty, too long or there twice", shown(tensor.name));
    append_string(layout.header, tensor.name);
    append(layout.header, static_cast<std::uint32_t>(tensor.n_dims));
    for (int d = 0; d < tensor.n_dims; ++d) append(layout.header, tensor.ne[static_cast<std::size_t>(d)]);
    append(layout.header, static_cast<std::uint32_t>(tensor.dtype));
    append(layout.header, layout.offsets[i]);
  }
  return layout;
}

// Header padding up to the data section.
Result<void> Writer::put_header(const Layout& layout, const Put& put) const {
  PUNA_TRY(put(layout.header));
  if (layout.kept && layout.kept->header_end == layout.header.size()) {
    const auto& bytes = layout.kept->bytes;
    const std::uint64_t end = std::min<std::uint64_t>(layout.kept->data_start, bytes.size());
    return put(bytes.subspan(layout.header.size(), end - layout.header.size()));
  }
  return put_zeros(put, round_up<std::uint64_t>(layout.header.size(), layout.alignment) - layout.header.size());
}

Result<void> Writer::emit(const Put& put) const {
  const Layout layout = PUNA_TRY(lay_out());
  PUNA_TRY(put_header(layout, put));
  std::uint64_t position = 0;  // in the data section
  const auto pad_to = [&](std::uint64_t end) -> Result<void> {
    const std::uint64_t n = end - position;
    const std::uint64_t from = position;
    position = end;
    if (layout.kept && n > 0) return put(layout.kept->bytes.subspan(layout.kept->data_start + from, n));
    return put_zeros(put, n);
  };
  for (const std::size_t i : layout.order) {
    PUNA_TRY(pad_to(layout.offsets[i]));
    std::uint64_t left = layout.sizes[i];
    PUNA_TRY(tensors_[i].produce([&](std::span<const std::byte> bytes) -> Result<void> {
      PUNA_CHECK(bytes.size() <= left, "a tensor produced more bytes than its shape has");
      left -= bytes.size();
      return put(bytes);
    }));
    PUNA_CHECK(left == 0, "a tensor produced fewer bytes than its shape has");
    position += layout.sizes[i];
  }
  return pad_to(layout.data_bytes);
}

Result<void> Writer::write(const std::filesystem::path& path) const {
  auto file = PUNA_TRY(OutputFile::create(path));
  PUNA_TRY(emit([&](std::span<const std::byte> bytes) { return file.put(bytes); }));
  return file.finish();
}

Result<std::vector<std::byte>> Writer::bytes() const {
  std::vector<std::byte> result;
  PUNA_TRY(emit([&](std::span<const std::byte> bytes) -> Result<void> {
    result.insert(result.end(), bytes.begin(), bytes.end());
    return {};
  }));
  return result;
}

}  // namespace puna::gguf
