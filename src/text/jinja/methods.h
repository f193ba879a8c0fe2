// The methods of strings, lists, tuples, dicts, loops and cyclers, as far as the sandbox lets a template call them.
#pragma once

#include <optional>
#include <string_view>

#include "text/jinja/parameters.h"

namespace puna::text::jinja {

struct MethodEntry {
  Kind owner;
  Signature signature;
  Result<Any> (*run)(Render& render, const Any& self, const Parameters& parameters) = nullptr;
  Result<Any> (*run_open)(Render& render, const Any& self, Arguments arguments) = nullptr;
};

// The method `name` of values like `owner`; nullopt where there is none.
std::optional<std::uint16_t> find_method(const Any& owner, std::string_view name);
// Whether Python has such a method but the sandbox hides it, because it changes the value or reaches beyond it.
bool is_hidden_method(const Any& owner, std::string_view name);
Result<Any> call_method(Render& render, const Method& method, Arguments arguments);

std::span<const MethodEntry> text_methods();
std::span<const MethodEntry> text_query_methods();
std::span<const MethodEntry> container_methods();

// str.format: {} {0} {name.attr[key]!r:>8}
Result<Any> format_braces(Render& render, const Text& pattern, const Arguments& arguments);
// "%s and %05.1f" % values
Result<Any> format_percent(Render& render, const Text& pattern, const Any& values);
// format(value, spec): the mini-language after the colon
Result<Text> format_value(Render& render, const Any& value, const Text& spec);

// What filters share with the methods.
Result<Any> replace_text(Render& render, const Text& text, const Text& old, const Text& with, std::int64_t at_most);
std::vector<Span> line_spans(const Text& text, bool keep_ends);  // as splitlines() cuts
// `text` with `left` and `right` copies of a character around it.
Result<Any> pad_text(Render& render, const Text& text, std::int64_t left, std::int64_t right, const Text& fill);
Result<Any> center_text(Render& render, const Text& text, std::int64_t width, const Text& fill);
TextRef escape_html(const Text& text);  // & < > ' " as entities; marked as markup

}  // namespace puna::text::jinja
