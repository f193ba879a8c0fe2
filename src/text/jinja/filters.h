// The filters: functions of the value before the bar.
#pragma once

#include <span>

#include "text/jinja/parameters.h"

namespace puna::text::jinja {

struct FilterEntry {
  Signature signature;  // .function is the filter's name
  Result<Any> (*run)(Render& render, const Any& input, const Parameters& parameters) = nullptr;
  Result<Any> (*run_open)(Render& render, const Any& input, Arguments arguments) = nullptr;  // takes arguments as they come
};

const FilterEntry* find_filter(std::string_view name);
Result<Any> apply_filter(Render& render, const FilterEntry& filter, const Any& input, Arguments arguments);

// One table for each kind of value; filters.cpp joins them.
std::span<const FilterEntry> text_filters();
std::span<const FilterEntry> number_filters();
std::span<const FilterEntry> sequence_filters();
std::span<const FilterEntry> stream_filters();

// How filters reach into items: "a.b.0" is item a, then b, then 0.
class AttributePath {
 public:
  static Result<AttributePath> parse(const Any& attribute);  // none or missing: the item itself
  Result<Any> get(Render& render, const Any& item) const;
  // With a value for what is undefined.
  Result<Any> get_or(Render& render, const Any& item, const Any& otherwise) const;

 private:
  std::vector<Any> parts_;
};
Any ignore_case(const Any& value);  // strings in lower case, anything else as it is

// A stable sort by Python's `<` of `key(item)`.
Result<std::vector<Any>> sort_by_key(Render& render, std::vector<Any> items, const std::vector<Any>& keys, bool descending);

}  // namespace puna::text::jinja
