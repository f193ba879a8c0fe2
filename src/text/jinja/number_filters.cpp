// Filters on numbers, and the readers of Python's int() and float().
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "text/jinja/filters.h"
#include "text/jinja/letter_case.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

// A number's characters in ASCII: white space around them gone, digits of every script as 0…9, underscores between digits
// dropped. Empty where an underscore stands elsewhere.
std::string plain_number(const Text& text) {
  const Span inner = strip_span(text, nullptr, true, true);
  const std::string_view bytes = std::string_view(text.bytes).substr(inner.begin, inner.size());
  std::string out;
  bool after_digit = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const char32_t c = decode(bytes.substr(at, end - at));
    at = end;
    if (c == '_') {
      const bool before_digit = at < bytes.size() && std::isalnum(static_cast<unsigned char>(bytes[at])) != 0;
      if (!after_digit || !before_digit) return {};
      after_digit = false;
      continue;
    }
    const int digit = decimal_value(c);
    if (digit < 0 && c >= 0x80) return {};
    out += digit >= 0 ? static_cast<char>('0' + digit) : static_cast<char>(c);
    after_digit = digit >= 0 || (c < 0x80 && std::isalnum(static_cast<int>(c)) != 0);
  }
  return out;
}

struct ParsedInteger {
  bool valid = false;
  bool too_large = false;
  Integer value = 0;
};

ParsedInteger parse_integer(const Text& text, std::int64_t base) {
  std::string digits = plain_number(text);
  std::string_view rest = digits;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto prefixed = [&](char letter) { return rest.size() > 2 && rest[0] == '0' && (rest[1] | 0x20) == letter; };
  const struct {
    char letter;
    int base;
  } kPrefixes[] = {{'b', 2}, {'o', 8}, {'x', 16}};
  bool had_prefix = false;
  for (const auto& prefix : kPrefixes) {
    if (!prefixed(prefix.letter) || (base != 0 && base != prefix.base)) continue;
    base = prefix.base;
    rest.remove_prefix(2);
    had_prefix = true;
    break;
  }
  if (base == 0) {
    if (!had_prefix && rest.size() > 1 && rest[0] == '0' && rest.find_first_not_of('0') != std::string_view::npos) return {};
    base = 10;
  }
  if (rest.empty()) return {};
  ParsedInteger parsed{.valid = true};
  for (char c : rest) {
    const int digit = c >= '0' && c <= '9'                               ? c - '0'
                      : std::isalpha(static_cast<unsigned char>(c)) != 0 ? (c | 0x20) - 'a' + 10
                                                                         : 99;
    if (digit >= base) return {};
    parsed.too_large = parsed.too_large || __builtin_mul_overflow(parsed.value, static_cast<Integer>(base), &parsed.value) ||
                       __builtin_add_overflow(parsed.value, static_cast<Integer>(digit), &parsed.value);
  }
  if (negative) parsed.value = -parsed.value;
  return parsed;
}

std::optional<double> parse_real(const Text& text) {
  const std::string number = plain_number(text);
  std::string_view rest = number;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || rest[0] == '-' || rest[0] == '+') return std::nullopt;
  double value = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (read.ptr != rest.data() + rest.size() || rest.find('(') != std::string_view::npos) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) value = std::strtod(std::string(rest).c_str(), nullptr);
  return negative ? -value : value;
}

Result<Any> integer_of(double value) {
  if (std::abs(value) >= 1.7e38) return fail("the number is too large");
  return Any(static_cast<Integer>(std::trunc(value)));
}

Result<Any> int_filter(Render&, const Any& input, Given given) {
  if (input.is_undefined()) return undefined_error(input);
  const Any otherwise = given.has(0) ? given[0] : Any(0);
  if (const auto number = input.if_integer()) return Any(*number);
  if (const double* number = input.if_real()) {
    if (std::isinf(*number)) return fail("infinity is no integer");
    return std::isnan(*number) ? Result<Any>(otherwise) : integer_of(*number);
  }
  const Text* text = input.if_text();
  if (text == nullptr) return otherwise;
  const std::int64_t base = PUNA_TRY(given.integer(1, 10));
  if (base == 0 || (base >= 2 && base <= 36)) {
    const ParsedInteger parsed = parse_integer(*text, base);
    if (parsed.too_large) return fail("the number is too large");
    if (parsed.valid) return Any(parsed.value);
  }
  const auto real = parse_real(*text);
  return real && std::isfinite(*real) ? integer_of(*real) : Result<Any>(otherwise);
}

