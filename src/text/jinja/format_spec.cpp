// format(value, spec): [[fill]align][sign][#][0][width][,][.precision][type]
#include <algorithm>
#include <cmath>

#include "text/jinja/methods.h"
#include "text/jinja/number_format.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

struct Spec {
  std::string fill = " ";
  char align = 0;
  bool zero = false;
  bool has_sign = false;
  NumberForm form;
  std::int64_t width = 0;
  char grouping = 0;
  std::int64_t precision = -1;
  char type = 0;
};

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

Result<Spec> parse_spec(std::string_view text) {
  Spec spec;
  std::size_t at = 0;
  const auto next_is = [&](char c) { return at < text.size() && text[at] == c; };
  const auto number = [&](std::int64_t& value) -> Result<bool> {
    const std::size_t begin = at;
    for (value = 0; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + (text[at] - '0');
      if (value > 1'000'000'000) return fail("a number in the format '{}' is too large", text);
    }
    return at > begin;
  };
  const std::size_t first = text.empty() ? 0 : char_end(text, 0);
  if (first < text.size() && first > 0 && is_align(text[first])) {
    spec.fill = text.substr(0, first);
    spec.align = text[first];
    at = first + 1;
  } else if (!text.empty() && is_align(text[0])) {
    spec.align = text[at++];
  }
  if (next_is('+') || next_is('-') || next_is(' ')) {
    spec.has_sign = true;
    spec.form.sign = text[at++];
  }
  if (next_is('#')) {
    spec.form.alternate = true;
    ++at;
  }
  if (next_is('0')) {
    spec.zero = true;
    ++at;
  }
  PUNA_TRY(number(spec.width));
  if (next_is(',') || next_is('_')) spec.grouping = text[at++];
  if (next_is('.')) {
    ++at;
    if (!PUNA_TRY(number(spec.precision))) return fail("the format '{}' has a '.' without a precision", text);
  }
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) return fail("'{}' is no format", text);
  if (spec.zero && spec.align == 0) spec.fill.assign(1, '0');
  return spec;
}

void group_digits(std::string& digits, char separator, std::size_t size) {
  std::size_t whole = 0;
  while (whole < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[whole])) != 0) ++whole;
  for (std::size_t at = whole; at > size; at -= size) digits.insert(at - size, 1, separator);
}

// Zeros before the digits until the number has the wanted width, with separators where there are any.
void fill_with_zeros(NumberParts& parts, const Spec& spec, std::size_t group) {
  const auto wanted = static_cast<std::size_t>(spec.width);
  const auto used = [&] { return parts.text().size(); };
  if (spec.grouping == 0) {
    if (used() < wanted) parts.digits.insert(0, wanted - used(), '0');
    return;
  }
  std::size_t run = 0;
  while (run < parts.digits.size() && std::isxdigit(static_cast<unsigned char>(parts.digits[run])) != 0) ++run;
  while (used() < wanted) {
    if (run == group) {
      parts.digits.insert(0, 1, spec.grouping);
      run = 0;
      parts.digits.insert(0, 1, '0');  // a number does not begin with a separator, even if it gets one too wide
      run = 1;
      continue;
    }
    parts.digits.insert(0, 1, '0');
    ++run;
  }
}

Result<Text> align(Render& render, const Spec& spec, const Text& text, char otherwise) {
  const std::int64_t missing = std::max<std::int64_t>(spec.width - static_cast<std::int64_t>(text.n_chars), 0);
  const char how = spec.align != 0 ? spec.align : otherwise;
  const std::int64_t left = how == '<' ? 0 : how == '^' ? missing / 2 : missing;
  const Any padded = PUNA_TRY(pad_text(render, text, left, missing - left, *literal_text(spec.fill)));
  return *padded.if_text();
}

Result<Text> format_text(Render& render, const Text& text, const Spec& spec) {
  if (spec.type != 0 && spec.type != 's') return fail("'{}' is no format for a string", spec.type);
  if (spec.has_sign || spec.form.alternate || spec.grouping != 0 || spec.align == '=')
    return fail("the format is none for a string");
  if (spec.precision < 0 || static_cast<std::int64_t>(text.n_chars) <= spec.precision) return align(render, spec, text, '<');
  const TextRef cut = slice_text(text, {0, byte_offset(text, static_cast<std::size_t>(spec.precision))});
  return align(render, spec, *cut, '<');
}

