// "{} {name.attr[0]!r:>8}".format(…)
#include <algorithm>
#include <charconv>

#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

constexpr int kMaxSpecDepth = 2;  // a format inside of a format

class BraceFormatter {
 public:
  BraceFormatter(Render& render, const Arguments& arguments) : render_(render), arguments_(arguments) {}

  Result<Text> format(const Text& pattern, int depth) {
    if (depth > kMaxSpecDepth) return fail("a format string is nested too deep in itself");
    TextBuilder out;
    const std::string_view bytes = pattern.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
      PUNA_TRY(render_.budget.allocate(brace - at + 1));
      out.append(pattern, {at, brace});
      if (brace >= bytes.size()) break;
      if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
        out.append(pattern, {brace, brace + 1});
        at = brace + 2;
        continue;
      }
      if (bytes[brace] == '}') return fail("a format string has a '}}' without its '{{'");
      const std::size_t end = PUNA_TRY(field_end(bytes, brace + 1));
      const Text field = *slice_text(pattern, {brace + 1, end});
      const Text shown = PUNA_TRY(format_field(field, depth));
      PUNA_TRY(render_.budget.allocate(shown.bytes.size()));
      out.append(shown);
      at = end + 1;
    }
    return out.take();
  }

 private:
  // The closing brace of the field that begins at `at`.
  static Result<std::size_t> field_end(std::string_view bytes, std::size_t at) {
    int open = 1;
    bool in_brackets = false;
    for (; at < bytes.size(); ++at) {
      const char c = bytes[at];
      if (in_brackets) {
        in_brackets = c != ']';
        continue;
      }
      if (c == '[' && open == 1) in_brackets = true;
      if (c == '{') ++open;
      if (c == '}' && --open == 0) return at;
    }
    return fail("a format string has a '{{' without its '}}'");
  }

  // Where the name of a field ends: at the first ! or : outside of brackets.
  static std::size_t name_end(std::string_view field) {
    bool in_brackets = false;
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == '[') in_brackets = true;
      if (field[i] == ']') in_brackets = false;
      if (!in_brackets && (field[i] == '!' || field[i] == ':')) return i;
    }
    return field.size();
  }

  Result<Text> format_field(const Text& field, int depth) {
    const std::string_view bytes = field.bytes;
    std::size_t at = name_end(bytes);
    Any value = PUNA_TRY(look_up(bytes.substr(0, at)));
    if (at < bytes.size() && bytes[at] == '!') {
      if (at + 1 >= bytes.size()) return fail("a format string has a '!' without a conversion");
      value = PUNA_TRY(convert(value, bytes[at + 1]));
      at += 2;
      if (at < bytes.size() && bytes[at] != ':') return fail("a format string expects ':' after a conversion");
    }
    Text spec;
    if (at < bytes.size()) spec = PUNA_TRY(format(*slice_text(field, {at + 1, bytes.size()}), depth + 1));
    return format_value(render_, value, spec);
  }

  Result<Any> convert(const Any& value, char conversion) {
    if (conversion == 's') return Any(PUNA_TRY(to_text(render_.budget, value)));
    if (conversion == 'r') return Any(PUNA_TRY(to_repr(render_.budget, value)));
    if (conversion == 'a') return Any(user_text(escape_ascii(PUNA_TRY(to_repr(render_.budget, value))->bytes)));
    return fail("'!{}' is no conversion of a format string", conversion);
  }

  static std::optional<std::size_t> as_number(std::string_view text) {
    std::size_t value = 0;
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
    return value;
  }

  Result<Any> look_up(std::string_view name) {
    const std::size_t first_end = std::min(name.find_first_of(".["), name.size());
    const std::string_view first = name.substr(0, first_end);
    Any value;
    if (name.empty() || as_number(first)) {
      if (numbering_ && *numbering_ != name.empty()) return fail("a format string numbers either all of its fields or none");
      numbering_ = name.empty();
      const std::size_t index = name.empty() ? next_++ : *as_number(first);
      if (index >= arguments_.positional.size()) return fail("the format string has no value number {}", index);
      value = arguments_.positional[index];
    } else {
      const auto found = std::find_if(arguments_.named.begin(), arguments_.named.end(),
                                      [first](const auto& one) { return one.first->bytes == first; });
      if (found == arguments_.named.end()) return fail("the format string has no value '{}'", first);
      value = found->second;
    }
    for (std::size_t at = first_end; at < name.size();) {
      const bool is_attribute = name[at] == '.';
      const std::size_t end = is_attribute ? std::min(name.find_first_of(".[", at + 1), name.size()) : name.find(']', at);
      if (end == std::string_view::npos || end == at + 1) return fail("a field of the format string has an empty or open part");
      const std::string_view part = name.substr(at + 1, end - at - 1);
      const auto index = is_attribute ? std::nullopt : as_number(part);
      const TextRef key = user_text(std::string(part));
      value = PUNA_TRY(is_attribute ? attribute(value, key) : get_item(render_, value, index ? Any(*index) : Any(key)));
      at = is_attribute ? end : end + 1;
      if (at < name.size() && name[at] != '.' && name[at] != '[')
        return fail("only '.' or '[' may follow ']' in a format string");
    }
    return value;
  }

  // As get_attribute, for a name that does not outlive the call.
  Result<Any> attribute(const Any& value, const TextRef& name) {
    Any found = PUNA_TRY(get_attribute(render_, value, name));
    return found.is_undefined() ? Any(Undefined{nullptr, Undefined::Of::attribute}) : found;
  }

  Render& render_;
  const Arguments& arguments_;
  std::size_t next_ = 0;
  std::optional<bool> numbering_;  // true: by order, false: by number
};

}  // namespace

Result<Any> format_braces(Render& render, const Text& pattern, const Arguments& arguments) {
  return make_string(render.budget, PUNA_TRY(BraceFormatter(render, arguments).format(pattern, 0)));
}

}  // namespace puna::text::jinja
