// Filters that make text.
#include <algorithm>
#include <array>

#include "text/jinja/filters.h"
#include "text/jinja/letter_case.h"
#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

Result<Any> with_case(Render& render, const Any& input, Case how) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  return make_string(render.budget, map_case(*text, how));
}

Result<Any> capitalize_filter(Render& render, const Any& input, Given) {
  return make_string(render.budget, capitalize(*PUNA_TRY(to_text(render.budget, input))));
}

// Words begin after white space and after - ( { [ <.
Result<Any> title_filter(Render& render, const Any& input, Given) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  const std::string_view bytes = text->bytes;
  const auto separates = [&](std::size_t at, std::size_t end) {
    const char32_t c = decode(bytes.substr(at, end - at));
    return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  TextBuilder out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t first = char_end(bytes, at);
    out.append(map_case(*slice_text(*text, {at, first}), Case::upper));
    std::size_t end = first;
    if (!separates(at, first)) {
      while (end < bytes.size() && !separates(end, char_end(bytes, end))) end = char_end(bytes, end);
    }
    out.append(map_case(*slice_text(*text, {first, end}), Case::lower));
    at = end;
  }
  return make_string(render.budget, out);
}

Result<Any> trim_filter(Render& render, const Any& input, Given given) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  const TextRef chars = given.is_given(0) ? PUNA_TRY(given.text(0)) : nullptr;
  if (chars != nullptr) PUNA_TRY(render.budget.spend(chars->bytes.size()));
  TextBuilder out;
  out.append(*text, strip_span(*text, chars.get(), true, true));
  return make_string(render.budget, out, text->markup);
}

Result<Any> replace_filter(Render& render, const Any& input, Given given) {
  Text text = *PUNA_TRY(to_text(render.budget, input));
  text.markup = false;
  const TextRef old = PUNA_TRY(to_text(render.budget, given[0]));
  const TextRef with = PUNA_TRY(to_text(render.budget, given[1]));
  const std::int64_t at_most = given.is_given(2) ? PUNA_TRY(given.integer(2, -1)) : -1;
  return replace_text(render, text, *old, *with, at_most);
}

Result<Any> string_filter(Render& render, const Any& input, Given) { return Any(PUNA_TRY(to_text(render.budget, input))); }

Result<Any> safe_filter(Render& render, const Any& input, Given) {
  Text text = *PUNA_TRY(to_text(render.budget, input));
  text.markup = true;
  return make_string(render.budget, std::move(text));
}

Result<Any> escape_filter(Render& render, const Any& input, Given) {
  if (input.is(Kind::text) && input.if_text()->markup) return input;
  return Any(escape_html(*PUNA_TRY(to_text(render.budget, input))));
}

Result<Any> force_escape_filter(Render& render, const Any& input, Given) {
  return Any(escape_html(*PUNA_TRY(to_text(render.budget, input))));
}

Result<Any> format_filter(Render& render, const Any& input, Arguments arguments) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    return fail("format() takes values in order or by name, not both");
  }
  if (arguments.named.empty()) {
    return format_percent(render, *text, PUNA_TRY(make_tuple(render.budget, std::move(arguments.positional))));
  }
  std::vector<Dict::Entry> entries;
  for (auto& [name, value] : arguments.named) entries.emplace_back(name, std::move(value));
  return format_percent(render, *text, PUNA_TRY(make_dict(render.budget, std::move(entries))));
}

Result<Any> indent_filter(Render& render, const Any& input, Given given) {
  if (input.is_undefined()) return undefined_error(input);
  const Text* text = input.if_text();
  if (text == nullptr) return fail("indent() works on strings, not on {}", type_name(input));
  TextBuilder spaces;
  if (given.has(0) && given[0].is(Kind::text)) {
    spaces.append(*given[0].if_text());
  } else {
    const std::int64_t width = PUNA_TRY(given.integer(0, 4));
    PUNA_TRY(render.budget.allocate(static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0))));
    spaces.literal(std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' '));
  }
  const Text indentation = spaces.take();
  const bool blank = given.flag(2);
  TextBuilder padded;
  padded.append(*text);
  padded.literal("\n");  // so that a line end at the end counts as one more, empty line
  const Text whole = padded.take();
  TextBuilder out;
  bool first = true;
  for (const Span line : line_spans(whole, false)) {
    PUNA_TRY(render.budget.allocate(line.size() + indentation.bytes.size()));
    if (!first) out.literal("\n");
    const bool indents = first ? given.flag(1) : blank || line.size() > 0;
    if (indents) out.append(indentation);
    out.append(whole, line);
    first = false;
  }
  return make_string(render.budget, out, text->markup);
}

Result<Any> truncate_filter(Render& render, const Any& input, Given given) {
  const auto size = static_cast<std::int64_t>(PUNA_TRY(length_of(render, input)));
  const std::int64_t length = PUNA_TRY(given.integer(0, 255));
  const TextRef end = given.has(2)              ? PUNA_TRY(given.text(2)) : literal_text("...");
  const std::int64_t leeway = given.is_given(3) ? PUNA_TRY(given.integer(3, 5)) : 5;
  const auto end_length = static_cast<std::int64_t>(end->n_chars);
  if (length < end_length) return fail("the length of truncate() must be at least {}, not {}", end_length, length);
  if (leeway < 0) return fail("the leeway of truncate() must not be negative");
  if (size <= leeway || size - leeway <= length) return input;
  const Text* text = input.if_text();
  if (text == nullptr) return fail("truncate() cuts strings, not {}", type_name(input));
  Span kept{0, byte_offset(*text, static_cast<std::size_t>(length - end_length))};
  if (!given.flag(1)) {
    const std::size_t space = std::string_view(text->bytes).substr(0, kept.end).rfind(' ');
    if (space != std::string_view::npos) kept.end = space;
  }
  TextBuilder out;
  out.append(*text, kept);
  out.append(*end);
  return make_string(render.budget, out);
}

