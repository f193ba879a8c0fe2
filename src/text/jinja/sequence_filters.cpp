// Filters that read a whole value at once: lengths, sorting, joining, JSON.
#include <algorithm>
#include <array>

#include "text/jinja/filters.h"
#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

Any nothing(const char* sentence) {
  static const TextRef kFirst = literal_text("there is no first item, the sequence is empty");
  static const TextRef kLast = literal_text("there is no last item, the sequence is empty");
  static const TextRef kBest = literal_text("there is no smallest or largest item, the sequence is empty");
  const TextRef& text = sentence[0] == 'f' ? kFirst : sentence[0] == 'l' ? kLast : kBest;
  return Any(Undefined{text.get(), Undefined::Of::note});
}

Result<Any> default_filter(Render&, const Any& input, Given given) {
  const bool replaces = input.is_undefined() || (given.flag(1) && !truth(input));
  if (!replaces) return input;
  return given.has(0) ? given[0] : Any(literal_text(""));
}

Result<Any> length_filter(Render& render, const Any& input, Given) { return Any(PUNA_TRY(length_of(render, input))); }

Result<Any> first_filter(Render& render, const Any& input, Given) {
  Iterator items = PUNA_TRY(Iterator::over(input));
  const auto item = PUNA_TRY(items.next(render));
  return item ? *item : nothing("first");
}

bool is_reversible(const Any& value) {
  return value.is_undefined() || value.is(Kind::text) || value.if_sequence() != nullptr || value.is(Kind::dict) ||
         value.is(Kind::view) || value.is(Kind::range);
}

Result<Any> last_filter(Render& render, const Any& input, Given) {
  if (!is_reversible(input)) return fail("a value of type {} cannot be read from its end", type_name(input));
  const std::vector<Any> items = PUNA_TRY(collect(render, input));
  return items.empty() ? nothing("last") : items.back();
}

Result<Any> list_filter(Render& render, const Any& input, Given) {
  return make_list(render.budget, PUNA_TRY(collect(render, input)));
}

Result<Any> join_filter(Render& render, const Any& input, Given given) {
  const TextRef separator = given.has(0) ? PUNA_TRY(to_text(render.budget, given[0])) : literal_text("");
  const AttributePath path = PUNA_TRY(AttributePath::parse(given[1]));
  Iterator items = PUNA_TRY(Iterator::over(input));
  TextBuilder out;
  bool first = true;
  while (const auto item = PUNA_TRY(items.next(render))) {
    if (!std::exchange(first, false)) PUNA_TRY(append_text(render.budget, out, Any(separator)));
    PUNA_TRY(append_text(render.budget, out, PUNA_TRY(path.get(render, *item))));
  }
  return make_string(render.budget, out);
}

// The sort key of an item: the attributes asked for, in a list, so that equal ones need no order.
Result<Any> key_of(Render& render, const Any& item, const std::vector<AttributePath>& paths, bool case_sensitive) {
  std::vector<Any> parts;
  for (const AttributePath& path : paths) {
    const Any value = PUNA_TRY(path.get(render, item));
    parts.push_back(case_sensitive ? value : ignore_case(value));
  }
  return make_list(render.budget, std::move(parts));
}

Result<std::vector<AttributePath>> parse_paths(const Any& attribute) {
  std::vector<AttributePath> paths;
  const Text* text = attribute.if_text();
  if (text == nullptr) {
    paths.push_back(PUNA_TRY(AttributePath::parse(attribute)));
    return paths;
  }
  for (std::size_t begin = 0; begin <= text->bytes.size();) {
    const std::size_t end = std::min(text->bytes.find(',', begin), text->bytes.size());
    paths.push_back(PUNA_TRY(AttributePath::parse(Any(slice_text(*text, {begin, end})))));
    begin = end + 1;
  }
  return paths;
}

Result<Any> sort_filter(Render& render, const Any& input, Given given) {
  std::vector<Any> items = PUNA_TRY(collect(render, input));
  const auto paths = PUNA_TRY(parse_paths(given[2]));
  std::vector<Any> keys;
  for (const Any& item : items) keys.push_back(PUNA_TRY(key_of(render, item, paths, given.flag(1))));
  return make_list(render.budget, PUNA_TRY(sort_by_key(render, std::move(items), keys, given.flag(0))));
}

Result<Any> dictsort_filter(Render& render, const Any& input, Given given) {
  const std::string by = given.has(1) ? PUNA_TRY(to_text(render.budget, given[1]))
  ->bytes : "key";
  if (by != "key" && by != "value") return fail("dictsort() sorts by 'key' or by 'value', not by '{}'", by);
  if (input.is_undefined()) return undefined_error(input);
  const Dict* dict = input.if_dict();
  if (dict == nullptr) return fail("dictsort() works on mappings, not on {}", type_name(input));
  std::vector<Any> pairs;
  std::vector<Any> keys;
  for (const auto& [key, value] : dict->entries) {
    pairs.push_back(PUNA_TRY(make_tuple(render.budget, {key, value})));
    const Any& chosen = by == "key" ? key : value;
    keys.push_back(given.flag(0) ? chosen : ignore_case(chosen));
  }
  return make_list(render.budget, PUNA_TRY(sort_by_key(render, std::move(pairs), keys, given.flag(2))));
}