Result<Text> format_number(Render& render, const Spec& spec, NumberParts parts, std::size_t group) {
  if (spec.grouping != 0) group_digits(parts.digits, spec.grouping, group);
  const bool pads_inside = spec.align == '=' || (spec.align == 0 && spec.zero);
  if (!pads_inside) return align(render, spec, *literal_text(parts.text()), '>');
  PUNA_TRY(render.budget.allocate(static_cast<std::uint64_t>(spec.width)));
  if (spec.width > 100'000) return fail("a width of {} is too large for a number", spec.width);
  if (spec.fill == "0") {
    fill_with_zeros(parts, spec, group);
    return *literal_text(parts.text());
  }
  const std::int64_t missing = spec.width - static_cast<std::int64_t>(parts.text().size());
  std::string padding;
  for (std::int64_t i = 0; i < missing; ++i) padding += spec.fill;
  return *literal_text(parts.sign + parts.prefix + padding + parts.digits);
}

Result<Text> format_integer(Render& render, Integer value, const Spec& spec) {
  if (spec.precision >= 0) return fail("a precision is no format for an integer");
  NumberForm form = spec.form;
  form.upper = spec.type == 'X';
  switch (spec.type) {
    case 'c': {
      std::string one;
      if (value < 0 || value > 0x10FFFF || !append_utf8(one, static_cast<char32_t>(value)))
        return fail("{} is no character", integer_text(value));
      return align(render, spec, *user_text(one), '>');
    }
    case 'b':
    case 'o':
    case 'x':
    case 'X':
      if (spec.grouping == ',') return fail("',' goes with decimal numbers only");
      return format_number(render, spec, integer_parts(value, spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : 16, form), 4);
    case 0:
    case 'd':
    case 'n':
      return format_number(render, spec, integer_parts(value, 10, form), 3);
    default:
      return fail("'{}' is no format for an integer", spec.type);
  }
}

Result<Text> format_real(Render& render, double value, const Spec& spec) {
  NumberForm form = spec.form;
  form.upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  NumberParts parts;
  switch (spec.type) {
    case 0:
      if (spec.precision < 0) {
        parts = PUNA_TRY(real_parts(value, 'r', 0, form));
        break;
      }
      parts = PUNA_TRY(real_parts(value, 'g', spec.precision == 0 ? 1 : spec.precision, form));
      // Without a type a number keeps a digit after its point, and turns to an exponent one digit earlier.
      if (std::isfinite(value) && parts.digits.find_first_of(".e") == std::string::npos) {
        const auto n_digits = static_cast<std::int64_t>(parts.digits.size());
        if (n_digits >= std::max<std::int64_t>(spec.precision, 1)) {
          parts = PUNA_TRY(real_parts(value, 'e', std::max<std::int64_t>(spec.precision, 1) - 1, form));
          const std::size_t e = parts.digits.find('e');
          std::size_t end = e;
          if (parts.digits.find('.') < e) {
            while (parts.digits[end - 1] == '0') --end;
            if (parts.digits[end - 1] == '.') --end;
          }
          parts.digits.erase(end, e - end);
        } else {
          parts.digits += ".0";
        }
      }
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'n':
      parts = PUNA_TRY(real_parts(value, spec.type == 'n' ? 'g' : static_cast<char>(spec.type | 0x20),
                                  spec.precision < 0 ? 6 : spec.precision, form));
      break;
    case '%':
      parts = PUNA_TRY(real_parts(value * 100, 'f', spec.precision < 0 ? 6 : spec.precision, form));
      parts.digits += '%';
      break;
    default:
      return fail("'{}' is no format for a number", spec.type);
  }
  return format_number(render, spec, std::move(parts), 3);
}

}  // namespace

Result<Text> format_value(Render& render, const Any& value, const Text& spec_text) {
  if (spec_text.bytes.empty()) return *PUNA_TRY(to_text(render.budget, value));
  const auto number = value.if_number();
  if (!number && !value.is(Kind::text)) return fail("a value of type {} takes no format", type_name(value));
  const Spec spec = PUNA_TRY(parse_spec(spec_text.bytes));
  if (const Text* text = value.if_text()) return format_text(render, *text, spec);
  constexpr std::string_view kRealTypes = "eEfFgG%";
  const bool as_real = value.is(Kind::real) || (spec.type != 0 && kRealTypes.find(spec.type) != std::string_view::npos);
  return as_real ? format_real(render, *number, spec) : format_integer(render, *value.if_integer(), spec);
}

}  // namespace puna::text::jinja
