#include "text/jinja/filters.h"

#include <algorithm>

#include "text/jinja/letter_case.h"

namespace puna::text::jinja {

const FilterEntry* find_filter(std::string_view name) {
  struct Alias {
    std::string_view name, meaning;
  };
  constexpr Alias kAliases[] = {{"count", "length"}, {"d", "default"}, {"e", "escape"}};
  for (const Alias& alias : kAliases) {
    if (alias.name == name) name = alias.meaning;
  }
  for (const auto table : {text_filters(), number_filters(), sequence_filters(), stream_filters()}) {
    for (const FilterEntry& filter : table) {
      if (filter.signature.function == name) return &filter;
    }
  }
  return nullptr;
}

Result<Any> apply_filter(Render& render, const FilterEntry& filter, const Any& input, Arguments arguments) {
  const Render::Level level(render);
  PUNA_TRY(render.check_level());
  PUNA_TRY(render.budget.spend());
  if (filter.run_open != nullptr) return filter.run_open(render, input, std::move(arguments));
  const Parameters parameters = PUNA_TRY(Parameters::bind(filter.signature, std::move(arguments)));
  return filter.run(render, input, parameters);
}

Result<AttributePath> AttributePath::parse(const Any& attribute) {
  AttributePath path;
  if (attribute.is_missing() || attribute.is_none()) return path;
  const Text* text = attribute.if_text();
  if (text == nullptr) {
    path.parts_.push_back(attribute);
    return path;
  }
  const std::string_view bytes = text->bytes;
  for (std::size_t begin = 0; begin <= bytes.size();) {
    const std::size_t end = std::min(bytes.find('.', begin), bytes.size());
    const std::string_view part = bytes.substr(begin, end - begin);
    const bool is_number = !part.empty() && part.size() <= 18 && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number) {
      std::int64_t index = 0;
      for (char c : part) index = index * 10 + (c - '0');
      path.parts_.emplace_back(index);
    } else {
      path.parts_.emplace_back(slice_text(*text, {begin, end}));
    }
    begin = end + 1;
  }
  return path;
}

Result<Any> AttributePath::get(Render& render, const Any& item) const { return get_or(render, item, Any()); }

Result<Any> AttributePath::get_or(Render& render, const Any& item, const Any& otherwise) const {
  Any value = item;
  for (const Any& part : parts_) {
    value = PUNA_TRY(get_item(render, value, part));
    if (value.is_undefined() && !otherwise.is_missing() && !otherwise.is_none()) value = otherwise;
  }
  return value;
}

Any ignore_case(const Any& value) {
  const Text* text = value.if_text();
  return text != nullptr ? Any(make_text(map_case(*text, Case::lower))) : value;
}

Result<std::vector<Any>> sort_by_key(Render& render, std::vector<Any> items, const std::vector<Any>& keys, bool descending) {
  std::vector<Any> sorted;
  sorted.reserve(items.size());
  for (const std::size_t i : PUNA_TRY(sorted_order(render.budget, keys, descending))) sorted.push_back(std::move(items[i]));
  return sorted;
}

}  // namespace puna::text::jinja