Result<Any> extreme(Render& render, const Any& input, Given given, bool largest) {
  const AttributePath path = PUNA_TRY(AttributePath::parse(given[1]));
  Iterator items = PUNA_TRY(Iterator::over(input));
  std::optional<Any> best;
  Any best_key;
  while (const auto item = PUNA_TRY(items.next(render))) {
    Any key = PUNA_TRY(path.get(render, *item));
    if (!given.flag(0)) key = ignore_case(key);
    const bool better = !best || PUNA_TRY(largest ? less(render.budget, best_key, key) : less(render.budget, key, best_key));
    if (!better) continue;
    best = item;
    best_key = std::move(key);
  }
  return best ? *best : nothing("best");
}

Result<Any> sum_filter(Render& render, const Any& input, Given given) {
  const AttributePath path = PUNA_TRY(AttributePath::parse(given[0]));
  Any total = given.has(1) ? given[1] : Any(0);
  if (total.is(Kind::text)) return fail("sum() cannot add strings");
  Iterator items = PUNA_TRY(Iterator::over(input));
  while (const auto item = PUNA_TRY(items.next(render))) {
    total = PUNA_TRY(binary(render, BinaryOp::add, total, PUNA_TRY(path.get(render, *item))));
  }
  return total;
}

Result<Any> groupby_filter(Render& render, const Any& input, Given given) {
  const AttributePath path = PUNA_TRY(AttributePath::parse(given[0]));
  std::vector<Any> items = PUNA_TRY(collect(render, input));
  const auto key_for = [&](const Any& item) -> Result<Any> {
    const Any value = PUNA_TRY(path.get_or(render, item, given[1]));
    return given.flag(2) ? value : ignore_case(value);
  };
  std::vector<Any> keys;
  for (const Any& item : items) keys.push_back(PUNA_TRY(key_for(item)));
  const std::vector<Any> sorted = PUNA_TRY(sort_by_key(render, std::move(items), keys, false));
  std::vector<Any> groups;
  for (std::size_t i = 0; i < sorted.size();) {
    const Any key = PUNA_TRY(key_for(sorted[i]));
    std::vector<Any> members;
    const Any grouper = PUNA_TRY(path.get_or(render, sorted[i], given[1]));
    for (; i < sorted.size(); ++i) {
      if (!members.empty() && !PUNA_TRY(equals(render.budget, key, PUNA_TRY(key_for(sorted[i]))))) break;
      members.push_back(sorted[i]);
    }
    const Any list = PUNA_TRY(make_list(render.budget, std::move(members)));
    groups.push_back(PUNA_TRY(make_tuple(render.budget, {grouper, list}, true)));
  }
  return make_list(render.budget, std::move(groups));
}

Result<Any> attr_filter(Render& render, const Any& input, Given given) {
  const TextRef name = PUNA_TRY(given.text(0));
  const Any found = PUNA_TRY(find_attribute(render, input, name));
  return found.is_missing() || found.is_undefined() ? Any(Undefined{nullptr, Undefined::Of::attribute}) : found;
}

Result<Any> tojson_filter(Render& render, const Any& input, Given given) {
  JsonStyle style{.ensure_ascii = given.flag(0), .sort_keys = given.flag(3), .indent = {}};
  if (given.is_given(1)) {
    style.item_separator = ",";
    if (const Text* text = given[1].if_text()) {
      style.indent = text->bytes;
    } else {
      const std::int64_t width = PUNA_TRY(given.integer(1, 0));
      PUNA_TRY(render.budget.allocate(static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0))));
      style.indent = std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
    }
  }
  if (given.is_given(2)) {
    const std::vector<Any> separators = PUNA_TRY(collect(render, given[2]));
    if (separators.size() != 2 || !separators[0].is(Kind::text) || !separators[1].is(Kind::text)) {
      return fail("the separators of tojson() are two strings: between items and after keys");
    }
    style.item_separator = separators[0].if_text()->bytes;
    style.key_separator = separators[1].if_text()->bytes;
  }
  TextBuilder out;
  out.user(PUNA_TRY(to_json(render.budget, input, style)));
  return make_string(render.budget, out);
}

const std::array kFilters = std::to_array<FilterEntry>({
    {{"default", {"default_value", "boolean"}, 0}, default_filter},
    {{"length"}, length_filter},
    {{"first"}, first_filter},
    {{"last"}, last_filter},
    {{"list"}, list_filter},
    {{"join", {"d", "attribute"}, 0}, join_filter},
    {{"sort", {"reverse", "case_sensitive", "attribute"}, 0}, sort_filter},
    {{"dictsort", {"case_sensitive", "by", "reverse"}, 0}, dictsort_filter},
    {{"min", {"case_sensitive", "attribute"}, 0}, [](Render& r, const Any& v, Given g) { return extreme(r, v, g, false); }},
    {{"max", {"case_sensitive", "attribute"}, 0}, [](Render& r, const Any& v, Given g) { return extreme(r, v, g, true); }},
    {{"sum", {"attribute", "start"}, 0}, sum_filter},
    {{"groupby", {"attribute", "default", "case_sensitive"}, 1}, groupby_filter},
    {{"attr", {"name"}, 1}, attr_filter},
    {{"tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}, 0}, tojson_filter},
});

}  // namespace

std::span<const FilterEntry> sequence_filters() { return kFilters; }

}  // namespace puna::text::jinja
