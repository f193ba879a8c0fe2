// Arithmetic, and + * % on strings and lists, as Python defines them. An integer beyond 127 bits is an error.
#include <cmath>

#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

constexpr std::size_t kMaxString = 64U << 20U;

std::unexpected<Error> no_operator(BinaryOp op, const Any& left, const Any& right) {
  if (left.is_undefined()) return undefined_error(left);
  if (right.is_undefined()) return undefined_error(right);
  constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%", "**"};
  return fail("'{}' is not defined between '{}' and '{}'", kSigns[static_cast<std::size_t>(op)], type_name(left),
              type_name(right));
}

std::unexpected<Error> too_large() { return fail("the result is too large a number"); }

Result<Any> integer_power(Integer base, Integer exponent) {
  if (exponent < 0) {
    if (base == 0) return fail("0 cannot be raised to a negative power");
    return Any(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  if (base == 0 || base == 1) return Any(exponent == 0 ? Integer{1} : base);
  if (base == -1) return Any(Integer{exponent % 2 == 0 ? 1 : -1});
  if (exponent > 127) return too_large();
  Integer result = 1;
  for (Integer i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return too_large();
  }
  return Any(result);
}

Result<Any> integer_arithmetic(BinaryOp op, Integer a, Integer b) {
  Integer result = 0;
  switch (op) {
    case BinaryOp::add:
      if (__builtin_add_overflow(a, b, &result)) return too_large();
      return Any(result);
    case BinaryOp::subtract:
      if (__builtin_sub_overflow(a, b, &result)) return too_large();
      return Any(result);
    case BinaryOp::multiply:
      if (__builtin_mul_overflow(a, b, &result)) return too_large();
      return Any(result);
    case BinaryOp::divide:
      if (b == 0) return fail("division by zero");
      return Any(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::floor_divide:
    case BinaryOp::modulo: {
      if (b == 0) return fail("division by zero");
      if (b == -1) return op == BinaryOp::modulo ? Result<Any>(Any(0)) : integer_arithmetic(BinaryOp::subtract, 0, a);
      const Integer rest = a % b;
      const bool adjust = rest != 0 && (rest < 0) != (b < 0);
      return Any(op == BinaryOp::modulo ? (adjust ? rest + b : rest) : (a / b - (adjust ? 1 : 0)));
    }
    default:
      return integer_power(a, b);
  }
}

Result<Any> real_arithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add:
      return Any(a + b);
    case BinaryOp::subtract:
      return Any(a - b);
    case BinaryOp::multiply:
      return Any(a * b);
    case BinaryOp::divide:
      if (b == 0) return fail("division by zero");
      return Any(a / b);
    case BinaryOp::floor_divide:
    case BinaryOp::modulo: {
      if (b == 0) return fail("division by zero");
      double rest = std::fmod(a, b);
      double quotient = (a - rest) / b;
      if (rest != 0 && (b < 0) != (rest < 0)) {
        rest += b;
        quotient -= 1;
      } else if (rest == 0) {
        rest = std::copysign(0.0, b);
      }
      if (op == BinaryOp::modulo) return Any(rest);
      if (quotient == 0) return Any(std::copysign(0.0, a / b));
      double whole = std::floor(quotient);
      if (quotient - whole > 0.5) whole += 1;
      return Any(whole);
    }
    default: {
      if (a == 0 && b < 0) return fail("0 cannot be raised to a negative power");
      if (a < 0 && std::isfinite(b) && b != std::floor(b)) return fail("a negative number has no real power of {}", real_text(b));
      const double result = std::pow(a, b);
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) return too_large();
      return Any(result);
    }
  }
}

// Markup joined with other text escapes it.
TextRef as_markup(const TextRef& text, bool wanted) { return wanted && !text->markup ? escape_html(*text) : text; }

