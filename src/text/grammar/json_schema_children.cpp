// The keywords that speak of items and properties.
#include <set>
#include <string_view>

#include "text/grammar/json_schema_expand.h"

namespace puna::text::grammar {

Result<std::vector<std::string>> SchemaExpander::strings(const Here& here) const {
  const auto* items = here.value.if_array();
  std::vector<std::string> all;
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    if (!(*items)[i].if_string()) return wrong(here, "an array of strings");
    all.push_back(*(*items)[i].if_string());
  }
  if (!items) return wrong(here, "an array of strings");
  return all;
}

// prefixItems and items; before 2020-12 "items" may be an array, and "additionalItems" stands for the others.
Result<Clauses> SchemaExpander::items(const Here& here, bool negated) {
  const Value& schema = document_.value(here.schema);
  const Value *prefix = schema.find("prefixItems"), *rest = schema.find("items");
  std::string prefix_key = "/prefixItems", rest_key = "/items";
  if (rest && rest->if_array()) {
    prefix = rest, rest = schema.find("additionalItems");
    prefix_key = "/items", rest_key = "/additionalItems";
  }
  ArrayRules rules;
  if (prefix) {
    const auto* items = prefix->if_array();
    if (!items) return fail("{}{} must be an array, not {}", document_.path(here.schema), prefix_key, prefix->type_name());
    for (std::size_t i = 0; i < items->size(); ++i)
      rules.prefix.push_back({site(here.schema, (*items)[i], fmt::format("{}/{}", prefix_key, i))});
  }
  if (rest) rules.rest = {site(here.schema, *rest, rest_key)};
  rules.evaluated = rules.prefix.size();
  rules.evaluated_all = rest != nullptr;
  Clause clause;
  if (!negated) {
    clause.array = std::move(rules);
    return one(std::move(clause));
  }
  Clauses all;
  clause.kinds = kArray;
  for (std::size_t i = 0; i < rules.prefix.size(); ++i) {
    Clause broken = clause;
    broken.array.prefix.assign(i + 1, {});
    broken.array.prefix[i] = {Site{rules.prefix[i][0].schema, true}};
    broken.array.length.min = i + 1;
    all.push_back(std::move(broken));
  }
  if (rest && !PUNA_TRY(is_empty(Conjunction{Site{rules.rest[0].schema, true}}))) {
    if (!rules.prefix.empty()) return cannot(here, "items after prefixItems cannot be negated");
    clause.array.contains.push_back({Site{rules.rest[0].schema, true}, {1, {}}});
    all.push_back(std::move(clause));
  }
  return all;
}

Result<Clauses> SchemaExpander::contains(const Here& here, bool negated) {
  const Value& schema = document_.value(here.schema);
  const Value* what = schema.find("contains");
  if (!what) return nothing(negated);
  const Value *min = schema.find("minContains"), *max = schema.find("maxContains");
  static const std::string min_key = "minContains", max_key = "maxContains";
  Span64 span{1, {}};
  if (min) span.min = PUNA_TRY(count({here.schema, min_key, *min}));
  if (max) span.max = PUNA_TRY(count({here.schema, max_key, *max}));
  const Site item = site(here.schema, *what, "/contains");
  Clauses all;
  const auto add = [&](Span64 count) {
    Clause clause;
    if (negated) clause.kinds = kArray;
    if (count.max == 0)
      clause.array.rest = {Site{item.schema, true}};
    else if (count != Span64{})
      clause.array.contains.push_back({item, count});
    all.push_back(std::move(clause));
  };
  if (!negated) {
    if (!span.impossible()) return add(span), all;
    Clause no_array;
    no_array.kinds = kAllKinds & ~kArray;
    return one(std::move(no_array));
  }
  if (span.min > 0) add({0, span.min - 1});
  if (span.max) add({*span.max + 1, {}});
  return all;
}

Result<Clauses> SchemaExpander::unique(const Here& here, bool negated) {
  const auto* wanted = here.value.if_bool();
  if (!wanted) return wrong(here, "a boolean");
  if (!*wanted) return nothing(negated);
  if (negated) return cannot(here, "cannot be negated");
  Clause clause;
  clause.array.unique = here.schema;
  return one(std::move(clause));
}

