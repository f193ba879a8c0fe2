#include "text/grammar/json_schema_expand.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/grammar/char_set.h"

namespace puna::text::grammar {
namespace {

// A value as an error names it: itself where it is short.
std::string shown(const Value& value) {
  constexpr std::size_t kMostShown = 60;
  if (const auto* number = value.if_double(); number && !std::isfinite(*number)) return "a number too large";
  std::string text = json::write(value);
  return text.size() <= kMostShown ? std::move(text) : std::string(value.type_name());
}

}  // namespace

Result<Clauses> SchemaExpander::expand(const Conjunction& schemas) {
  Clauses all(1);
  for (const Site& site : schemas) {
    const Clauses& more = *PUNA_TRY(expand(site));
    static const std::string none;
    all = PUNA_TRY(product(all, more, Here{site.schema, none, document_.value(site.schema)}));
  }
  return all;
}

Result<const Clauses*> SchemaExpander::expand(Site site) {
  const std::uint64_t key = std::uint64_t{site.schema} << 1 | (site.negated ? 1 : 0);
  if (const auto found = expanded_.find(key); found != expanded_.end()) return found->second.get();
  const std::string& path = document_.path(site.schema);
  if (expanding_.contains(site)) return fail("{}: the schema refers to itself for the same value, so it says nothing", path);
  if (expanding_.size() >= kMaxDepth) {
    return fail(ErrorKind::unsupported, "{}: more than {} schemas, one inside of another, speak of one value", path, kMaxDepth);
  }
  expanding_.insert(site);
  const Value& value = document_.value(site.schema);
  Result<Clauses> clauses = fail("{}: a schema is an object or a boolean, not {}", path, value.type_name());
  static const std::string key_of_constant = "const";
  if (document_.is_constant(site.schema))
    clauses = value_clauses({&value, 1}, Here{site.schema, key_of_constant, value}, site.negated);
  else if (const auto* all = value.if_bool())
    clauses = *all == site.negated ? Clauses() : Clauses(1);
  else if (value.if_object())
    clauses = expand_object(site.schema, site.negated);
  expanding_.erase(site);
  if (!clauses) return std::unexpected(std::move(clauses).error());
  n_clauses_ += clauses->size();
  if (n_clauses_ > 100 * kMaxClauses)
    return fail(ErrorKind::unsupported, "{}: the schema has too many alternatives in all", path);
  return (expanded_[key] = std::make_unique<Clauses>(*std::move(clauses))).get();
}

// A value is valid where it keeps every keyword; it is not where it breaks one.
Result<Clauses> SchemaExpander::expand_object(Index schema, bool negated) {
  Clauses all(negated ? 0 : 1);
  unsigned groups = 0;
  for (const auto& [key, value] : *document_.value(schema).if_object()) {
    const Here here{schema, key, value};
    auto more = PUNA_TRY(expand_keyword(here, negated, groups));
    if (negated)
      PUNA_TRY(append(all, std::move(more), here));
    else
      all = PUNA_TRY(product(all, more, here));
  }
  const Value& value = document_.value(schema);
  if (value.find("unevaluatedProperties") || value.find("unevaluatedItems")) {
    if (negated)
      return fail(ErrorKind::unsupported, "{}: unevaluated properties or items cannot be negated", document_.path(schema));
    PUNA_TRY(add_unevaluated(schema, all));
  }
  return all;
}

Result<Clauses> SchemaExpander::expand_keyword(const Here& here, bool negated, unsigned& groups) {
  const Rule& rule = *rule_of(here.key);
  if (rule.group != 0) {
    if (groups >> rule.group & 1) return nothing(negated);
    groups |= 1u << rule.group;
  }
  return (this->*rule.handler)(here, negated);
}

Result<Clauses> SchemaExpander::product(const Clauses& a, const Clauses& b, const Here& here) {
  Clauses result;
  for (const auto& x : a) {
    for (const auto& y : b) {
      const std::size_t parts = x.object.parts.size() + x.array.prefix.size() + y.array.prefix.size();
      const std::size_t names = x.object.required.size() + y.object.required.size();
      PUNA_TRY(texts_.budget().spend(100 + 30 * parts + 10 * names, "the schema"));
      auto clause = both(x, y);
      if (!clause) continue;
      if (result.size() >= kMaxClauses) return cannot(here, fmt::format("has more than {} alternatives", kMaxClauses));
      result.push_back(*std::move(clause));
    }
  }
  return result;
}

Result<void> SchemaExpander::append(Clauses& all, Clauses more, const Here& here) {
  if (all.size() + more.size() > kMaxClauses) return cannot(here, fmt::format("has more than {} alternatives", kMaxClauses));
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return {};
}

Result<bool> SchemaExpander::is_empty(const Conjunction& schemas, int depth) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest) return false;
  // What cannot be expanded, as a schema that is just being expanded and asks about itself, may hold anything.
  const auto clauses = expand(schemas);
  if (!clauses) return false;
  for (const Clause& clause : *clauses) {
    if (!PUNA_TRY(is_empty(clause, depth))) return false;
  }
  return true;
}

