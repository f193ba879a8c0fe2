#include "text/jinja/tests.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/jinja/filters.h"
#include "text/jinja/letter_case.h"
#include "text/jinja/methods.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

Result<bool> remainder_is(Render& render, const Any& value, const Any& divisor, int wanted) {
  return equals(render.budget, PUNA_TRY(binary(render, BinaryOp::modulo, value, divisor)), Any(wanted));
}

Result<bool> is_callable(Render&, const Any& value, Given) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::method:
    case Kind::builtin:
      return true;
    case Kind::object: {
      const auto type = value.if_object()->type;
      return type == Object::Type::macro || type == Object::Type::loop || type == Object::Type::joiner;
    }
    default:
      return false;
  }
}

Result<bool> is_sequence(Render&, const Any& value, Given) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::text:
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
    case Kind::range:
      return true;
    default:
      return false;
  }
}

// Every letter in the wanted case, and at least one letter with a case.
Result<bool> has_case(Render& render, const Any& value, bool lower) {
  const TextRef text = PUNA_TRY(to_text(render.budget, value));
  PUNA_TRY(render.budget.spend(text->bytes.size() / 16));
  bool any = false;
  for (std::size_t at = 0; at < text->bytes.size();) {
    const std::size_t end = char_end(text->bytes, at);
    const char32_t c = decode(std::string_view(text->bytes).substr(at, end - at));
    at = end;
    if (is_title(c) || (lower ? is_upper(c) : is_lower(c))) return false;
    any = any || (lower ? is_lower(c) : is_upper(c));
  }
  return any;
}

Result<bool> in_order(Render& render, const Any& a, const Any& b, bool or_equal) {
  if (PUNA_TRY(less(render.budget, a, b))) return true;
  return or_equal ? equals(render.budget, a, b) : Result<bool>(false);
}

Result<bool> is_known(Render& render, const Any& name, bool known) {
  PUNA_TRY(hash_of(render.budget, name));
  return known;
}

std::string_view text_or_nothing(const Any& value) {
  const Text* text = value.if_text();
  return text != nullptr ? std::string_view(text->bytes) : std::string_view();
}

const TestEntry kTests[] = {
    {{"defined"}, [](Render&, const Any& v, Given) -> Result<bool> { return !v.is_undefined(); }},
    {{"undefined"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is_undefined(); }},
    {{"none"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is_none(); }},
    {{"boolean"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.if_bool() != nullptr; }},
    {{"true"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.if_bool() != nullptr && *v.if_bool(); }},
    {{"false"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.if_bool() != nullptr && !*v.if_bool(); }},
    {{"integer"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is(Kind::integer); }},
    {{"float"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is(Kind::real); }},
    {{"number"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.if_number().has_value(); }},
    {{"string"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is(Kind::text); }},
    {{"mapping"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.is(Kind::dict); }},
    {{"sequence"}, is_sequence},
    {{"iterable"},
     [](Render&, const Any& v, Given) -> Result<bool> {
       return v.if_object<Loop>(Object::Type::loop) != nullptr || Iterator::over(v).has_value();
     }},
    {{"callable"}, is_callable},
    {{"escaped"}, [](Render&, const Any& v, Given) -> Result<bool> { return v.if_text() != nullptr && v.if_text()->markup; }},
    {{"lower"}, [](Render& r, const Any& v, Given) { return has_case(r, v, true); }},
    {{"upper"}, [](Render& r, const Any& v, Given) { return has_case(r, v, false); }},
    {{"odd"}, [](Render& r, const Any& v, Given) { return remainder_is(r, v, Any(2), 1); }},
    {{"even"}, [](Render& r, const Any& v, Given) { return remainder_is(r, v, Any(2), 0); }},
    {{"divisibleby", {"num"}, 1}, [](Render& r, const Any& v, Given p) { return remainder_is(r, v, p[0], 0); }},
    {{"sameas", {"other"}, 1}, [](Render&, const Any& v, Given p) -> Result<bool> { return v.same_as(p[0]); }},
    {{"in", {"seq"}, 1}, [](Render& r, const Any& v, Given p) { return contains(r, p[0], v); }},
    {{"filter"}, [](Render& r, const Any& v, Given) { return is_known(r, v, find_filter(text_or_nothing(v)) != nullptr); }},
    {{"test"}, [](Render& r, const Any& v, Given) { return is_known(r, v, find_test(text_or_nothing(v)) != nullptr); }},
    {{"eq", {"other"}, 1}, [](Render& r, const Any& v, Given p) { return equals(r.budget, v, p[0]); }},
    {{"ne", {"other"}, 1}, [](Render& r, const Any& v, Given p) -> Result<bool> { return !PUNA_TRY(equals(r.budget, v, p[0])); }},
    {{"lt", {"other"}, 1}, [](Render& r, const Any& v, Given p) { return in_order(r, v, p[0], false); }},
    {{"le", {"other"}, 1}, [](Render& r, const Any& v, Given p) { return in_order(r, v, p[0], true); }},
    {{"gt", {"other"}, 1}, [](Render& r, const Any& v, Given p) { return in_order(r, p[0], v, false); }},
    {{"ge", {"other"}, 1}, [](Render& r, const Any& v, Given p) { return in_order(r, p[0], v, true); }},
};

struct Alias {
  std::string_view name, meaning;
};
constexpr Alias kAliases[] = {{"==", "eq"},       {"equalto", "eq"}, {"!=", "ne"},          {"<", "lt"}, {"<=", "le"},
                              {"lessthan", "lt"}, {">", "gt"},       {"greaterthan", "gt"}, {">=", "ge"}};

}  // namespace

const TestEntry* find_test(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) name = alias.meaning;
  }
  const auto found = std::find_if(std::begin(kTests), std::end(kTests),
                                  [name](const TestEntry& test) { return test.signature.function == name; });
  return found != std::end(kTests) ? &*found : nullptr;
}

Result<bool> apply_test(Render& render, const TestEntry& test, const Any& value, Arguments arguments) {
  const Render::Level level(render);
  PUNA_TRY(render.check_level());
  PUNA_TRY(render.budget.spend());
  const Parameters parameters = PUNA_TRY(Parameters::bind(test.signature, std::move(arguments)));
  return test.run(render, value, parameters);
}

}  // namespace puna::text::jinja
