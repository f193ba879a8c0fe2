// Data as JSON knows it, with the order of keys kept: prompts, schemas and answers depend on order and on how numbers
// were written (an integer stays an integer).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace puna {

class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;  // in order of appearance; a repeated key keeps the last value

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(std::int64_t{value}) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(value) {}
  Value(std::uint32_t value) : data_(std::int64_t{value}) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  static Value array(std::initializer_list<Value> items = {}) { return Value(Array(items)); }
  static Value object(std::initializer_list<Member> members = {}) { return Value(Object(members)); }

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* if_int() const { return std::get_if<std::int64_t>(&data_); }
  const std::uint64_t* if_uint() const { return std::get_if<std::uint64_t>(&data_); }  // only above INT64_MAX when parsed
  const double* if_double() const { return std::get_if<double>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  const Array* if_array() const { return std::get_if<Array>(&data_); }
  const Object* if_object() const { return std::get_if<Object>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }
  bool is_number() const { return if_int() || if_uint() || if_double(); }

  // The member of that name, or null where this is no object or has none.
  const Value* find(std::string_view key) const;
  // Sets or replaces a member; this must be an object or null (which becomes an object).
  Value& set(std::string_view key, Value value);
  void push_back(Value value);  // this must be an array or null (which becomes an array)

  // "null", "boolean", "integer", "number", "string", "array" or "object"
  std::string_view type_name() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> data_;
};

namespace json {

// Text to value; the error says line and column. Nesting deeper than `max_depth` is refused.
Result<Value> parse(std::string_view text, int max_depth = 128);

struct Style {
  int indent = -1;  // < 0: one line, no spaces
};
// Shortest numbers that read back the same; invalid UTF-8 becomes U+FFFD; not-a-number and infinities become null.
std::string write(const Value& value, Style style = {});

// The double that is written as shortly as the float was: 0.7f becomes 0.7, not 0.699999988079071.
double shortest(float value);

// `text` in quotes, escaped as JSON wants it.
std::string quote(std::string_view text);

}  // namespace json
}  // namespace puna
