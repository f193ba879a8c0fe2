// The keywords that combine schemas for one value: $ref, allOf, anyOf, oneOf, not, if, dependent….
#include <algorithm>

#include "text/grammar/json_schema_expand.h"

namespace puna::text::grammar {

Result<std::vector<SchemaDocument::Index>> SchemaExpander::options(const Here& here) {
  const auto* items = here.value.if_array();
  if (!items || items->empty()) return wrong(here, "an array of at least one schema");
  std::vector<Index> all;
  for (std::size_t i = 0; i < items->size(); ++i)
    all.push_back(document_.part(here.schema, (*items)[i], fmt::format("/{}/{}", here.key, i)));
  return all;
}

Result<Clauses> SchemaExpander::all_of_these(const std::vector<Site>& sites, const Here& here) {
  Clauses all(1);
  for (const Site& site : sites) all = PUNA_TRY(product(all, *PUNA_TRY(expand(site)), here));
  return all;
}

Result<Clauses> SchemaExpander::any_of_these(const std::vector<Site>& sites, const Here& here) {
  Clauses all;
  for (const Site& site : sites) {
    PUNA_TRY(append(all, *PUNA_TRY(expand(site)), here));
  }
  return all;
}

Result<Clauses> SchemaExpander::ref(const Here& here, bool negated) {
  const auto* reference = here.value.if_string();
  if (!reference) return wrong(here, "a string");
  return *PUNA_TRY(expand(Site {
    PUNA_TRY(document_.resolve(here.schema, *reference))
    , negated
  }));
}

namespace {
std::vector<Site> sites_of(const std::vector<SchemaDocument::Index>& schemas, bool negated) {
  std::vector<Site> sites;
  for (const auto schema : schemas) sites.push_back({schema, negated});
  return sites;
}
}  // namespace

Result<Clauses> SchemaExpander::all_of(const Here& here, bool negated) {
  const auto sites = sites_of(PUNA_TRY(options(here)), negated);
  return negated ? any_of_these(sites, here) : all_of_these(sites, here);
}

Result<Clauses> SchemaExpander::any_of(const Here& here, bool negated) {
  constexpr std::size_t kMostSubsets = 6;
  const auto sites = sites_of(PUNA_TRY(options(here)), negated);
  if (negated) return all_of_these(sites, here);
  if (!counts_evaluated()) return any_of_these(sites, here);
  // Which properties were looked at depends on every option that holds, so each set of them is an alternative.
  if (sites.size() > kMostSubsets) return cannot(here, "too many options beside unevaluatedProperties or unevaluatedItems");
  Clauses all;
  for (unsigned set = 1; set < 1u << sites.size(); ++set) {
    std::vector<Site> chosen;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (set >> i & 1) chosen.push_back(sites[i]);
    }
    PUNA_TRY(append(all, PUNA_TRY(all_of_these(chosen, here)), here));
  }
  return all;
}

Result<bool> SchemaExpander::are_disjoint(Index a, Index b, const Here& here) {
  const Clauses& in_a = *PUNA_TRY(expand(Site{a}));
  const Clauses& in_b = *PUNA_TRY(expand(Site{b}));
  for (const Clause& clause : PUNA_TRY(product(in_a, in_b, here))) {
    if (!PUNA_TRY(is_empty(clause))) return false;
  }
  return true;
}

// Each option without those that it is not apart from.
Result<Clauses> SchemaExpander::one_of_these(const std::vector<Index>& schemas, const Here& here) {
  const std::size_t n = schemas.size();
  std::vector<std::vector<std::size_t>> others(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (!PUNA_TRY(are_disjoint(schemas[i], schemas[j], here))) others[i].push_back(j), others[j].push_back(i);
    }
  }
  Clauses all;
  for (std::size_t i = 0; i < n; ++i) {
    Clauses mine = *PUNA_TRY(expand(Site{schemas[i]}));
    for (const auto j : others[i]) {
      auto rest = expand(Site{schemas[j], true});
      if (!rest) {
        return cannot(here,
                      fmt::format("options {} and {} may hold at once, and that cannot be excluded ({})", std::min(i, j),
                                  std::max(i, j), rest.error().message),
                      "Give the options a property of different \"const\" values, or use anyOf.");
      }
      Clauses without = **rest;
      forget_evaluated(without);
      mine = PUNA_TRY(product(mine, without, here));
    }
    PUNA_TRY(append(all, std::move(mine), here));
  }
  return all;
}

