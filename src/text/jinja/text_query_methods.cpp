// Methods of strings that answer a question about them.
#include <algorithm>
#include <array>

#include "text/jinja/letter_case.h"
#include "text/jinja/methods.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

// The bytes of text[start:end], the optional arguments 1 and 2 of find() and its kin; nullopt where start is beyond the end.
Result<std::optional<Span>> part_of(const Text& text, Given given) {
  const auto size = static_cast<std::int64_t>(text.n_chars);
  const auto bound = [&](std::size_t i, std::int64_t otherwise) -> Result<std::int64_t> {
    if (!given.is_given(i)) return otherwise;
    const std::int64_t at = PUNA_TRY(given.integer(i, otherwise));
    return at < 0 ? std::max<std::int64_t>(at + size, 0) : at;
  };
  const std::int64_t start = PUNA_TRY(bound(1, 0));
  const std::int64_t end = std::min(PUNA_TRY(bound(2, size)), size);
  if (start > size || start > end) return std::nullopt;
  return Span{byte_offset(text, static_cast<std::size_t>(start)), byte_offset(text, static_cast<std::size_t>(end))};
}

// The character index of the first (last) occurrence; -1 where there is none.
Result<std::int64_t> find_part(Render& render, const Text& text, Given given, bool from_end) {
  const TextRef wanted = PUNA_TRY(given.text(0));
  PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
  const auto part = PUNA_TRY(part_of(text, given));
  if (!part) return -1;
  const std::string_view inside = std::string_view(text.bytes).substr(part->begin, part->size());
  const std::size_t at = from_end ? inside.rfind(wanted->bytes) : inside.find(wanted->bytes);
  if (at == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(count_chars(std::string_view(text.bytes).substr(0, part->begin + at)));
}

template <bool kFromEnd, bool kMustExist>
Result<Any> find_method_of(Render& render, const Any& self, Given given) {
  const std::int64_t at = PUNA_TRY(find_part(render, *self.if_text(), given, kFromEnd));
  if (at < 0 && kMustExist) return fail("the string does not contain what index() looks for");
  return Any(at);
}

Result<Any> count_method(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  const TextRef wanted = PUNA_TRY(given.text(0));
  PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
  const auto part = PUNA_TRY(part_of(text, given));
  if (!part) return Any(0);
  const std::string_view inside = std::string_view(text.bytes).substr(part->begin, part->size());
  if (wanted->bytes.empty()) return Any(count_chars(inside) + 1);
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = inside.find(wanted->bytes, at)) != std::string_view::npos; at += wanted->bytes.size()) ++count;
  return Any(count);
}

// startswith and endswith: of one string, or of any in a tuple.
template <bool kAtEnd>
Result<Any> touches(Render& render, const Any& self, Given given) {
  const Text& text = *self.if_text();
  PUNA_TRY(render.budget.spend(text.is_ascii() ? 1 : text.bytes.size() / 16));
  const auto part = PUNA_TRY(part_of(text, given));
  const auto matches = [&](const Text& wanted) {
    if (!part) return false;
    const std::string_view inside = std::string_view(text.bytes).substr(part->begin, part->size());
    return kAtEnd ? inside.ends_with(wanted.bytes) : inside.starts_with(wanted.bytes);
  };
  const Sequence* choices = given[0].if_tuple();
  if (choices == nullptr) return Any(matches(*PUNA_TRY(given.text(0))));
  for (const Any& choice : choices->items) {
    const Text* wanted = choice.if_text();
    if (wanted == nullptr) return fail("the tuple must hold strings, not {}", type_name(choice));
    if (matches(*wanted)) return Any(true);
  }
  return Any(false);
}

// Whether the string is not empty and each character passes.
template <auto kTest>
Result<Any> all_are(Render& render, const Any& self, Given) {
  const std::string_view bytes = self.if_text()->bytes;
  PUNA_TRY(render.budget.spend(bytes.size() / 16));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    if (!kTest(decode(bytes.substr(at, end - at)))) return Any(false);
    at = end;
  }
  return Any(!bytes.empty());
}

bool is_alphanumeric(char32_t c) { return is_alpha(c) || is_numeric(c); }

// Every letter with a case in this one, and at least one.
template <bool kLower>
Result<Any> is_cased_as(Render& render, const Any& self, Given) {
  const std::string_view bytes = self.if_text()->bytes;
  PUNA_TRY(render.budget.spend(bytes.size() / 16));
  bool any = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const char32_t c = decode(bytes.substr(at, end - at));
    if (is_title(c) || (kLower ? is_upper(c) : is_lower(c))) return Any(false);
    any = any || (kLower ? is_lower(c) : is_upper(c));
    at = end;
  }
  return Any(any);
}

Result<Any> istitle(Render& render, const Any& self, Given) {
  PUNA_TRY(render.budget.spend(self.if_text()->bytes.size() / 16));
  return Any(is_title_cased(*self.if_text()));
}

Result<Any> isascii(Render&, const Any& self, Given) { return Any(self.if_text()->is_ascii()); }

Result<Any> isprintable(Render& render, const Any& self, Given given) {
  if (self.if_text()->bytes.empty()) return Any(true);
  return all_are<is_printable>(render, self, given);
}

Result<Any> isidentifier(Render& render, const Any& self, Given) {
  const std::string_view bytes = self.if_text()->bytes;
  PUNA_TRY(render.budget.spend(bytes.size() / 16));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const char32_t c = decode(bytes.substr(at, end - at));
    if (!is_name_start(c) && (at == 0 || !is_decimal(c))) return Any(false);
    at = end;
  }
  return Any(!bytes.empty());
}

const std::array kMethods = std::to_array<MethodEntry>({
    {Kind::text, {"find", {"sub", "start", "end"}, 1}, find_method_of<false, false>},
    {Kind::text, {"rfind", {"sub", "start", "end"}, 1}, find_method_of<true, false>},
    {Kind::text, {"index", {"sub", "start", "end"}, 1}, find_method_of<false, true>},
    {Kind::text, {"rindex", {"sub", "start", "end"}, 1}, find_method_of<true, true>},
    {Kind::text, {"count", {"sub", "start", "end"}, 1}, count_method},
    {Kind::text, {"startswith", {"prefix", "start", "end"}, 1}, touches<false>},
    {Kind::text, {"endswith", {"suffix", "start", "end"}, 1}, touches<true>},
    {Kind::text, {"isalpha"}, all_are<is_alpha>},
    {Kind::text, {"isalnum"}, all_are<is_alphanumeric>},
    {Kind::text, {"isdecimal"}, all_are<is_decimal>},
    {Kind::text, {"isdigit"}, all_are<is_digit>},
    {Kind::text, {"isnumeric"}, all_are<is_numeric>},
    {Kind::text, {"isspace"}, all_are<is_space>},
    {Kind::text, {"islower"}, is_cased_as<true>},
    {Kind::text, {"isupper"}, is_cased_as<false>},
    {Kind::text, {"istitle"}, istitle},
    {Kind::text, {"isascii"}, isascii},
    {Kind::text, {"isprintable"}, isprintable},
    {Kind::text, {"isidentifier"}, isidentifier},
});

}  // namespace

std::span<const MethodEntry> text_query_methods() { return kMethods; }

}  // namespace puna::text::jinja
