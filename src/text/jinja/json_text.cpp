// json.dumps, as the filter tojson calls it.
#include <cmath>

#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

void append_unicode(std::string& out, char32_t c) {
  const auto unit = [&](std::uint32_t value) { out += fmt::format("\\u{:04x}", value); };
  if (c < 0x10000) return unit(static_cast<std::uint32_t>(c));
  const auto above = static_cast<std::uint32_t>(c) - 0x10000;
  unit(0xD800 + (above >> 10U));
  unit(0xDC00 + (above & 0x3FFU));
}

void append_json_string(std::string& out, std::string_view bytes, bool ensure_ascii) {
  out += '"';
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const std::string_view one = bytes.substr(at, end - at);
    const char32_t c = decode(one);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (c < 0x20 || (ensure_ascii && c >= 0x7F)) {
          append_unicode(out, c);
        } else {
          out += one;
        }
    }
    at = end;
  }
  out += '"';
}

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return real_text(value);
}

class JsonWriter {
 public:
  JsonWriter(Budget& budget, const JsonStyle& style) : budget_(budget), style_(style) {}

  Result<void> write(const Any& value) {
    PUNA_TRY(budget_.spend());
    switch (value.kind()) {
      case Kind::none:
        out_ += "null";
        return {};
      case Kind::boolean:
        out_ += *value.if_bool() ? "true" : "false";
        return {};
      case Kind::integer:
        out_ += integer_text(*value.if_integer());
        return {};
      case Kind::real:
        out_ += json_number(*value.if_real());
        return {};
      case Kind::text:
        PUNA_TRY(budget_.allocate(value.if_text()->bytes.size()));
        append_json_string(out_, value.if_text()->bytes, style_.ensure_ascii);
        return {};
      case Kind::list:
      case Kind::tuple:
        return write_items(value.if_sequence()->items);
      case Kind::dict:
        return write_dict(*value.if_dict());
      default:
        return fail("a value of type {} cannot be written as JSON", type_name(value));
    }
  }
  std::string take() { return std::move(out_); }

 private:
  Result<void> new_line() {
    if (!style_.indent) return {};
    PUNA_TRY(budget_.allocate(style_.indent->size() * static_cast<std::size_t>(level_)));
    out_ += '\n';
    for (int i = 0; i < level_; ++i) out_ += *style_.indent;
    return {};
  }

  Result<void> separate(bool first) {
    if (!first) out_ += style_.item_separator;
    PUNA_TRY(budget_.allocate(style_.item_separator.size() + style_.key_separator.size()));
    return new_line();
  }

  Result<void> write_items(const std::vector<Any>& items) {
    if (items.empty()) {
      out_ += "[]";
      return {};
    }
    out_ += '[';
    ++level_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      PUNA_TRY(separate(i == 0));
      PUNA_TRY(write(items[i]));
    }
    --level_;
    PUNA_TRY(new_line());
    out_ += ']';
    return {};
  }

  Result<std::string> key_text(const Any& key) {
    switch (key.kind()) {
      case Kind::text:
        return key.if_text()->bytes;
      case Kind::none:
        return std::string("null");
      case Kind::boolean:
        return std::string(*key.if_bool() ? "true" : "false");
      case Kind::integer:
        return integer_text(*key.if_integer());
      case Kind::real:
        return json_number(*key.if_real());
      default:
        return fail("keys must be str, int, float, bool or None, not {}", type_name(key));
    }
  }

  Result<std::vector<const Dict::Entry*>> in_order(const Dict& dict) {
    std::vector<const Dict::Entry*> entries;
    if (!style_.sort_keys) {
      for (const Dict::Entry& entry : dict.entries) entries.push_back(&entry);
      return entries;
    }
    std::vector<Any> keys;
    for (const Dict::Entry& entry : dict.entries) keys.push_back(entry.first);
    for (const std::size_t i : PUNA_TRY(sorted_order(budget_, keys, false))) entries.push_back(&dict.entries[i]);
    return entries;
  }

  Result<void> write_dict(const Dict& dict) {
    if (dict.entries.empty()) {
      out_ += "{}";
      return {};
    }
    out_ += '{';
    ++level_;
    bool first = true;
    for (const Dict::Entry* entry : PUNA_TRY(in_order(dict))) {
      PUNA_TRY(separate(std::exchange(first, false)));
      const std::string key = PUNA_TRY(key_text(entry->first));
      PUNA_TRY(budget_.allocate(key.size()));
      append_json_string(out_, key, style_.ensure_ascii);
      out_ += style_.key_separator;
      PUNA_TRY(write(entry->second));
    }
    --level_;
    PUNA_TRY(new_line());
    out_ += '}';
    return {};
  }

  Budget& budget_;
  const JsonStyle& style_;
  std::string out_;
  int level_ = 0;
};

}  // namespace

Result<std::string> to_json(Budget& budget, const Any& value, const JsonStyle& style) {
  JsonWriter writer(budget, style);
  PUNA_TRY(writer.write(value));
  return writer.take();
}

}  // namespace puna::text::jinja
