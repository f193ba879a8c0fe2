// --override-kv KEY=TYPE:VALUE
#include <charconv>
#include <cmath>

#include "gguf/parse.h"
#include "gguf/reader.h"
#include "gguf/writer.h"

namespace puna::gguf {
namespace {

struct Override {
  std::string_view key, type, value;
};

Result<Override> split(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = equals == text.npos ? equals : text.find(':', equals);
  if (colon == text.npos || equals == 0 || equals > kMaxKeyBytes) {
    auto problem = error(ErrorKind::invalid, "override {}: wanted KEY=TYPE:VALUE", shown(text));
    return std::unexpected(
        std::move(problem).with_hint("for example tokenizer.ggml.add_bos_token=bool:false; TYPE is int, float, bool or str"));
  }
  return Override{text.substr(0, equals), text.substr(equals + 1, colon - equals - 1), text.substr(colon + 1)};
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The file's own width where the number fits, so that a file written back keeps its types.
template <class... Narrow>
Encoded encode_as(ValueType type, std::int64_t value) {
  Encoded result = encode(value);
  const auto try_type = [&]<class T>(T) {
    const Encoded candidate = encode(static_cast<T>(value));
    if (candidate.type == type && std::in_range<T>(value)) result = candidate;
  };
  (try_type(Narrow{}), ...);
  return result;
}

Result<Encoded> encode_override(const Override& wanted, std::optional<ValueType> present) {
  const ValueType type = present.value_or(ValueType::i64);
  if (wanted.type == "int") {
    const auto value = number<std::int64_t>(wanted.value);
    if (value && type == ValueType::f32) return encode(static_cast<float>(*value));
    if (value && type == ValueType::f64) return encode(static_cast<double>(*value));
    if (value)
      return encode_as<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t>(
          type, *value);
  } else if (wanted.type == "float") {
    const auto value = number<double>(wanted.value);
    if (value && std::isfinite(*value)) return type == ValueType::f32 ? encode(static_cast<float>(*value)) : encode(*value);
  } else if (wanted.type == "bool") {
    if (wanted.value == "true" || wanted.value == "false") return encode(wanted.value == "true");
  } else if (wanted.type == "str") {
    return encode(wanted.value);
  } else {
    return fail("the type is {}, wanted int, float, bool or str", shown(wanted.type));
  }
  return fail("{} is no {}", shown(wanted.value), wanted.type == "bool" ? "bool: wanted true or false" : wanted.type);
}

bool replaces(std::string_view wanted, ValueType present) {
  if (wanted == "int") return is_integer(present) || is_float(present);
  if (wanted == "float") return is_float(present);
  if (wanted == "bool") return present == ValueType::boolean;
  return present == ValueType::string;
}

}  // namespace

Result<void> File::apply_override(std::string_view text) {
  const Override wanted = PUNA_TRY(split(text));
  if (wanted.key == "general.alignment" || wanted.key.starts_with("split."))
    return fail("override {}: this key says how the file is laid out and cannot be another", shown(text));
  const auto place = key_places_.find(wanted.key);
  std::optional<ValueType> present;
  if (place != key_places_.end()) present = metadata_[place->second].value.type();
  auto encoded = encode_override(wanted, present);
  if (!encoded) return std::unexpected(std::move(encoded).error().within("override " + shown(text)));
  if (present && !replaces(wanted.type, *present))
    return fail("override {}: in {} the key holds {}, which {} cannot replace", shown(text), name_,
                metadata_[place->second].value.type_text(), wanted.type);

  const MetaValue value(encoded->type, owned_.emplace_back(std::move(encoded->payload)));
  if (present) {
    metadata_[place->second].value = value;
    return {};
  }
  const auto* start = reinterpret_cast<const std::byte*>(wanted.key.data());
  const auto& key = owned_.emplace_back(start, start + wanted.key.size());
  const std::string_view view(reinterpret_cast<const char*>(key.data()), key.size());
  key_places_.emplace(view, metadata_.size());
  metadata_.push_back({view, value});
  return {};
}

Result<void> File::apply_overrides(const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) PUNA_TRY(apply_override(text));
  return {};
}

}  // namespace puna::gguf
