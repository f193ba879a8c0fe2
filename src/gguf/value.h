// A metadata value of a GGUF file: its type and a view of its bytes in the file, checked once when the file was parsed.
// Nothing is copied until it is asked for, so a vocabulary of 150,000 strings costs nothing to open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace puna::gguf {

// The format's numbers.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

std::string_view name(ValueType type);             // "u8" … "bool", "string", "array"
std::optional<std::size_t> width(ValueType type);  // bytes of one value; empty for strings and arrays
bool is_integer(ValueType type);
bool is_float(ValueType type);

class MetaValue {
 public:
  // `payload`: the value as the file holds it (little-endian, any alignment), already checked: a string with its 8-byte
  // length, an array with its element type and count. The bytes must outlive the value.
  MetaValue(ValueType type, std::span<const std::byte> payload);

  ValueType type() const { return type_; }
  ValueType element_type() const { return element_type_; }  // of an array; otherwise type()
  std::uint64_t count() const { return count_; }            // elements of an array; otherwise 1
  std::string type_text() const;                            // "u32", "array of string"

  // Scalars: empty where the value is of another kind.
  std::optional<std::int64_t> as_int() const;  // any integer type whose value fits; neither floats nor bool
  std::optional<double> as_float() const;      // f32, f64, and any integer (rounded to the nearest double)
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;  // any bytes: the format wants UTF-8, nothing here relies on it

  // Arrays: empty where the value is no array of that kind.
  std::optional<std::vector<std::string_view>> as_strings(std::uint64_t most) const;  // the first of them, at most so many
  std::optional<std::vector<std::string_view>> as_strings() const { return as_strings(count()); }
  std::optional<std::vector<std::int64_t>> as_ints() const;  // integers of 16 to 64 bits that fit; 8-bit ones are bytes
  std::optional<std::vector<float>> as_floats() const;       // f32, and f64 rounded; no integers
  std::optional<std::vector<bool>> as_bools() const;
  std::optional<std::span<const std::byte>> as_bytes() const;  // u8 and i8: a view, no copy

  std::span<const std::byte> payload() const { return payload_; }
  std::span<const std::byte> elements() const;  // of an array: what follows its element type and count

 private:
  ValueType type_;
  ValueType element_type_;  // kept, not read again: a mapped file can change after it was checked
  std::uint64_t count_ = 1;
  std::span<const std::byte> payload_;
};

}  // namespace puna::gguf
