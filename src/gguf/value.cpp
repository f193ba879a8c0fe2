#include "gguf/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace puna::gguf {
namespace {

static_assert(std::endian::native == std::endian::little, "values are read in the byte order of the file");

constexpr std::size_t kArrayHead = sizeof(std::uint32_t) + sizeof(std::uint64_t);  // element type, count

// Values lie at any address.
template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<std::int64_t> read_int(ValueType type, const std::byte* from) {
  switch (type) {
    case ValueType::u8:
      return read<std::uint8_t>(from);
    case ValueType::i8:
      return read<std::int8_t>(from);
    case ValueType::u16:
      return read<std::uint16_t>(from);
    case ValueType::i16:
      return read<std::int16_t>(from);
    case ValueType::u32:
      return read<std::uint32_t>(from);
    case ValueType::i32:
      return read<std::int32_t>(from);
    case ValueType::i64:
      return read<std::int64_t>(from);
    case ValueType::u64: {
      const auto value = read<std::uint64_t>(from);
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::string_view text(const std::byte* from, std::uint64_t length) { return {reinterpret_cast<const char*>(from), length}; }

}  // namespace

std::string_view name(ValueType type) {
  static constexpr std::string_view kNames[] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                "bool", "string", "array", "u64", "i64", "f64"};
  return kNames[static_cast<std::uint32_t>(type)];
}

std::optional<std::size_t> width(ValueType type) {
  static constexpr std::size_t kWidths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  const std::size_t bytes = kWidths[static_cast<std::uint32_t>(type)];
  if (bytes == 0) return std::nullopt;
  return bytes;
}

bool is_float(ValueType type) { return type == ValueType::f32 || type == ValueType::f64; }

bool is_integer(ValueType type) { return width(type) && !is_float(type) && type != ValueType::boolean; }

MetaValue::MetaValue(ValueType type, std::span<const std::byte> payload) : type_(type), element_type_(type), payload_(payload) {
  if (type != ValueType::array) return;
  element_type_ = static_cast<ValueType>(read<std::uint32_t>(payload.data()));
  count_ = read<std::uint64_t>(payload.data() + sizeof(std::uint32_t));
}

std::string MetaValue::type_text() const {
  if (type_ != ValueType::array) return std::string(gguf::name(type_));
  return fmt::format("array of {}", gguf::name(element_type()));
}

std::span<const std::byte> MetaValue::elements() const { return payload_.subspan(kArrayHead); }

std::optional<std::int64_t> MetaValue::as_int() const { return read_int(type_, payload_.data()); }

std::optional<double> MetaValue::as_float() const {
  if (type_ == ValueType::f32) return read<float>(payload_.data());
  if (type_ == ValueType::f64) return read<double>(payload_.data());
  if (type_ == ValueType::u64) return static_cast<double>(read<std::uint64_t>(payload_.data()));
  if (auto integer = as_int()) return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<bool> MetaValue::as_bool() const {
  if (type_ != ValueType::boolean) return std::nullopt;
  return payload_[0] != std::byte{0};
}

std::optional<std::string_view> MetaValue::as_string() const {
  if (type_ != ValueType::string) return std::nullopt;
  return text(payload_.data() + sizeof(std::uint64_t), payload_.size() - sizeof(std::uint64_t));
}

std::optional<std::vector<std::string_view>> MetaValue::as_strings(std::uint64_t most) const {
  if (type_ != ValueType::array || element_type() != ValueType::string) return std::nullopt;
  std::vector<std::string_view> result;
  // The lengths are compared with what is left once more, for the same reason that count_ is kept.
  auto rest = elements();
  const std::uint64_t n = std::min(count(), most);
  if (n > rest.size() / sizeof(std::uint64_t)) return std::nullopt;
  result.reserve(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (rest.size() < sizeof(std::uint64_t)) return std::nullopt;
    const auto length = read<std::uint64_t>(rest.data());
    rest = rest.subspan(sizeof length);
    if (length > rest.size()) return std::nullopt;
    result.push_back(text(rest.data(), length));
    rest = rest.subspan(length);
  }
  return result;
}

std::optional<std::vector<std::int64_t>> MetaValue::as_ints() const {
  const ValueType element = element_type();
  if (type_ != ValueType::array || !is_integer(element) || *width(element) < 2) return std::nullopt;
  const auto bytes = elements();
  const std::size_t step = *width(element);
  std::vector<std::int64_t> result(bytes.size() / step);
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto value = read_int(element, bytes.data() + i * step);
    if (!value) return std::nullopt;
    result[i] = *value;
  }
  return result;
}

std::optional<std::vector<float>> MetaValue::as_floats() const {
  const ValueType element = element_type();
  if (type_ != ValueType::array || !is_float(element)) return std::nullopt;
  const auto bytes = elements();
  const std::size_t step = *width(element);
  std::vector<float> result(bytes.size() / step);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::byte* from = bytes.data() + i * step;
    result[i] = element == ValueType::f32 ? read<float>(from) : static_cast<float>(read<double>(from));
  }
  return result;
}

std::optional<std::vector<bool>> MetaValue::as_bools() const {
  if (type_ != ValueType::array || element_type() != ValueType::boolean) return std::nullopt;
  const auto bytes = elements();
  std::vector<bool> result(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) result[i] = bytes[i] != std::byte{0};
  return result;
}

std::optional<std::span<const std::byte>> MetaValue::as_bytes() const {
  if (type_ != ValueType::array || (element_type() != ValueType::u8 && element_type() != ValueType::i8)) return std::nullopt;
  return elements();
}

}  // namespace puna::gguf