Result<Any> wordcount_filter(Render& render, const Any& input, Given) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  PUNA_TRY(render.budget.spend(text->bytes.size() / 16));
  std::int64_t words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text->bytes.size();) {
    const std::size_t end = char_end(text->bytes, at);
    const bool is_letter = is_word(decode(std::string_view(text->bytes).substr(at, end - at)));
    if (is_letter && !in_word) ++words;
    in_word = is_letter;
    at = end;
  }
  return Any(words);
}

std::string percent_encode(std::string_view bytes, bool for_query) {
  std::string out;
  for (char c : bytes) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                       c == '-' || c == '~' || (c == '/' && !for_query);
    if (plain) {
      out += c;
    } else if (c == ' ' && for_query) {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Result<Any> urlencode_filter(Render& render, const Any& input, Given) {
  TextBuilder out;
  if (input.is(Kind::text) || !Iterator::over(input)) {
    out.user(percent_encode(PUNA_TRY(to_text(render.budget, input))->bytes, false));
    return make_string(render.budget, out);
  }
  const Any pairs = input.is(Kind::dict) ? Any(DictView{input.dict_ref(), ViewOf::items}) : input;
  for (const Any& pair : PUNA_TRY(collect(render, pairs))) {
    const std::vector<Any> both = PUNA_TRY(collect(render, pair));
    if (both.size() != 2) return fail("urlencode() needs pairs, not sequences of {}", both.size());
    if (out.size() > 0) out.user("&");
    out.user(percent_encode(PUNA_TRY(to_text(render.budget, both[0]))->bytes, true));
    out.user("=");
    out.user(percent_encode(PUNA_TRY(to_text(render.budget, both[1]))->bytes, true));
  }
  return make_string(render.budget, out);
}

Result<Any> xmlattr_filter(Render& render, const Any& input, Given given) {
  const Dict* dict = input.if_dict();
  if (dict == nullptr) return fail("xmlattr() works on mappings, not on {}", type_name(input));
  TextBuilder out;
  const bool space_first = !given.has(0) || given.flag(0);
  bool first = true;
  for (const auto& [key, value] : dict->entries) {
    if (value.is_none() || value.is_undefined()) continue;
    const Text* name = key.if_text();
    if (name == nullptr) return fail("xmlattr() needs strings as keys, not {}", type_name(key));
    if (name->bytes.find_first_of(" \t\n\r\f\v/>=") != std::string::npos)
      return fail("'{}' cannot be the name of an attribute", name->bytes);
    if (!std::exchange(first, false) || space_first) out.user(" ");
    out.append(name->markup ? *name : *escape_html(*name));
    out.user("=\"");
    const TextRef text = PUNA_TRY(to_text(render.budget, value));
    out.append(text->markup ? *text : *escape_html(*text));
    out.user("\"");
  }
  return make_string(render.budget, out);
}

Result<Any> center_filter(Render& render, const Any& input, Given given) {
  const TextRef text = PUNA_TRY(to_text(render.budget, input));
  return center_text(render, *text, PUNA_TRY(given.integer(0, 80)), *literal_text(" "));
}

template <int kWhich>
Result<Any> unsupported(Render&, const Any&, Arguments) {
  constexpr std::string_view kNames[] = {"wordwrap", "urlize", "striptags", "pprint", "random"};
  return fail(ErrorKind::unsupported, "the filter '{}' is not supported in chat templates", kNames[kWhich]);
}

const std::array kFilters = std::to_array<FilterEntry>({
    {{"upper"}, [](Render& r, const Any& v, Given) { return with_case(r, v, Case::upper); }},
    {{"lower"}, [](Render& r, const Any& v, Given) { return with_case(r, v, Case::lower); }},
    {{"capitalize"}, capitalize_filter},
    {{"title"}, title_filter},
    {{"trim", {"chars"}, 0}, trim_filter},
    {{"replace", {"old", "new", "count"}, 2}, replace_filter},
    {{"string"}, string_filter},
    {{"safe"}, safe_filter},
    {{"escape"}, escape_filter},
    {{"forceescape"}, force_escape_filter},
    {{"format"}, nullptr, format_filter},
    {{"indent", {"width", "first", "blank"}, 0}, indent_filter},
    {{"truncate", {"length", "killwords", "end", "leeway"}, 0}, truncate_filter},
    {{"wordcount"}, wordcount_filter},
    {{"urlencode"}, urlencode_filter},
    {{"xmlattr", {"autospace"}, 0}, xmlattr_filter},
    {{"center", {"width"}, 0}, center_filter},
    {{"wordwrap"}, nullptr, unsupported<0>},
    {{"urlize"}, nullptr, unsupported<1>},
    {{"striptags"}, nullptr, unsupported<2>},
    {{"pprint"}, nullptr, unsupported<3>},
    {{"random"}, nullptr, unsupported<4>},
});

}  // namespace

std::span<const FilterEntry> text_filters() { return kFilters; }

}  // namespace puna::text::jinja
