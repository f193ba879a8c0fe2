// The keywords that speak of one value's kind, number or text: type, enum, const, limits, lengths, pattern, format.
#include <cmath>

#include "text/grammar/char_set.h"
#include "text/grammar/json_schema_expand.h"
#include "text/grammar/json_schema_string.h"

namespace puna::text::grammar {
namespace {

struct NamedKinds {
  std::string_view name;
  Kinds kinds;
};
constexpr NamedKinds kTypes[] = {
    {"null", kNull},     {"boolean", kFalse | kTrue}, {"integer", kInteger}, {"number", kNumber},
    {"string", kString}, {"array", kArray},           {"object", kObject},
};

Clause of_kinds(Kinds kinds) {
  Clause clause;
  clause.kinds = kinds;
  return clause;
}

// Where a keyword speaks of one kind of value, all others keep it; broken it is by that kind alone.
Clause speaks_of(Kinds kinds, bool negated) { return of_kinds(negated ? kinds : kAllKinds); }

bool is_true(const Value* value) { return value && value->if_bool() && *value->if_bool(); }

}  // namespace

Result<Clauses> SchemaExpander::annotation(const Here&, bool negated) { return nothing(negated); }

Result<Clauses> SchemaExpander::refused(const Here& here, bool) {
  const auto meant = similar_assertion(here.key);
  return cannot(here, "a keyword that is not known here",
                meant.empty() || meant == here.key
                    ? std::string("Annotations of your own have names that begin with x-.")
                    : fmt::format("Did you mean \"{}\"? Annotations of your own have names that begin with x-.", meant));
}

Result<Clauses> SchemaExpander::nullable(const Here& here, bool negated) {
  if (!here.value.if_bool()) return wrong(here, "a boolean");
  return nothing(negated);  // type() reads it; where there is no type, null is allowed anyway
}

Result<Clauses> SchemaExpander::type(const Here& here, bool negated) {
  Kinds kinds = is_true(document_.value(here.schema).find("nullable")) ? kNull : 0;
  const auto add = [&](const Value& name) -> Result<void> {
    for (const auto& type : kTypes) {
      if (name.if_string() && *name.if_string() == type.name) return kinds |= type.kinds, Result<void>();
    }
    return wrong(here, "null, boolean, integer, number, string, array or object, or a list of these");
  };
  if (const auto* names = here.value.if_array()) {
    for (const Value& name : *names) {
      PUNA_TRY(add(name));
    }
  } else {
    PUNA_TRY(add(here.value));
  }
  if (negated) kinds = kAllKinds & ~kinds;
  return kinds == 0 ? Clauses() : one(of_kinds(kinds));
}

Result<Clauses> SchemaExpander::const_(const Here& here, bool negated) { return value_clauses({&here.value, 1}, here, negated); }

Result<Clauses> SchemaExpander::enum_(const Here& here, bool negated) {
  const auto* values = here.value.if_array();
  if (!values) return wrong(here, "an array");
  return value_clauses(*values, here, negated);
}

Result<Clauses> SchemaExpander::value_clauses(std::span<const Value> values, const Here& here, bool negated) {
  Clause plain = of_kinds(0);
  Clauses all;
  std::vector<std::string> numbers, strings;
  for (const Value& value : values) {
    if (value.is_null()) plain.kinds |= kNull;
    if (const auto* boolean = value.if_bool()) plain.kinds |= *boolean ? kTrue : kFalse;
    if (const auto* text = value.if_string()) strings.push_back(json_escaped(*text));
    if (value.is_number()) {
      const auto decimal = decimal_of(value);
      if (!decimal) return cannot(here, "a number that is not finite");
      numbers.push_back(decimal->text());
    }
    if (value.if_array() || value.if_object()) {
      if (negated) return cannot(here, "arrays and objects cannot be excluded");
      PUNA_TRY(append(
          all,
          one(value.if_array() ? array_value(here.schema, *value.if_array()) : object_value(here.schema, *value.if_object())),
          here));
    }
  }
  if (negated) plain.kinds = kAllKinds & ~plain.kinds;
  if (!numbers.empty()) {
    plain.kinds |= kNumber;
    const auto listed = PUNA_TRY(texts_.words(numbers));
    plain.number.forms.push_back({listed, negated, true});
  }
  if (!strings.empty()) {
    plain.kinds |= kString;
    const auto listed = PUNA_TRY(texts_.words(strings));
    plain.string.forms.push_back({listed, negated, true});
  }
  if (plain.kinds != 0) all.insert(all.begin(), std::move(plain));
  return all;
}

// An array or object of one value is one whose parts have each one value.
Clause SchemaExpander::array_value(Index schema, const Value::Array& items) {
  Clause clause = of_kinds(kArray);
  for (const Value& item : items) clause.array.prefix.push_back({Site{document_.constant(schema, item)}});
  clause.array.length = {items.size(), items.size()};
  return clause;
}

Clause SchemaExpander::object_value(Index schema, const Value::Object& members) {
  Clause clause = of_kinds(kObject);
  auto part = std::make_shared<ObjectPart>();
  for (const auto& [name, value] : members) {
    part->properties.emplace_back(name, Conjunction{Site{document_.constant(schema, value)}});
    clause.object.required.push_back(name);
  }
  part->others = Conjunction{never(schema)};
  part->evaluates = false;
  clause.object.parts.push_back(std::move(part));
  return clause;
}

Result<Decimal> SchemaExpander::number(const Here& here) const {
  const auto decimal = decimal_of(here.value);
  if (!decimal) return wrong(here, "a number");
  return *decimal;
}

Result<Clauses> SchemaExpander::limit(const Here& here, bool negated) {
  const bool is_minimum = here.key == "minimum" || here.key == "exclusiveMinimum";
  bool excludes = here.key.starts_with("exclusive");
  if (excludes && here.value.if_bool()) return nothing(negated);  // as in draft 4, where it says how "minimum" is meant
  if (!excludes) excludes = is_true(document_.value(here.schema).find(is_minimum ? "exclusiveMinimum" : "exclusiveMaximum"));
  const Decimal limit = PUNA_TRY(number(here));
  const Bound bound = is_minimum ? (excludes ? Bound::above : Bound::at_least) : (excludes ? Bound::below : Bound::at_most);
  Clause clause = speaks_of(kNumber, negated);
  const auto dfa = PUNA_TRY(texts_.bound(bound, limit));
  clause.number.forms.push_back({dfa, negated, false});
  return one(std::move(clause));
}

Result<Clauses> SchemaExpander::multiple_of(const Here& here, bool negated) {
  const Decimal factor = PUNA_TRY(number(here));
  if (factor.negative || factor.text() == "0") return wrong(here, "a number above 0");
  auto dfa = texts_.multiples(factor);
  if (!dfa) return std::unexpected(std::move(dfa).error().within(document_.path(here.schema)));
  Clause clause = speaks_of(kNumber, negated);
  clause.number.forms.push_back({*std::move(dfa), negated, false});
  return one(std::move(clause));
}

Result<std::uint64_t> SchemaExpander::count(const Here& here) const {
  constexpr double kExact = 9007199254740992.0;  // 2^53: from there on doubles leave integers out
  if (const auto* integer = here.value.if_int(); integer && *integer >= 0) return static_cast<std::uint64_t>(*integer);
  if (const auto* natural = here.value.if_uint()) return *natural;
  const auto* number = here.value.if_double();
  if (number && *number >= 0 && *number <= kExact && std::floor(*number) == *number) return static_cast<std::uint64_t>(*number);
  return wrong(here, "an integer that is not negative");
}

// minLength and maxLength, and the same of items and properties.
Result<Clauses> SchemaExpander::size(const Here& here, bool negated) {
  const std::uint64_t count = PUNA_TRY(this->count(here));
  const bool is_min = here.key.starts_with("min");
  if (negated && (is_min ? count == 0 : count == UINT64_MAX)) return Clauses();
  Span64 span;
  if (is_min)
    negated ? void(span.max = count - 1) : void(span.min = count);
  else
    negated ? void(span.min = count + 1) : void(span.max = count);
  const Kinds kinds = here.key.ends_with("Length") ? kString : here.key.ends_with("Items") ? kArray : kObject;
  Clause clause = speaks_of(kinds, negated);
  (kinds == kString ? clause.string.length : kinds == kArray ? clause.array.length : clause.object.count) = span;
  return one(std::move(clause));
}

Result<Clauses> SchemaExpander::pattern(const Here& here, bool negated) {
  const auto* regex = here.value.if_string();
  if (!regex) return wrong(here, "a string");
  auto dfa = texts_.pattern(*regex);
  if (!dfa) return std::unexpected(std::move(dfa).error().within(document_.path(here.schema) + "/pattern"));
  Clause clause = speaks_of(kString, negated);
  clause.string.forms.push_back({*std::move(dfa), negated, false});
  return one(std::move(clause));
}

Result<Clauses> SchemaExpander::format(const Here& here, bool negated) {
  const auto* name = here.value.if_string();
  if (!name) return wrong(here, "a string");
  if (*name == "int32" || *name == "int64" || *name == "uint32" || *name == "uint64") {  // OpenAPI's
    const int bits = name->ends_with("32") ? 32 : 64;
    const Value least = name->starts_with("u") ? Value(0)
                        : bits == 32           ? Value(std::int64_t{INT32_MIN})
                                               : Value(std::int64_t{INT64_MIN});
    const Value most = name->starts_with("u") ? (bits == 32 ? Value(UINT32_MAX) : Value(std::uint64_t{UINT64_MAX}))
                                              : (bits == 32 ? Value(INT32_MAX) : Value(std::int64_t{INT64_MAX}));
    if (negated) return cannot(here, "a format of numbers cannot be negated");
    Clause clause;
    const auto from = PUNA_TRY(texts_.bound(Bound::at_least, *decimal_of(least)));
    clause.number.forms.push_back({from, false, false});
    const auto to = PUNA_TRY(texts_.bound(Bound::at_most, *decimal_of(most)));
    clause.number.forms.push_back({to, false, false});
    return one(std::move(clause));
  }
  if (is_loose_format(*name)) return nothing(negated);
  const auto* format = string_format(*name);
  if (!format) {
    return cannot(here, fmt::format("the format '{}' is not known here", *name),
                  fmt::format("Known are {}. A \"pattern\" can say the same of any other.", known_formats()));
  }
  if (negated && !format->exact) return cannot(here, fmt::format("the format '{}' cannot be negated", *name));
  Clause clause = speaks_of(kString, negated);
  const auto dfa = PUNA_TRY(texts_.format(format_pattern(*format)));
  clause.string.forms.push_back({dfa, negated, false, !format->exact});
  return one(std::move(clause));
}

}  // namespace puna::text::grammar
