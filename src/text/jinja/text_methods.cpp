// Methods of strings that make strings or lists of them. What comes from the string keeps its origin.
#include <algorithm>
#include <array>

#include "text/jinja/letter_case.h"
#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

template <Case kHow>
Result<Any> with_case(Render& render, const Any& self, Given) {
  return make_string(render.budget, map_case(*self.if_text(), kHow));
}

Result<Any> capitalize_method(Render& render, const Any& self, Given) {
  return make_string(render.budget, capitalize(*self.if_text()));
}
Result<Any> title_method(Render& render, const Any& self, Given) {
  return make_string(render.budget, title_words(*self.if_text()));
}

Result<Any> part(Render& render, const Text& text, Span span) {
  TextBuilder out;
  out.append(text, span);
  return make_string(render.budget, out, text.markup);
}

template <bool kLeft, bool kRight>
Result<Any> strip(Render& render, const Any& self, Given given) {
  const TextRef chars = given.is_given(0) ? PUNA_TRY(given.text(0)) : nullptr;
  if (chars != nullptr) PUNA_TRY(render.budget.spend(chars->bytes.size()));
  return part(render, *self.if_text(), strip_span(*self.if_text(), chars.get(), kLeft, kRight));
}

Result<Any> replace_method(Render& render, const Any& self, Given given) {
  const std::int64_t at_most = PUNA_TRY(given.integer(2, -1));
  return replace_text(render, *self.if_text(), *PUNA_TRY(given.text(0)), *PUNA_TRY(given.text(1)), at_most);
}

Result<Any> remove_prefix(Render& render, const Any& self, Given given) {
  const TextRef prefix = PUNA_TRY(given.text(0));
  const Text& text = *self.if_text();
  if (!text.bytes.starts_with(prefix->bytes)) return self;
  return part(render, text, {prefix->bytes.size(), text.bytes.size()});
}

Result<Any> remove_suffix(Render& render, const Any& self, Given given) {
  const TextRef suffix = PUNA_TRY(given.text(0));
  const Text& text = *self.if_text();
  if (!text.bytes.ends_with(suffix->bytes)) return self;
  return part(render, text, {0, text.bytes.size() - suffix->bytes.size()});
}

Result<Any> join_method(Render& render, const Any& self, Given given) {
  TextBuilder out;
  bool first = true;
  std::size_t i = 0;
  for (const Any& item : PUNA_TRY(collect(render, given[0]))) {
    if (!item.is(Kind::text)) return fail("item {} to join is no string, but {}", i, type_name(item));
    if (!std::exchange(first, false)) PUNA_TRY(append_text(render.budget, out, self));
    PUNA_TRY(append_text(render.budget, out, item));
    ++i;
  }
  return make_string(render.budget, out);
}

// Where the words between white space lie: at most `at_most` cuts from the front.
std::vector<Span> word_spans(const Text& text, std::int64_t at_most) {
  std::vector<Span> words;
  Span rest = strip_span(text, nullptr, true, false);
  const std::string_view bytes = text.bytes;
  while (rest.size() > 0) {
    if (at_most >= 0 && static_cast<std::int64_t>(words.size()) == at_most) {
      words.push_back(rest);
      break;
    }
    std::size_t end = rest.begin;
    while (end < bytes.size() && !is_space(decode(bytes.substr(end, char_end(bytes, end) - end)))) end = char_end(bytes, end);
    words.push_back({rest.begin, end});
    while (end < bytes.size() && is_space(decode(bytes.substr(end, char_end(bytes, end) - end)))) end = char_end(bytes, end);
    rest.begin = end;
  }
  return words;
}

// The same, with the cuts from the back.
std::vector<Span> word_spans_from_end(const Text& text, std::int64_t at_most) {
  std::vector<Span> all = word_spans(text, -1);
  if (at_most < 0 || static_cast<std::int64_t>(all.size()) <= at_most) return all;
  const auto n_joined = all.size() - static_cast<std::size_t>(at_most);
  const Span front{0, all[n_joined - 1].end};  // only the white space at the cut is dropped
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n_joined));
  all.insert(all.begin(), front);
  return all;
}

