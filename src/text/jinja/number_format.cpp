#include "text/jinja/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

std::string sign_of(bool negative, const NumberForm& form) {
  if (negative) return "-";
  return form.sign == '-' ? "" : std::string(1, form.sign);
}

}  // namespace

NumberParts integer_parts(Integer value, int base, const NumberForm& form) {
  NumberParts parts{.sign = sign_of(value < 0, form), .prefix = "", .digits = integer_text(value, base)};
  if (value < 0) parts.digits.erase(0, 1);
  if (form.alternate && base != 10) parts.prefix = base == 16 ? "0x" : base == 8 ? "0o" : "0b";
  if (form.upper) {
    for (std::string* part : {&parts.prefix, &parts.digits}) {
      std::transform(part->begin(), part->end(), part->begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
  }
  return parts;
}

Result<NumberParts> real_parts(double value, char type, std::int64_t precision, const NumberForm& form) {
  constexpr std::int64_t kMaxPrecision = 4000;
  if (precision > kMaxPrecision) return fail("a precision of {} is too large", precision);
  const bool negative = std::signbit(value) && !std::isnan(value);
  const double magnitude = std::abs(value);
  NumberParts parts{.sign = sign_of(negative, form), .prefix = "", .digits = ""};
  if (std::isnan(value)) {
    parts.digits = "nan";
  } else if (std::isinf(value)) {
    parts.digits = "inf";
  } else if (type == 'r') {
    parts.digits = real_text(magnitude);
  } else {
    const std::string pattern = fmt::format("%{}.*{}", form.alternate ? "#" : "", type);
    const int n = static_cast<int>(precision);
    std::string buffer(static_cast<std::size_t>(n) + 340, '\0');
    const int written = std::snprintf(buffer.data(), buffer.size(), pattern.c_str(), n, magnitude);
    parts.digits = buffer.substr(0, static_cast<std::size_t>(written));
  }
  if (form.upper) {
    std::transform(parts.digits.begin(), parts.digits.end(), parts.digits.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  return parts;
}

}  // namespace puna::text::jinja
