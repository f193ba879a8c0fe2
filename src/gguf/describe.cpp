#include "gguf/describe.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace puna::gguf {
namespace {

constexpr std::uint64_t kShownElements = 8;

// Counts and sizes are integers like all others in the data: unsigned only where they must be.
Value number(std::uint64_t n) { return std::in_range<std::int64_t>(n) ? Value(static_cast<std::int64_t>(n)) : Value(n); }

// The double that is written as shortly as the float was: 1e-05 and not 9.999999747378752e-06.
double plain(float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  double result = value;
  std::from_chars(digits, end, result);
  return result;
}

Value describe_scalar(ValueType type, const std::byte* from) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (type == ValueType::f32) return plain(read(float{}));
  if (type == ValueType::f64) return read(double{});
  if (type == ValueType::boolean) return *from != std::byte{0};
  const MetaValue value(type, {from, *width(type)});
  if (const auto integer = value.as_int()) return *integer;
  return number(read(std::uint64_t{}));
}

Value describe_tensor(const TensorInfo& tensor, bool with_shard) {
  Value shape = Value::array();
  for (int i = 0; i < tensor.n_dims; ++i) shape.push_back(tensor.ne[static_cast<std::size_t>(i)]);
  Value result = Value::object({{"name", tensor.name},
                                {"type", tensor::name(tensor.dtype)},
                                {"shape", std::move(shape)},
                                {"bytes", number(tensor.bytes)},
                                {"offset", number(tensor.offset)}});
  if (with_shard) result.set("shard", number(tensor.shard));
  return result;
}

// How much of the file each type makes up, largest first; and all weights together.
void add_totals(const File& file, Value& result) {
  struct Total {
    tensor::DType type;
    std::uint64_t tensors = 0, bytes = 0;
  };
  std::vector<Total> totals;
  std::uint64_t parameters = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    auto place = std::ranges::find(totals, tensor.dtype, &Total::type);
    if (place == totals.end()) place = totals.insert(place, {tensor.dtype});
    ++place->tensors;
    place->bytes += tensor.bytes;
    std::uint64_t n = 1;
    for (const std::int64_t size : tensor.ne) n *= static_cast<std::uint64_t>(size);
    parameters += n;
  }
  std::ranges::sort(totals,
                    [](const Total& a, const Total& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.type < b.type; });
  Value types = Value::array();
  for (const Total& total : totals)
    types.push_back(
        Value::object({{"type", tensor::name(total.type)}, {"tensors", number(total.tensors)}, {"bytes", number(total.bytes)}}));
  result.set("types", std::move(types));
  result.set("parameters", number(parameters));
}

}  // namespace

Value describe(const MetaValue& value) {
  if (const auto text = value.as_string()) return *text;
  if (value.type() != ValueType::array) return describe_scalar(value.type(), value.payload().data());
  const std::uint64_t n = std::min(value.count(), kShownElements);
  const ValueType element = value.element_type();
  Value items = Value::array();
  if (element == ValueType::string) {
    for (const std::string_view text : value.as_strings(n).value_or(std::vector<std::string_view>{})) items.push_back(text);
  } else {
    const std::byte* elements = value.elements().data();
    for (std::uint64_t i = 0; i < n; ++i) items.push_back(describe_scalar(element, elements + i * *width(element)));
  }
  if (n == value.count()) return items;
  return Value::object({{"type", name(element)}, {"count", number(value.count())}, {"first", std::move(items)}});
}

Value describe(const File& file) {
  const bool split = file.shards().size() > 1;
  Value result = Value::object({{"path", file.name()},
                                {"version", file.version()},
                                {"alignment", number(file.alignment())},
                                {"size", number(file.size_bytes())}});
  if (split) {
    Value names = Value::array();
    for (const File::Shard& shard : file.shards()) names.push_back(shard.name);
    result.set("shards", std::move(names));
  }
  Value::Object metadata;  // keys are unique, so no look-up is needed
  for (const Entry& entry : file.metadata()) metadata.emplace_back(entry.key, describe(entry.value));
  result.set("metadata", std::move(metadata));
  Value tensors = Value::array();
  for (const TensorInfo& tensor : file.tensors()) tensors.push_back(describe_tensor(tensor, split));
  result.set("tensors", std::move(tensors));
  add_totals(file, result);
  return result;
}

}  // namespace puna::gguf