std::vector<Span> split_spans(std::string_view bytes, std::string_view separator, std::int64_t at_most) {
  std::vector<Span> parts;
  std::size_t begin = 0;
  while (at_most < 0 || static_cast<std::int64_t>(parts.size()) < at_most) {
    const std::size_t end = bytes.find(separator, begin);
    if (end == std::string_view::npos) break;
    parts.push_back({begin, end});
    begin = end + separator.size();
  }
  parts.push_back({begin, bytes.size()});
  return parts;
}

std::vector<Span> split_spans_from_end(std::string_view bytes, std::string_view separator, std::int64_t at_most) {
  std::vector<Span> parts;
  std::size_t end = bytes.size();
  while ((at_most < 0 || static_cast<std::int64_t>(parts.size()) < at_most) && end >= separator.size()) {
    const std::size_t at = bytes.rfind(separator, end - separator.size());
    if (at == std::string_view::npos) break;
    parts.push_back({at + separator.size(), end});
    end = at;
  }
  parts.push_back({0, end});
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Result<Any> list_of(Render& render, const Text& text, const std::vector<Span>& spans) {
  std::vector<Any> parts;
  parts.reserve(spans.size());
  for (const Span span : spans) parts.push_back(PUNA_TRY(part(render, text, span)));
  return make_list(render.budget, std::move(parts));
}

template <bool kFromEnd>
Result<Any> split(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
  const std::int64_t at_most = PUNA_TRY(given.integer(1, -1));
  if (!given.is_given(0)) return list_of(render, text, kFromEnd ? word_spans_from_end(text, at_most) : word_spans(text, at_most));
  const TextRef separator = PUNA_TRY(given.text(0));
  if (separator->bytes.empty()) return fail("the separator of split() is empty");
  return list_of(render, text,
                 kFromEnd ? split_spans_from_end(text.bytes, separator->bytes, at_most)
                          : split_spans(text.bytes, separator->bytes, at_most));
}

Result<Any> splitlines(Render& render, const Any& self, Given given) {
  PUNA_TRY(render.budget.spend(self.if_text()->bytes.size() / 16));
  return list_of(render, *self.if_text(), line_spans(*self.if_text(), given.flag(0)));
}

template <bool kFromEnd>
Result<Any> partition(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  const TextRef separator = PUNA_TRY(given.text(0));
  if (separator->bytes.empty()) return fail("the separator of partition() is empty");
  PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
  const std::size_t at = kFromEnd ? text.bytes.rfind(separator->bytes) : text.bytes.find(separator->bytes);
  const Any empty(literal_text(""));
  if (at == std::string::npos) {
    return kFromEnd ? make_tuple(render.budget, {empty, empty, self}) : make_tuple(render.budget, {self, empty, empty});
  }
  const Any before = PUNA_TRY(part(render, text, {0, at}));
  const Any after = PUNA_TRY(part(render, text, {at + separator->bytes.size(), text.bytes.size()}));
  return make_tuple(render.budget, {before, Any(separator), after});
}

Result<Any> expandtabs(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  const std::int64_t width = PUNA_TRY(given.integer(0, 8));
  if (width > 10'000) return fail("tabs {} wide are too wide", width);
  TextBuilder out;
  std::int64_t column = 0;
  for (std::size_t at = 0; at < text.bytes.size();) {
    const std::size_t end = char_end(text.bytes, at);
    const char c = text.bytes[at];
    if (c == '\t') {
      const std::int64_t n = width > 0 ? width - column % width : 0;
      PUNA_TRY(render.budget.allocate(static_cast<std::uint64_t>(n)));
      out.literal(std::string(static_cast<std::size_t>(n), ' '));
      column += n;
    } else {
      out.append(text, {at, end});
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
    at = end;
  }
  return make_string(render.budget, out, text.markup);
}

Result<TextRef> fill_char(Given given) {
  if (!given.has(1)) return literal_text(" ");
  TextRef fill = PUNA_TRY(given.text(1));
  if (fill->n_chars != 1) return fail("the fill character must be one character long");
  return fill;
}

template <bool kLeft>
Result<Any> justify(Render& render, const Any& self, Given given) {
  const TextRef fill = PUNA_TRY(fill_char(given));
  const std::int64_t missing = PUNA_TRY(given.integer(0, 0))
  -static_cast<std::int64_t>(self.if_text()->n_chars);
  return pad_text(render, *self.if_text(), kLeft ? 0 : missing, kLeft ? missing : 0, *fill);
}

Result<Any> center_method(Render& render, const Any& self, Given given) {
  const TextRef fill = PUNA_TRY(fill_char(given));
  return center_text(render, *self.if_text(), PUNA_TRY(given.integer(0, 0)), *fill);
}

Result<Any> zfill(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  const std::int64_t missing = PUNA_TRY(given.integer(0, 0))
  -static_cast<std::int64_t>(text.n_chars);
  if (missing <= 0) return self;
  const bool has_sign = text.bytes.starts_with('-') || text.bytes.starts_with('+');
  PUNA_TRY(render.budget.allocate(static_cast<std::uint64_t>(missing)));
  TextBuilder out;
  out.append(text, {0, has_sign ? std::size_t{1} : 0});
  out.literal(std::string(static_cast<std::size_t>(missing), '0'));
  out.append(text, {has_sign ? std::size_t{1} : 0, text.bytes.size()});
  return make_string(render.budget, out, text.markup);
}

Result<Any> format_method(Render& render, const Any& self, Arguments arguments) {
  return format_braces(render, *self.if_text(), arguments);
}

Result<Any> format_map_method(Render& render, const Any& self, Given given) {
  Arguments arguments;
  const Dict* dict = given[0].if_dict();
  if (dict == nullptr) return fail("format_map() takes a mapping, not {}", type_name(given[0]));
  for (const auto& [key, value] : dict->entries) {
    if (key.is(Kind::text)) arguments.named.emplace_back(key.text_ref(), value);
  }
  return format_braces(render, *self.if_text(), arguments);
}

Result<Any> unsupported(Render&, const Any&, Arguments) {
  return fail(ErrorKind::unsupported, "this method of strings is not supported in chat templates");
}

const std::array kMethods = std::to_array<MethodEntry>({
    {Kind::text, {"upper"}, with_case<Case::upper>},
    {Kind::text, {"lower"}, with_case<Case::lower>},
    {Kind::text, {"swapcase"}, with_case<Case::swap>},
    {Kind::text, {"casefold"}, with_case<Case::fold>},
    {Kind::text, {"capitalize"}, capitalize_method},
    {Kind::text, {"title"}, title_method},
    {Kind::text, {"strip", {"chars"}, 0}, strip<true, true>},
    {Kind::text, {"lstrip", {"chars"}, 0}, strip<true, false>},
    {Kind::text, {"rstrip", {"chars"}, 0}, strip<false, true>},
    {Kind::text, {"replace", {"old", "new", "count"}, 2}, replace_method},
    {Kind::text, {"removeprefix", {"prefix"}, 1}, remove_prefix},
    {Kind::text, {"removesuffix", {"suffix"}, 1}, remove_suffix},
    {Kind::text, {"join", {"iterable"}, 1}, join_method},
    {Kind::text, {"split", {"sep", "maxsplit"}, 0}, split<false>},
    {Kind::text, {"rsplit", {"sep", "maxsplit"}, 0}, split<true>},
    {Kind::text, {"splitlines", {"keepends"}, 0}, splitlines},
    {Kind::text, {"partition", {"sep"}, 1}, partition<false>},
    {Kind::text, {"rpartition", {"sep"}, 1}, partition<true>},
    {Kind::text, {"expandtabs", {"tabsize"}, 0}, expandtabs},
    {Kind::text, {"ljust", {"width", "fillchar"}, 1}, justify<true>},
    {Kind::text, {"rjust", {"width", "fillchar"}, 1}, justify<false>},
    {Kind::text, {"center", {"width", "fillchar"}, 1}, center_method},
    {Kind::text, {"zfill", {"width"}, 1}, zfill},
    {Kind::text, {"format"}, nullptr, format_method},
    {Kind::text, {"format_map", {"mapping"}, 1}, format_map_method},
    {Kind::text, {"encode"}, nullptr, unsupported},
    {Kind::text, {"translate"}, nullptr, unsupported},
    {Kind::text, {"maketrans"}, nullptr, unsupported},
});

}  // namespace

std::span<const MethodEntry> text_methods() { return kMethods; }

Result<Any> replace_text(Render& render, const Text& text, const Text& old, const Text& with, std::int64_t at_most) {
  PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
  TextBuilder out;
  std::size_t done = 0;
  std::int64_t count = 0;
  const auto put = [&](std::size_t from, std::size_t to) -> Result<void> {
    PUNA_TRY(render.budget.allocate(to - from + with.bytes.size()));
    out.append(text, {from, to});
    out.append(with);
    return {};
  };
  while (at_most < 0 || count < at_most) {
    if (old.bytes.empty()) {
      // between all characters, and at both ends
      if (count > 0 && done >= text.bytes.size()) break;
      const std::size_t next = count > 0 ? char_end(text.bytes, done) : 0;
      PUNA_TRY(put(done, next));
      done = next;
    } else {
      const std::size_t at = text.bytes.find(old.bytes, done);
      if (at == std::string::npos) break;
      PUNA_TRY(put(done, at));
      done = at + old.bytes.size();
    }
    ++count;
  }
  out.append(text, {done, text.bytes.size()});
  return make_string(render.budget, out, text.markup);
}

std::vector<Span> line_spans(const Text& text, bool keep_ends) {
  std::vector<Span> lines;
  const std::string_view bytes = text.bytes;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t end = char_end(bytes, at);
    if (is_line_break(decode(bytes.substr(at, end - at)))) {
      if (bytes[at] == '\r' && end < bytes.size() && bytes[end] == '\n') ++end;
      lines.push_back({begin, keep_ends ? end : at});
      begin = end;
    }
    at = end;
  }
  if (begin < bytes.size()) lines.push_back({begin, bytes.size()});
  return lines;
}

Result<Any> pad_text(Render& render, const Text& text, std::int64_t left, std::int64_t right, const Text& fill) {
  left = std::max<std::int64_t>(left, 0);
  right = std::max<std::int64_t>(right, 0);
  PUNA_TRY(render.budget.allocate((static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right)) * fill.bytes.size()));
  TextBuilder out;
  for (std::int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (std::int64_t i = 0; i < right; ++i) out.append(fill);
  return make_string(render.budget, out, text.markup);
}

Result<Any> center_text(Render& render, const Text& text, std::int64_t width, const Text& fill) {
  const std::int64_t missing = std::max<std::int64_t>(width - static_cast<std::int64_t>(text.n_chars), 0);
  const std::int64_t left = missing / 2 + (missing & width & 1);
  return pad_text(render, text, left, missing - left, fill);
}

TextRef escape_html(const Text& text) {
  TextBuilder out;
  OriginCursor origin(text);
  for (std::size_t at = 0; at < text.bytes.size(); ++at) {
    const char c = text.bytes[at];
    const std::string_view entity = c == '&'    ? "&amp;"
                                    : c == '<'  ? "&lt;"
                                    : c == '>'  ? "&gt;"
                                    : c == '"'  ? "&#34;"
                                    : c == '\'' ? "&#39;"
                                                : "";
    out.add(entity.empty() ? std::string_view(&c, 1) : entity, origin.is_literal(at));
  }
  return std::make_shared<const Text>(out.take(true));
}

}  // namespace puna::text::jinja
