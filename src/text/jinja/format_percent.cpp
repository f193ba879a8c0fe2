// "%s and %05.1f" % values.
#include <algorithm>
#include <cmath>

#include "text/jinja/methods.h"
#include "text/jinja/number_format.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

struct Directive {
  bool left = false, zero = false;
  NumberForm form;
  std::int64_t width = 0;
  std::int64_t precision = -1;
  char conversion = 0;
};

class PercentFormatter {
 public:
  PercentFormatter(Render& render, const Text& pattern, const Any& values) : render_(render), pattern_(pattern), values_(values) {
    if (const Sequence* tuple = values.if_tuple()) {
      items_ = tuple->items;
    } else {
      items_ = {values};
    }
    is_mapping_ = values.is(Kind::dict) || values.is(Kind::list) || values.is(Kind::range) || values.is_undefined();
  }

  Result<Any> run() {
    const std::string_view bytes = pattern_.bytes;
    while (at_ < bytes.size()) {
      const std::size_t percent = std::min(bytes.find('%', at_), bytes.size());
      PUNA_TRY(render_.budget.allocate(percent - at_));
      out_.append(pattern_, {at_, percent});
      at_ = percent;
      if (at_ >= bytes.size()) break;
      ++at_;
      PUNA_TRY(directive());
    }
    if (next_ < items_.size() && !is_mapping_) return fail("not all values fit the format string");
    return make_string(render_.budget, out_);
  }

 private:
  Result<char> peek() const {
    if (at_ >= pattern_.bytes.size()) return fail("the format string ends inside of a directive");
    return pattern_.bytes[at_];
  }

  Result<Any> next_value() {
    if (key_) return *key_;
    if (next_ >= items_.size()) return fail("there are not enough values for the format string");
    return items_[next_++];
  }

