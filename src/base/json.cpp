#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "base/value.h"

namespace puna::json {
namespace {

// Receives Boost's parse events and builds Values; a number's own type is kept.
struct Handler {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  using Code = boost::json::error_code;
  using View = boost::json::string_view;

  struct Level {
    Value value;
    std::string key;
    std::unordered_map<std::string, std::size_t> places;  // key → index, once an object is large
  };

  Value root;
  std::vector<Level> levels;
  std::string text;

  void put(Value value) {
    if (levels.empty()) {
      root = std::move(value);
      return;
    }
    Level& top = levels.back();
    if (auto* items = top.value.if_array()) {
      items->push_back(std::move(value));
      return;
    }
    // A hash beside the vector keeps a hostile object of a million keys linear.
    auto* members = top.value.if_object();
    auto [place, fresh] = top.places.try_emplace(top.key, members->size());
    if (fresh)
      members->emplace_back(std::move(top.key), std::move(value));
    else
      (*members)[place->second].second = std::move(value);
    top.key.clear();
  }
  bool close() {
    Value done = std::move(levels.back().value);
    levels.pop_back();
    put(std::move(done));
    return true;
  }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) { return levels.push_back({Value::object(), {}, {}}), true; }
  bool on_object_end(std::size_t, Code&) { return close(); }
  bool on_array_begin(Code&) { return levels.push_back({Value::array(), {}, {}}), true; }
  bool on_array_end(std::size_t, Code&) { return close(); }
  bool on_key_part(View part, std::size_t, Code&) { return levels.back().key.append(part.data(), part.size()), true; }
  bool on_key(View part, std::size_t, Code&) { return levels.back().key.append(part.data(), part.size()), true; }
  bool on_string_part(View part, std::size_t, Code&) { return text.append(part.data(), part.size()), true; }
  bool on_string(View part, std::size_t, Code&) {
    text.append(part.data(), part.size());
    put(std::exchange(text, {}));
    return true;
  }
  bool on_number_part(View part, Code&) { return text.append(part.data(), part.size()), true; }
  bool on_int64(std::int64_t value, View, Code&) { return text.clear(), put(value), true; }
  bool on_uint64(std::uint64_t value, View, Code&) { return text.clear(), put(value), true; }
  // Boost's own double can be off in the last bit; the digits are read again, correctly rounded.
  bool on_double(double value, View part, Code&) {
    text.append(part.data(), part.size());
    std::from_chars(text.data(), text.data() + text.size(), value);
    text.clear();
    return put(value), true;
  }
  bool on_bool(bool value, Code&) { return put(value), true; }
  bool on_null(Code&) { return put(nullptr), true; }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }
};

void write_string(std::string& out, std::string_view text);

void write_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[32];
  auto [end, _] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out += digits;
  if (digits.find_first_of(".e") == digits.npos) out += ".0";  // stays a double when read back
}

void write_value(std::string& out, const Value& value, Style style, int depth) {
  const auto new_line = [&](int level) {
    if (style.indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(style.indent * level), ' ');
  };
  if (const auto* boolean = value.if_bool()) {
    out += *boolean ? "true" : "false";
  } else if (const auto* integer = value.if_int()) {
    out += fmt::format("{}", *integer);
  } else if (const auto* natural = value.if_uint()) {
    out += fmt::format("{}", *natural);
  } else if (const auto* number = value.if_double()) {
    write_double(out, *number);
  } else if (const auto* text = value.if_string()) {
    write_string(out, *text);
  } else if (const auto* items = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i) out += ',';
      new_line(depth + 1);
      write_value(out, (*items)[i], style, depth + 1);
    }
    if (!items->empty()) new_line(depth);
    out += ']';
  } else if (const auto* members = value.if_object()) {
    out += '{';
    for (std::size_t i = 0; i < members->size(); ++i) {
      if (i) out += ',';
      new_line(depth + 1);
      write_string(out, (*members)[i].first);
      out += style.indent < 0 ? ":" : ": ";
      write_value(out, (*members)[i].second, style, depth + 1);
    }
    if (!members->empty()) new_line(depth);
    out += '}';
  } else {
    out += "null";
  }
}

// Length of the valid UTF-8 sequence at the start of `text`; 0 where there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void write_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace

Result<Value> parse(std::string_view text, int max_depth) {
  boost::json::parse_options options;
  options.max_depth = static_cast<std::size_t>(max_depth);
  boost::json::basic_parser<Handler> parser(options);
  boost::json::error_code code;
  std::size_t used = parser.write_some(false, text.data(), text.size(), code);
  if (!code && used < text.size()) {
    const std::size_t more = text.find_first_not_of(" \t\r\n", used);
    if (more == text.npos)
      used = text.size();
    else
      code = boost::json::error::extra_data;
  }
  if (code) {
    std::size_t line = 1, column = 1;
    for (char c : text.substr(0, used)) {
      ++column;
      if (c == '\n') ++line, column = 1;
    }
    return fail("JSON, line {}, column {}: {}", line, column, code.message());
  }
  return std::move(parser.handler().root);
}

std::string write(const Value& value, Style style) {
  std::string out;
  write_value(out, value, style, 0);
  return out;
}

double shortest(float value) {
  double result = value;
  if (!std::isfinite(value)) return result;
  char digits[32];
  const auto [end, _] = std::to_chars(digits, digits + sizeof digits, value);
  std::from_chars(digits, end, result);
  return result;
}

std::string quote(std::string_view text) {
  std::string out;
  write_string(out, text);
  return out;
}

}  // namespace puna::json
