#include "base/value.h"

#include "base/check.h"

namespace puna {

const Value* Value::find(std::string_view key) const {
  const Object* object = if_object();
  if (!object) return nullptr;
  for (const auto& [name, value] : *object)
    if (name == key) return &value;
  return nullptr;
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object{};
  Object* object = if_object();
  PUNA_CHECK(object, "Value::set on a value that is no object");
  for (auto& [name, old] : *object)
    if (name == key) return old = std::move(value);
  return object->emplace_back(std::string(key), std::move(value)).second;
}

void Value::push_back(Value value) {
  if (is_null()) data_ = Array{};
  Array* items = if_array();
  PUNA_CHECK(items, "Value::push_back on a value that is no array");
  items->push_back(std::move(value));
}

std::string_view Value::type_name() const {
  static constexpr std::string_view kNames[] = {"null", "boolean", "integer", "integer", "number", "string", "array", "object"};
  return kNames[data_.index()];
}

}  // namespace puna