  Result<std::int64_t> number(std::string_view what) {
    if (PUNA_TRY(peek()) == '*') {
      ++at_;
      return to_index(PUNA_TRY(next_value()), what);
    }
    std::int64_t value = 0;
    while (at_ < pattern_.bytes.size() && pattern_.bytes[at_] >= '0' && pattern_.bytes[at_] <= '9') {
      value = value * 10 + (pattern_.bytes[at_++] - '0');
      if (value > 1'000'000'000) return fail("{} is too large", what);
    }
    return value;
  }

  Result<void> read_key() {
    key_.reset();
    if (PUNA_TRY(peek()) != '(') return {};
    const Dict* dict = values_.if_dict();
    if (dict == nullptr) return fail("the format string needs a mapping");
    std::size_t end = at_ + 1;
    for (int open = 1; end < pattern_.bytes.size(); ++end) {
      if (pattern_.bytes[end] == '(') ++open;
      if (pattern_.bytes[end] == ')' && --open == 0) break;
    }
    if (end >= pattern_.bytes.size()) return fail("a key of the format string has no ')'");
    const std::string key = pattern_.bytes.substr(at_ + 1, end - at_ - 1);
    const Any* found = dict->find(key);
    if (found == nullptr) return fail("the mapping has no key '{}'", key);
    key_ = *found;
    at_ = end + 1;
    return {};
  }

  Result<void> directive() {
    Directive d;
    PUNA_TRY(read_key());
    for (;; ++at_) {
      const char flag = PUNA_TRY(peek());
      if (flag == '-') {
        d.left = true;
      } else if (flag == '0') {
        d.zero = true;
      } else if (flag == '#') {
        d.form.alternate = true;
      } else if (flag == '+') {
        d.form.sign = '+';
      } else if (flag == ' ') {
        d.form.sign = d.form.sign == '+' ? '+' : ' ';
      } else {
        break;
      }
    }
    d.width = PUNA_TRY(number("the width of a format"));
    if (d.width < 0) {
      d.left = true;
      d.width = -d.width;
    }
    if (PUNA_TRY(peek()) == '.') {
      ++at_;
      d.precision = std::max<std::int64_t>(PUNA_TRY(number("the precision of a format")), 0);
    }
    const char length = PUNA_TRY(peek());
    if (length == 'h' || length == 'l' || length == 'L') ++at_;
    d.conversion = PUNA_TRY(peek());
    ++at_;
    if (d.conversion == '%') {
      out_.append(pattern_, {at_ - 1, at_});
      return {};
    }
    return convert(d, PUNA_TRY(next_value()));
  }

  Result<void> convert(Directive d, const Any& value) {
    switch (d.conversion) {
      case 's':
      case 'r':
      case 'a':
        return convert_text(d, value);
      case 'c':
        return convert_char(d, value);
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return convert_integer(d, value);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return convert_real(d, value);
      default:
        return fail("'%{}' is no format", d.conversion);
    }
  }

  Result<void> convert_text(const Directive& d, const Any& value) {
    TextRef text = PUNA_TRY(d.conversion == 's' ? to_text(render_.budget, value) : to_repr(render_.budget, value));
    if (d.conversion == 'a') text = user_text(escape_ascii(text->bytes));
    if (d.precision >= 0 && static_cast<std::int64_t>(text->n_chars) > d.precision) {
      text = slice_text(*text, {0, byte_offset(*text, static_cast<std::size_t>(d.precision))});
    }
    return pad(d, *text);
  }

  Result<void> convert_char(const Directive& d, const Any& value) {
    std::string one;
    if (const Text* text = value.if_text()) {
      if (text->n_chars != 1) return fail("%c needs a single character");
      return pad(d, *text);
    }
    const std::int64_t code = PUNA_TRY(to_index(value, "the value of %c"));
    if (code < 0 || code > 0x10FFFF || !append_utf8(one, static_cast<char32_t>(code))) return fail("{} is no character", code);
    return pad(d, *user_text(one));
  }

  Result<void> convert_integer(Directive d, const Any& value) {
    const bool decimal = d.conversion == 'd' || d.conversion == 'i' || d.conversion == 'u';
    auto number = value.if_integer();
    if (const double* real = value.if_real(); real != nullptr && decimal) {
      if (!(std::abs(*real) < 1.7e38)) return fail("{} is no integer", real_text(*real));
      number = static_cast<Integer>(std::trunc(*real));
    }
    if (!number) return fail("%{} needs a number, not {}", d.conversion, type_name(value));
    d.form.upper = d.conversion == 'X';
    NumberParts parts = integer_parts(*number, decimal ? 10 : d.conversion == 'o' ? 8 : 16, d.form);
    if (d.precision > 100'000) return fail("a precision of {} is too large", d.precision);
    if (d.precision > static_cast<std::int64_t>(parts.digits.size())) {
      parts.digits.insert(0, static_cast<std::size_t>(d.precision) - parts.digits.size(), '0');
    }
    return pad_number(d, parts);
  }

  Result<void> convert_real(Directive d, const Any& value) {
    const auto number = value.if_number();
    if (!number) return fail("%{} needs a number, not {}", d.conversion, type_name(value));
    d.form.upper = d.conversion < 'a';
    const auto type = static_cast<char>(d.conversion | 0x20);
    return pad_number(d, PUNA_TRY(real_parts(*number, type, d.precision < 0 ? 6 : d.precision, d.form)));
  }

  Result<void> pad_number(const Directive& d, NumberParts parts) {
    const auto used = static_cast<std::int64_t>(parts.text().size());
    if (d.zero && !d.left && d.width > used) {
      PUNA_TRY(render_.budget.allocate(static_cast<std::uint64_t>(d.width)));
      parts.digits.insert(0, static_cast<std::size_t>(d.width - used), '0');
    }
    return pad(d, *literal_text(parts.text()));
  }

  Result<void> pad(const Directive& d, const Text& text) {
    const std::int64_t missing = std::max<std::int64_t>(d.width - static_cast<std::int64_t>(text.n_chars), 0);
    PUNA_TRY(render_.budget.allocate(static_cast<std::uint64_t>(missing) + text.bytes.size()));
    const std::string spaces(static_cast<std::size_t>(missing), ' ');
    if (!d.left) out_.literal(spaces);
    out_.append(text);
    if (d.left) out_.literal(spaces);
    return {};
  }

  Render& render_;
  const Text& pattern_;
  const Any& values_;
  std::vector<Any> items_;
  bool is_mapping_ = false;
  std::size_t next_ = 0;
  std::optional<Any> key_;
  std::size_t at_ = 0;
  TextBuilder out_;
};

}  // namespace

Result<Any> format_percent(Render& render, const Text& pattern, const Any& values) {
  return PercentFormatter(render, pattern, values).run();
}

}  // namespace puna::text::jinja