Result<Any> add_text(Render& render, const TextRef& left, const TextRef& right) {
  const bool markup = left->markup || right->markup;
  TextBuilder out;
  out.reserve(left->bytes.size() + right->bytes.size());
  out.append(*as_markup(left, markup));
  out.append(*as_markup(right, markup));
  if (out.size() > kMaxString) return fail("a string would have {} bytes", out.size());
  return make_string(render.budget, out, markup);
}

Result<Any> repeat(Render& render, const Any& value, Integer times) {
  if (times < 0) times = 0;
  if (const Text* text = value.if_text()) {
    if (!text->bytes.empty() && times > static_cast<Integer>(kMaxString / text->bytes.size())) {
      return fail("a string repeated {} times is too long", integer_text(times));
    }
    const auto count = text->bytes.empty() ? 0 : static_cast<std::size_t>(times);
    PUNA_TRY(render.budget.spend(count));
    PUNA_TRY(render.budget.allocate(count * (text->bytes.size() + text->literal.size() * sizeof(Span))));
    TextBuilder out;
    for (std::size_t i = 0; i < count; ++i) out.append(*text);
    return make_string(render.budget, out, text->markup);
  }
  const std::vector<Any>& items = value.if_sequence()->items;
  if (!items.empty() && times > static_cast<Integer>(kMaxString / sizeof(Any) / items.size())) {
    return fail("a list repeated {} times is too long", integer_text(times));
  }
  const auto count = items.empty() ? 0 : static_cast<std::size_t>(times);
  PUNA_TRY(render.budget.allocate(count * items.size() * sizeof(Any)));
  std::vector<Any> repeated;
  repeated.reserve(count * items.size());
  for (std::size_t i = 0; i < count; ++i) repeated.insert(repeated.end(), items.begin(), items.end());
  return value.is(Kind::list) ? make_list(render.budget, std::move(repeated)) : make_tuple(render.budget, std::move(repeated));
}

bool can_repeat(const Any& value) { return value.is(Kind::text) || value.if_sequence() != nullptr; }

}  // namespace

Result<Any> binary(Render& render, BinaryOp op, const Any& left, const Any& right) {
  const auto a = left.if_integer();
  const auto b = right.if_integer();
  if (a && b) return integer_arithmetic(op, *a, *b);
  const auto x = left.if_number();
  const auto y = right.if_number();
  if (x && y) return real_arithmetic(op, *x, *y);
  if (op == BinaryOp::add) {
    if (left.is(Kind::text) && right.is(Kind::text)) return add_text(render, left.text_ref(), right.text_ref());
    const bool lists = left.is(Kind::list) && right.is(Kind::list);
    if (lists || (left.is(Kind::tuple) && right.is(Kind::tuple))) {
      std::vector<Any> items = left.if_sequence()->items;
      items.insert(items.end(), right.if_sequence()->items.begin(), right.if_sequence()->items.end());
      return lists ? make_list(render.budget, std::move(items)) : make_tuple(render.budget, std::move(items));
    }
  }
  if (op == BinaryOp::multiply && can_repeat(left) && b) return repeat(render, left, *b);
  if (op == BinaryOp::multiply && can_repeat(right) && a) return repeat(render, right, *a);
  if (op == BinaryOp::modulo && left.is(Kind::text)) return format_percent(render, *left.if_text(), right);
  return no_operator(op, left, right);
}

Result<Any> unary(Render& render, UnaryOp op, const Any& operand) {
  PUNA_TRY(render.budget.spend());
  if (op == UnaryOp::negate_truth) return Any(!truth(operand));
  if (operand.is_undefined()) return undefined_error(operand);
  if (const double* number = operand.if_real()) return Any(op == UnaryOp::negate ? -*number : *number);
  const auto number = operand.if_integer();
  if (!number) return fail("'{}' is not defined for '{}'", op == UnaryOp::negate ? "-" : "+", type_name(operand));
  return op == UnaryOp::negate ? integer_arithmetic(BinaryOp::subtract, 0, *number) : Result<Any>(Any(*number));
}

}  // namespace puna::text::jinja
