#include "text/tool_calls/read_off.h"

#include <algorithm>

#include "text/tool_calls/json_scanner.h"
#include "text/tool_calls/tape.h"

namespace puna::text::tool_calls {

namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// White space around a marker, or none, is the marker's own business.
std::string loose(std::string_view text) {
  const std::string core = trimmed(text);
  return core.empty() ? core : "~" + core;
}

// Where the object that begins at `begin` ends; npos: it is none.
std::size_t object_end(std::string_view text, std::size_t begin) {
  JsonScanner scanner;
  for (std::size_t i = begin; i < text.size() && scanner.feed(text[i]); ++i)
    if (scanner.done()) return i + 1;
  return std::string_view::npos;
}

std::optional<ToolForm> read_off_json(std::string_view text, const KnownCall& call) {
  for (std::size_t begin = text.find('{'); begin != text.npos; begin = text.find('{', begin + 1)) {
    const std::size_t end = object_end(text, begin);
    if (end == text.npos) continue;
    const Result<Value> object = json::parse(text.substr(begin, end - begin));
    if (!object) continue;
    ToolForm form{.name = "json"};
    form.name_keys.clear();
    form.argument_keys.clear();
    for (const auto& [key, value] : *object->if_object()) {
      if (value == Value(call.name)) form.name_keys.push_back(key);
      if (value == call.arguments()) form.argument_keys.push_back(key);
    }
    if (form.name_keys.empty() || form.argument_keys.empty()) continue;
    form.call_open = trimmed(text.substr(0, begin));
    form.call_close = loose(text.substr(end));
    if (form.call_open.ends_with('[') && form.call_close.starts_with("~]")) {
      form.is_list = true;
      form.call_open = trimmed(std::string_view(form.call_open).substr(0, form.call_open.size() - 1));
      form.call_close = loose(std::string_view(form.call_close).substr(2));
    }
    return form;
  }
  return std::nullopt;
}

std::optional<ToolForm> read_off_named(std::string_view text, const KnownCall& call, std::size_t name) {
  const std::size_t after_name = name + call.name.size();
  const std::size_t begin = text.find('{', after_name);
  const std::size_t end = begin == text.npos ? begin : object_end(text, begin);
  if (end == text.npos) return std::nullopt;
  const Result<Value> arguments = json::parse(text.substr(begin, end - begin));
  if (!arguments || *arguments != call.arguments()) return std::nullopt;
  return ToolForm{.name = "named",
                  .body = Body::named_json,
                  .call_open = trimmed(text.substr(0, name)),
                  .call_close = loose(text.substr(end)),
                  .name_close = {loose(text.substr(after_name, begin - after_name))}};
}

std::optional<ToolForm> read_off_tags(std::string_view text, const KnownCall& call, std::size_t name) {
  const std::size_t after_name = name + call.name.size();
  const auto after = [&](const std::string& what, std::size_t from) { return from == text.npos ? from : text.find(what, from); };
  const std::size_t key1 = after(call.key1, after_name), value1 = after(call.value1, key1);
  const std::size_t key2 = after(call.key2, value1), value2 = after(call.value2, key2);
  if (value2 == text.npos) return std::nullopt;
  const std::string_view before_key1 = text.substr(after_name, key1 - after_name);
  const std::size_t after_value1 = value1 + call.value1.size();
  const std::string_view between = text.substr(after_value1, key2 - after_value1);
  std::size_t n = 0;
  while (n < std::min(before_key1.size(), between.size()) &&
         before_key1[before_key1.size() - 1 - n] == between[between.size() - 1 - n])
    ++n;
  ToolForm form{.name = "tags", .body = Body::tagged, .call_open = trimmed(text.substr(0, name))};
  form.key_open = between.substr(between.size() - n);  // white space before the key is its own
  form.key_open.erase(0, form.key_open.find_first_not_of(" \t\r\n"));
  form.value_close = trimmed(between.substr(0, between.size() - n));
  form.is_value_on_lines = between.starts_with('\n');
  form.key_close = trimmed(text.substr(key1 + call.key1.size(), value1 - key1 - call.key1.size()));
  if (const std::string close = loose(before_key1.substr(0, before_key1.size() - n)); !close.empty()) form.name_close = {close};
  const std::string tail = trimmed(text.substr(value2 + call.value2.size()));
  if (form.value_close.empty() || form.key_open.empty() || form.key_close.empty() || !tail.starts_with(form.value_close))
    return std::nullopt;
  form.arguments_close = trimmed(std::string_view(tail).substr(form.value_close.size()));
  return form.arguments_close.empty() ? std::nullopt : std::optional(form);
}

}  // namespace

std::optional<ToolForm> read_off_call(std::string_view text, const KnownCall& call) {
  if (std::optional<ToolForm> form = read_off_json(text, call)) return form;
  const std::size_t name = text.find(call.name);
  if (name == text.npos || trimmed(text.substr(0, name)).empty()) return std::nullopt;
  if (std::optional<ToolForm> form = read_off_named(text, call, name)) return form;
  return read_off_tags(text, call, name);
}

std::optional<ThinkForm> read_off_marks(std::string_view text, std::string_view inner) {
  const std::size_t at = text.find(inner);
  if (at == text.npos) return std::nullopt;
  const std::string before = trimmed(text.substr(0, at)), after = trimmed(text.substr(at + inner.size()));
  for (const auto [open, close] : {std::pair('<', '>'), std::pair('[', ']')}) {
    if (!before.ends_with(close) || !after.starts_with(open)) continue;
    const std::size_t begin = before.rfind(open), end = after.find(close);
    if (begin == before.npos || end == after.npos) continue;
    return ThinkForm{before.substr(begin), after.substr(0, end + 1)};
  }
  return std::nullopt;
}

}  // namespace puna::text::tool_calls
