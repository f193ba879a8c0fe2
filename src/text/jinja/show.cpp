#include "text/jinja/show.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/jinja/letter_case.h"

namespace puna::text::jinja {
namespace {

constexpr int kMaxShowDepth = 256;  // a namespace may hold itself

void append_escape(std::string& out, char32_t c) {
  if (c < 0x100) {
    out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
  } else if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(c));
  }
}

void append_quoted(TextBuilder& out, const Text& text) {
  const std::string_view bytes = text.bytes;
  const bool has_single = bytes.find('\'') != std::string_view::npos;
  const char quote = has_single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
  OriginCursor origin(text);
  out.user({&quote, 1});
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const std::string_view one = bytes.substr(at, end - at);
    const char32_t c = decode(one);
    std::string shown;
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      shown = fmt::format("\\{}", static_cast<char>(c));
    } else if (c == '\n') {
      shown = "\\n";
    } else if (c == '\r') {
      shown = "\\r";
    } else if (c == '\t') {
      shown = "\\t";
    } else if (is_printable(c)) {
      shown = one;
    } else {
      append_escape(shown, c);
    }
    out.add(shown, origin.is_literal(at));
    at = end;
  }
  out.user({&quote, 1});
}

class ReprWriter {
 public:
  ReprWriter(Budget& budget, TextBuilder& out) : budget_(budget), out_(out) {}

  Result<void> write(const Any& value) {
    PUNA_TRY(budget_.spend());
    if (depth_ >= kMaxShowDepth) return fail("data is nested too deep to be printed");
    ++depth_;
    PUNA_TRY(write_kind(value));
    --depth_;
    return {};
  }

 private:
  Result<void> write_kind(const Any& value) {
    switch (value.kind()) {
      case Kind::text:
        PUNA_TRY(budget_.allocate(value.if_text()->bytes.size()));
        if (value.if_text()->markup) out_.user("Markup(");
        append_quoted(out_, *value.if_text());
        if (value.if_text()->markup) out_.user(")");
        return {};
      case Kind::list:
        return write_items(value.if_list()->items, "[", "]");
      case Kind::tuple:
        return write_items(value.if_tuple()->items, "(", value.if_tuple()->items.size() == 1 ? ",)" : ")");
      case Kind::dict:
        return write_dict(*value.if_dict());
      case Kind::view:
        return write_view(*value.if_view());
      case Kind::object:
        if (const auto* space = value.if_object<Namespace>(Object::Type::name_space)) return write_namespace(*space);
        [[fallthrough]];
      default:
        return write_plain(value);
    }
  }

  Result<void> write_plain(const Any& value) {
    std::string text;
    switch (value.kind()) {
      case Kind::missing:
      case Kind::undefined:
        text = "Undefined";
        break;
      case Kind::none:
        text = "None";
        break;
      case Kind::boolean:
        text = *value.if_bool() ? "True" : "False";
        break;
      case Kind::integer:
        text = integer_text(*value.if_integer());
        break;
      case Kind::real:
        text = real_text(*value.if_real());
        break;
      case Kind::range: {
        const Range& range = *value.if_range();
        text = range.step == 1 ? fmt::format("range({}, {})", range.start, range.stop)
                               : fmt::format("range({}, {}, {})", range.start, range.stop, range.step);
        break;
      }
      case Kind::object:
        text = value.if_object()->label();
        break;
      default:
        text = fmt::format("<{}>", type_name(value));
    }
    out_.user(text);
    return budget_.allocate(text.size());
  }

