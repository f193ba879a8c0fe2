#include "gguf/describe.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/checked.h"

namespace puna::gguf {
namespace {

constexpr std::uint64_t kShownElements = 8;

// Counts and sizes are integers like all others in the data: unsigned only where they must be.
Value number(std::uint64_t n) { return std::in_range<std::int64_t>(n) ? Value(static_cast<std::int64_t>(n)) : Value(n); }

Value describe_scalar(ValueType type, const std::byte* from) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (type == ValueType::f32) return json::shortest(read(float{}));
  if (type == ValueType::f64) return read(double{});
  if (type == ValueType::boolean) return *from != std::byte{0};
  const MetaValue value(type, {from, *width(type)});
  if (const auto integer = value.as_int()) return *integer;
  return number(read(std::uint64_t{}));
}

std::string type_text(const TensorInfo& tensor) {
  if (!tensor.foreign_type) return std::string(tensor::name(tensor.dtype));
  return fmt::format("{} ({})", tensor::dtype_name(*tensor.foreign_type), *tensor.foreign_type);
}

Value describe_tensor(const TensorInfo& tensor, bool with_shard) {
  Value shape = Value::array();
  for (int i = 0; i < tensor.n_dims; ++i) shape.push_back(tensor.ne[static_cast<std::size_t>(i)]);
  Value result = Value::object({{"name", tensor.name}, {"type", type_text(tensor)}, {"shape", std::move(shape)}});
  if (!tensor.foreign_type) result.set("bytes", number(tensor.bytes));
  result.set("offset", number(tensor.offset));
  if (with_shard) result.set("shard", number(tensor.shard));
  return result;
}

// How much of the file each type makes up, largest first; and all weights together.
void add_totals(const File& file, Value& result) {
  struct Total {
    std::string type;
    bool is_foreign = false;
    std::uint64_t tensors = 0, bytes = 0;
  };
  std::map<std::string, Total> by_type;  // a file may claim as many foreign types as it has tensors
  std::uint64_t parameters = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    Total& total = by_type[type_text(tensor)];
    total.is_foreign = tensor.foreign_type.has_value();
    ++total.tensors;
    total.bytes += tensor.bytes;
    std::uint64_t n = 1;
    for (const std::int64_t size : tensor.ne) n *= static_cast<std::uint64_t>(size);
    parameters = checked_add(parameters, n).value_or(UINT64_MAX);
  }
  std::vector<Total> totals;
  for (auto& [type, total] : by_type) {
    total.type = type;
    totals.push_back(total);
  }
  std::ranges::sort(totals,
                    [](const Total& a, const Total& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.type < b.type; });
  Value types = Value::array();
  for (const Total& total : totals) {
    Value type = Value::object({{"type", total.type}, {"tensors", number(total.tensors)}});
    if (!total.is_foreign) type.set("bytes", number(total.bytes));
    types.push_back(std::move(type));
  }
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