// properties, patternProperties and additionalProperties
Result<Clauses> SchemaExpander::members(const Here& here, bool negated) {
  const Value& schema = document_.value(here.schema);
  const Value *named = schema.find("properties"), *patterns = schema.find("patternProperties"),
              *others = schema.find("additionalProperties");
  for (const Value* value : {named, patterns}) {
    if (value && !value->if_object()) {
      return fail("{}: properties and patternProperties must be objects, not {}", document_.path(here.schema),
                  value->type_name());
    }
  }
  auto part = std::make_shared<ObjectPart>();
  if (named) {
    for (const auto& [name, value] : *named->if_object()) {
      part->properties.emplace_back(name, Conjunction{site(here.schema, value, "/properties/" + pointer_part(name))});
    }
  }
  if (patterns) {
    for (const auto& [regex, value] : *patterns->if_object()) {
      const std::string keys = "/patternProperties/" + pointer_part(regex);
      auto dfa = texts_.pattern(regex);
      if (!dfa) return std::unexpected(std::move(dfa).error().within(document_.path(here.schema) + keys));
      part->patterns.emplace_back(*std::move(dfa), Conjunction{site(here.schema, value, keys)});
    }
  }
  if (others) part->others = Conjunction{site(here.schema, *others, "/additionalProperties")};
  Clause clause;
  if (!negated) {
    clause.object.parts.push_back(std::move(part));
    return one(std::move(clause));
  }
  // Some property breaks its schema.
  Clauses all;
  clause.kinds = kObject;
  for (const auto& [name, schemas] : part->properties) {
    Clause broken = clause;
    auto wrong_part = std::make_shared<ObjectPart>();
    wrong_part->properties.emplace_back(name, Conjunction{Site{schemas[0].schema, true}});
    wrong_part->evaluates = false;
    broken.object.parts.push_back(std::move(wrong_part));
    broken.object.required = {name};
    all.push_back(std::move(broken));
  }
  auto open = part->patterns;
  if (part->others) open.emplace_back(nullptr, *part->others);
  for (const auto& [_, schemas] : open) {
    if (!PUNA_TRY(is_empty(Conjunction{Site{schemas[0].schema, true}}))) {
      return cannot(here, "patternProperties and additionalProperties cannot be negated");
    }
  }
  return all;
}

Result<Clauses> SchemaExpander::required(const Here& here, bool negated) {
  if (here.value.if_bool())
    return cannot(here, "a boolean, as before draft 4", "List the names of required properties beside \"properties\".");
  const auto names = PUNA_TRY(strings(here));
  Clauses all;
  if (!negated) {
    Clause clause;
    std::set<std::string_view> seen;
    for (const auto& name : names) {
      if (seen.insert(name).second) clause.object.required.push_back(name);
    }
    return one(std::move(clause));
  }
  for (const auto& name : names) {
    all.push_back(lacks(here.schema, name));
    all.back().kinds = kObject;
  }
  return all;
}

Result<Clauses> SchemaExpander::property_names(const Here& here, bool negated) {
  const Site names = site(here.schema, here.value, "/propertyNames", negated);
  if (negated) {
    if (PUNA_TRY(is_empty(Conjunction{names}))) return Clauses();
    return cannot(here, "cannot be negated");
  }
  Clause clause;
  clause.object.names = {names};
  return one(std::move(clause));
}

Result<void> SchemaExpander::add_unevaluated(Index schema, Clauses& clauses) {
  const Value& value = document_.value(schema);
  if (const auto* properties = value.find("unevaluatedProperties")) {
    PUNA_TRY(add_unevaluated_properties(schema, *properties, clauses));
  }
  if (const auto* items = value.find("unevaluatedItems")) {
    PUNA_TRY(add_unevaluated_items(schema, *items, clauses));
  }
  return {};
}

// In each alternative it is an additionalProperties that knows the properties of all the schemas that hold there.
Result<void> SchemaExpander::add_unevaluated_properties(Index schema, const Value& value, Clauses& clauses) {
  const Site others = site(schema, value, "/unevaluatedProperties");
  for (Clause& clause : clauses) {
    auto known = std::make_shared<ObjectPart>();
    bool all = false;
    for (const auto& part : clause.object.parts) {
      if (!part->evaluates) continue;
      all = all || part->others;
      for (const auto& [name, _] : part->properties) known->properties.emplace_back(name, Conjunction());
      for (const auto& [pattern, _] : part->patterns) known->patterns.emplace_back(pattern, Conjunction());
    }
    if (all) continue;
    known->others = Conjunction{others};
    clause.object.parts.push_back(std::move(known));
  }
  return {};
}

Result<void> SchemaExpander::add_unevaluated_items(Index schema, const Value& value, Clauses& clauses) {
  const Site others = site(schema, value, "/unevaluatedItems");
  for (Clause& clause : clauses) {
    if (!(clause.kinds & kArray) || clause.array.evaluated_all) continue;
    if (!clause.array.contains.empty()) {
      return fail(ErrorKind::unsupported, "{}/unevaluatedItems beside \"contains\" is not supported", document_.path(schema));
    }
    Clause more;
    more.array.prefix.assign(clause.array.evaluated, {});
    more.array.rest = {others};
    more.array.evaluated_all = true;
    clause = *both(clause, more);
  }
  return {};
}

}  // namespace puna::text::grammar