Result<Clauses> SchemaExpander::one_of(const Here& here, bool negated) {
  const auto schemas = PUNA_TRY(options(here));
  if (!negated) return one_of_these(schemas, here);
  // None holds, or two do.
  Clauses all = PUNA_TRY(all_of_these(sites_of(schemas, true), here));
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    for (std::size_t j = i + 1; j < schemas.size(); ++j) {
      PUNA_TRY(append(all, PUNA_TRY(all_of_these({Site{schemas[i]}, Site{schemas[j]}}, here)), here));
    }
  }
  return all;
}

Result<Clauses> SchemaExpander::not_(const Here& here, bool negated) {
  Clauses clauses = *PUNA_TRY(expand(site(here.schema, here.value, "/not", !negated)));
  forget_evaluated(clauses);
  return clauses;
}

// (if and then) or (not if and else)
Result<Clauses> SchemaExpander::if_(const Here& here, bool negated) {
  const Value& schema = document_.value(here.schema);
  const Value *condition = schema.find("if"), *then = schema.find("then"), *otherwise = schema.find("else");
  // Alone it only says what was evaluated.
  if (!condition || (!then && !otherwise && (negated || !counts_evaluated()))) return nothing(negated);
  const Clauses holds = *PUNA_TRY(expand(site(here.schema, *condition, "/if")));
  auto broken = PUNA_TRY(expand(site(here.schema, *condition, "/if", true)));
  Clauses fails = *broken;
  forget_evaluated(fails);
  const auto branch = [&](const Clauses& first, const Value* second, std::string_view name) -> Result<Clauses> {
    if (!second) return negated ? Clauses() : first;
    return product(first, *PUNA_TRY(expand(site(here.schema, *second, name, negated))), here);
  };
  Clauses all = PUNA_TRY(branch(holds, then, "/then"));
  PUNA_TRY(append(all, PUNA_TRY(branch(fails, otherwise, "/else")), here));
  return all;
}

Clause SchemaExpander::lacks(Index parent, const std::string& name) {
  auto part = std::make_shared<ObjectPart>();
  part->properties.emplace_back(name, Conjunction{never(parent)});
  part->evaluates = false;
  Clause clause;
  clause.object.parts.push_back(std::move(part));
  return clause;
}

// The property is not there, or it is and what it needs is too.
Result<Clauses> SchemaExpander::dependent_on(const std::string& name, const Value& needs, const Here& here, bool negated) {
  Clause present;
  present.kinds = kObject;
  present.object.required = {name};
  const Clauses there = one(present);
  Clauses all;
  if (!negated) all.push_back(lacks(here.schema, name));
  if (const auto* names = needs.if_array()) {
    Clause with = present;
    for (const Value& needed : *names) {
      if (!needed.if_string()) return wrong(here, "an object of arrays of strings");
      with.object.required.push_back(*needed.if_string());
      if (negated) PUNA_TRY(append(all, PUNA_TRY(product(there, one(lacks(here.schema, *needed.if_string())), here)), here));
    }
    if (!negated) all.push_back(std::move(with));
    return all;
  }
  const Site needed = site(here.schema, needs, fmt::format("/{}/{}", here.key, pointer_part(name)), negated);
  PUNA_TRY(append(all, PUNA_TRY(product(there, *PUNA_TRY(expand(needed)), here)), here));
  return all;
}

Result<Clauses> SchemaExpander::dependent(const Here& here, bool negated) {
  const auto* members = here.value.if_object();
  if (!members) return wrong(here, "an object");
  Clauses all(negated ? 0 : 1);
  for (const auto& [name, needs] : *members) {
    auto more = PUNA_TRY(dependent_on(name, needs, here, negated));
    if (negated)
      PUNA_TRY(append(all, std::move(more), here));
    else
      all = PUNA_TRY(product(all, more, here));
  }
  return all;
}

}  // namespace puna::text::grammar