  Result<void> write_items(const std::vector<Any>& items, std::string_view open, std::string_view close) {
    out_.user(open);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_.user(", ");
      PUNA_TRY(write(items[i]));
    }
    out_.user(close);
    return {};
  }

  Result<void> write_dict(const Dict& dict) {
    out_.user("{");
    for (std::size_t i = 0; i < dict.entries.size(); ++i) {
      if (i > 0) out_.user(", ");
      PUNA_TRY(write(dict.entries[i].first));
      out_.user(": ");
      PUNA_TRY(write(dict.entries[i].second));
    }
    out_.user("}");
    return {};
  }

  Result<void> write_view(const DictView& view) {
    out_.user(type_name(Any(view)));
    out_.user("([");
    for (std::size_t i = 0; i < view.dict->entries.size(); ++i) {
      const auto& [key, value] = view.dict->entries[i];
      if (i > 0) out_.user(", ");
      if (view.of == ViewOf::items) out_.user("(");
      if (view.of != ViewOf::values) PUNA_TRY(write(key));
      if (view.of == ViewOf::items) out_.user(", ");
      if (view.of != ViewOf::keys) PUNA_TRY(write(value));
      if (view.of == ViewOf::items) out_.user(")");
    }
    out_.user("])");
    return {};
  }

  Result<void> write_namespace(const Namespace& space) {
    out_.user("<Namespace {");
    for (std::size_t i = 0; i < space.fields.size(); ++i) {
      if (i > 0) out_.user(", ");
      append_quoted(out_, *space.fields[i].first);
      out_.user(": ");
      PUNA_TRY(write(space.fields[i].second));
    }
    out_.user("}>");
    return {};
  }

  Budget& budget_;
  TextBuilder& out_;
  int depth_ = 0;
};

}  // namespace

std::string integer_text(Integer value, int base) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  __extension__ using Magnitude = unsigned __int128;
  auto rest = negative ? Magnitude{0} - static_cast<Magnitude>(value) : static_cast<Magnitude>(value);
  std::string digits;
  for (; rest != 0; rest /= static_cast<Magnitude>(base)) {
    digits.push_back("0123456789abcdef"[static_cast<std::size_t>(rest % static_cast<Magnitude>(base))]);
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  std::string out;
  if (text.front() == '-') out = "-";
  std::string digits;
  for (char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  const int n_digits = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (n_digits > 1) out += '.' + digits.substr(1);
    return out + fmt::format("e{}{:02d}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (n_digits <= exponent + 1) return out + digits + std::string(static_cast<std::size_t>(exponent + 1 - n_digits), '0') + ".0";
  return out + digits.substr(0, static_cast<std::size_t>(exponent) + 1) + '.' +
         digits.substr(static_cast<std::size_t>(exponent) + 1);
}

Result<void> append_repr(Budget& budget, TextBuilder& out, const Any& value) { return ReprWriter(budget, out).write(value); }

Result<TextRef> to_repr(Budget& budget, const Any& value) {
  TextBuilder out;
  PUNA_TRY(append_repr(budget, out, value));
  return std::make_shared<const Text>(out.take());
}

Result<void> append_text(Budget& budget, TextBuilder& out, const Any& value) {
  if (const Text* text = value.if_text()) {
    PUNA_TRY(budget.allocate(text->bytes.size() + text->literal.size()));
    out.append(*text);
    return {};
  }
  if (value.is_undefined()) return {};
  if (value.is(Kind::integer) || value.is(Kind::real) || value.is(Kind::boolean) || value.is_none()) {
    TextBuilder number;
    PUNA_TRY(append_repr(budget, number, value));
    out.literal(number.take().bytes);
    return {};
  }
  return append_repr(budget, out, value);
}

Result<TextRef> to_text(Budget& budget, const Any& value) {
  if (value.is(Kind::text)) return value.text_ref();
  TextBuilder out;
  PUNA_TRY(append_text(budget, out, value));
  return std::make_shared<const Text>(out.take());
}

std::string escape_ascii(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = char_end(bytes, at);
    const char32_t c = decode(bytes.substr(at, end - at));
    if (c < 0x80) {
      out += bytes[at];
    } else {
      append_escape(out, c);
    }
    at = end;
  }
  return out;
}

}  // namespace puna::text::jinja