Result<Any> float_filter(Render&, const Any& input, Given given) {
  if (input.is_undefined()) return undefined_error(input);
  if (const auto number = input.if_number()) return Any(*number);
  if (const Text* text = input.if_text()) {
    if (const auto number = parse_real(*text)) return Any(*number);
  }
  return given.has(0) ? given[0] : Any(0.0);
}

Result<Any> abs_filter(Render& render, const Any& input, Given) {
  if (input.is_undefined()) return undefined_error(input);
  if (const double* number = input.if_real()) return Any(std::abs(*number));
  const auto number = input.if_integer();
  if (!number) return fail("abs() works on numbers, not on {}", type_name(input));
  return *number < 0 ? unary(render, UnaryOp::negate, input) : Result<Any>(Any(*number));
}

double round_real(double value, std::int64_t precision) {
  if (!std::isfinite(value) || precision > 323) return value;
  if (precision < -308) return std::copysign(0.0, value);
  if (precision >= 0) {
    // printf rounds the exact binary value, ties to even, as Python does.
    char buffer[700];
    std::snprintf(buffer, sizeof(buffer), "%.*f", static_cast<int>(precision), value);
    return std::strtod(buffer, nullptr);
  }
  const double scale = std::pow(10.0, static_cast<double>(-precision));
  return std::nearbyint(value / scale) * scale;
}

Result<Any> round_integer(Integer value, std::int64_t precision) {
  if (precision >= 0) return Any(value);
  if (precision < -38) return Any(0);
  Integer scale = 1;
  for (std::int64_t i = 0; i < -precision; ++i) scale *= 10;
  Integer rest = value % scale;
  if (rest < 0) rest += scale;
  Integer rounded = value - rest;
  const Integer twice = rest - (scale - rest);
  if (twice > 0 || (twice == 0 && rounded / scale % 2 != 0)) rounded += scale;
  return Any(rounded);
}

Result<Any> round_filter(Render&, const Any& input, Given given) {
  if (input.is_undefined()) return undefined_error(input);
  const std::int64_t precision = PUNA_TRY(given.integer(0, 0));
  const std::string method = given.has(1) && given[1].is(Kind::text) ? given[1].if_text()->bytes : given.has(1) ? "" : "common";
  if (method != "common" && method != "ceil" && method != "floor")
    return fail("the method of round() must be common, ceil or floor");
  const auto number = input.if_number();
  if (!number) return fail("round() works on numbers, not on {}", type_name(input));
  if (method == "common") {
    return input.is(Kind::real) ? Result<Any>(Any(round_real(*number, precision)))
                                : round_integer(*input.if_integer(), precision);
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (!std::isfinite(*number * scale)) return fail("the number is too large to be rounded");
  return Any((method == "ceil" ? std::ceil(*number * scale) : std::floor(*number * scale)) / scale);
}

Result<Any> filesizeformat_filter(Render& render, const Any& input, Given given) {
  const Any as_real = PUNA_TRY(float_filter(render, input, Parameters()));
  const bool parsed = input.if_number() || (input.is(Kind::text) && parse_real(*input.if_text()));
  if (!parsed) return fail("filesizeformat() works on numbers, not on {}", type_name(input));
  const double bytes = *as_real.if_real();
  const bool is_binary = given.flag(0);
  const double base = is_binary ? 1024 : 1000;
  std::string text;
  if (bytes == 1) {
    text = "1 Byte";
  } else if (bytes < base) {
    text = fmt::format("{} Bytes", integer_text(static_cast<Integer>(bytes)));
  } else {
    constexpr std::string_view kLetters = "kMGTPEZY";
    double unit = base;
    std::size_t i = 0;
    for (unit *= base; bytes >= unit && i + 1 < kLetters.size(); unit *= base) ++i;
    const char letter = is_binary && i == 0 ? 'K' : kLetters[i];
    text = fmt::format("{:.1f} {}{}B", base * bytes / unit, letter, is_binary ? "i" : "");
  }
  TextBuilder out;
  out.literal(text);
  return make_string(render.budget, out);
}

const std::array kFilters = std::to_array<FilterEntry>({
    {{"int", {"default", "base"}, 0}, int_filter},
    {{"float", {"default"}, 0}, float_filter},
    {{"abs"}, abs_filter},
    {{"round", {"precision", "method"}, 0}, round_filter},
    {{"filesizeformat", {"binary"}, 0}, filesizeformat_filter},
});

}  // namespace

std::span<const FilterEntry> number_filters() { return kFilters; }

}  // namespace puna::text::jinja