Result<bool> SchemaExpander::is_empty(const Clause& clause, int depth) {
  if (clause.kinds & (kNull | kFalse | kTrue)) return false;
  if (clause.kinds & kNumber && !PUNA_TRY(texts_.numbers(clause.kinds, clause.number))->empty()) return false;
  if (clause.kinds & kString) {
    // Lengths alone are no automaton's business. What an automaton leaves out may be there for whoever reads the text.
    StringRules rules = clause.string;
    std::erase_if(rules.forms, [](const Form& form) { return form.partial; });
    if (rules.forms.empty() ? !rules.length.impossible() : !PUNA_TRY(texts_.strings(rules))->empty()) return false;
  }
  if (clause.kinds & kArray) {
    bool empty = clause.array.length.impossible();
    for (std::size_t i = 0; i < clause.array.prefix.size() && i < clause.array.length.min && !empty; ++i) {
      empty = PUNA_TRY(is_empty(clause.array.prefix[i], depth + 1));
    }
    if (!empty && clause.array.length.min > clause.array.prefix.size()) empty = PUNA_TRY(is_empty(clause.array.rest, depth + 1));
    if (!empty) return false;
  }
  if (clause.kinds & kObject) {
    bool empty = clause.object.count.impossible();
    for (std::size_t i = 0; i < clause.object.required.size() && !empty; ++i) {
      empty = PUNA_TRY(is_empty(PUNA_TRY(property(clause.object, clause.object.required[i])), depth + 1));
    }
    if (!empty) return false;
  }
  return true;
}

Result<Conjunction> SchemaExpander::property(const ObjectRules& rules, const std::string& name) {
  Conjunction all;
  const std::string escaped = json_escaped(name);
  for (const auto& part : rules.parts) {
    PUNA_TRY(texts_.budget().spend(part->properties.size() / 8 + part->patterns.size() * (1 + name.size()), "the schema"));
    bool known = false;
    const auto add = [&](const Conjunction& schemas) { known = true, all = both(all, schemas); };
    for (const auto& [declared, schemas] : part->properties) {
      if (declared == name) add(schemas);
    }
    for (const auto& [pattern, schemas] : part->patterns) {
      if (pattern->matches(escaped)) add(schemas);
    }
    if (!known && part->others) add(*part->others);
  }
  return all;
}

Result<SharedDfa> SchemaExpander::names(const ObjectRules& rules) {
  if (rules.names.empty()) return texts_.any_text();
  SharedDfa all = std::make_shared<const Dfa>();
  for (const Clause& clause : PUNA_TRY(expand(rules.names))) {
    if (clause.kinds & kString) all = PUNA_TRY(texts_.joined(all, PUNA_TRY(texts_.strings(clause.string))));
  }
  return all;
}

Result<Conjunction> SchemaExpander::direct(const Conjunction& schemas) {
  Conjunction result;
  for (Site site : schemas) {
    bool holds_always = false;
    for (int steps = 0; steps < kMaxDepth; ++steps) {
      if (document_.is_constant(site.schema)) break;
      const Value& value = document_.value(site.schema);
      const Value* ref = nullptr;
      std::size_t n_assertions = 0;
      if (const auto* members = value.if_object()) {
        PUNA_TRY(texts_.budget().spend(4 * members->size(), "the schema"));
        for (const auto& [key, member] : *members) {
          const bool counts = rule_of(key)->handler != &SchemaExpander::annotation || key.starts_with("unevaluated");
          if (counts) ++n_assertions;
          if (key == "$ref") ref = &member;
        }
        holds_always = n_assertions == 0 && !site.negated;
      } else if (const auto* boolean = value.if_bool()) {
        holds_always = *boolean != site.negated;
      }
      if (!ref || n_assertions != 1 || !ref->if_string()) break;
      site.schema = PUNA_TRY(document_.resolve(site.schema, *ref->if_string()));
    }
    if (!holds_always) result = both(result, {site});
  }
  return result;
}

std::unexpected<Error> SchemaExpander::wrong(const Here& here, std::string_view wanted) const {
  return fail("{}: {} must be {}, not {}", document_.path(here.schema), here.key, wanted, shown(here.value));
}

std::unexpected<Error> SchemaExpander::cannot(const Here& here, std::string_view why, std::string_view hint) const {
  return std::unexpected(
      error(ErrorKind::unsupported, "{}{}{}: {}", document_.path(here.schema), here.key.empty() ? "" : "/", here.key, why)
          .with_hint(std::string(hint)));
}

}  // namespace puna::text::grammar
