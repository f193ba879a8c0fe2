// Schemas to clauses: the way of every keyword, held and negated.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "text/grammar/json_schema_clause.h"
#include "text/grammar/json_schema_texts.h"

namespace puna::text::grammar {

class SchemaExpander {
 public:
  static constexpr std::size_t kMaxClauses = 2000;
  static constexpr int kMaxDepth = 40;  // schemas that speak of the same value, one inside of another or referred to

  SchemaExpander(SchemaDocument& document, SchemaTexts& texts) : document_(document), texts_(texts) {}

  // The clauses of which a value must keep one; none: no value is valid.
  Result<Clauses> expand(const Conjunction& schemas);
  // Whether it can be shown that no value keeps the clause. False says nothing.
  Result<bool> is_empty(const Clause& clause, int depth = 0);
  Result<bool> is_empty(const Conjunction& schemas, int depth = 0);
  // The schemas of an object's property of that name.
  Result<Conjunction> property(const ObjectRules& rules, const std::string& name);
  // The names that an object's properties may have.
  Result<SharedDfa> names(const ObjectRules& rules);
  // The same schemas with fewer detours: what a lone $ref means, and nothing for what holds of every value.
  Result<Conjunction> direct(const Conjunction& schemas);

  SchemaTexts& texts() { return texts_; }
  const SchemaDocument& document() const { return document_; }

 private:
  using Index = SchemaDocument::Index;
  // A keyword where it stands.
  struct Here {
    Index schema = 0;
    const std::string& key;
    const Value& value;
  };
  using Handler = Result<Clauses> (SchemaExpander::*)(const Here&, bool negated);
  struct Rule {
    std::string_view name;
    Handler handler;
    int group = 0;  // of one group, the first that the schema has speaks for all
  };
  static const Rule kRules[];
  const Rule* rule_of(const std::string& name);
  static std::string_view similar_assertion(std::string_view name);

  Result<const Clauses*> expand(Site site);
  Result<Clauses> expand_object(Index schema, bool negated);
  Result<Clauses> expand_keyword(const Here& here, bool negated, unsigned& groups);
  Result<void> add_unevaluated(Index schema, Clauses& clauses);
  Result<void> add_unevaluated_properties(Index schema, const Value& value, Clauses& clauses);
  Result<void> add_unevaluated_items(Index schema, const Value& value, Clauses& clauses);

  Result<Clauses> product(const Clauses& a, const Clauses& b, const Here& here);
  Result<void> append(Clauses& all, Clauses more, const Here& here);
  Clauses one(Clause clause) const { return {std::move(clause)}; }
  // Of every keyword that asserts nothing.
  Clauses nothing(bool negated) const { return negated ? Clauses() : Clauses(1); }

  Result<Clauses> annotation(const Here& here, bool negated);
  Result<Clauses> refused(const Here& here, bool negated);
  Result<Clauses> nullable(const Here& here, bool negated);
  Result<Clauses> type(const Here& here, bool negated);
  Result<Clauses> const_(const Here& here, bool negated);
  Result<Clauses> enum_(const Here& here, bool negated);
  Result<Clauses> limit(const Here& here, bool negated);
  Result<Clauses> multiple_of(const Here& here, bool negated);
  Result<Clauses> size(const Here& here, bool negated);
  Result<Clauses> pattern(const Here& here, bool negated);
  Result<Clauses> format(const Here& here, bool negated);
  Result<Clauses> items(const Here& here, bool negated);
  Result<Clauses> contains(const Here& here, bool negated);
  Result<Clauses> unique(const Here& here, bool negated);
  Result<Clauses> members(const Here& here, bool negated);
  Result<Clauses> required(const Here& here, bool negated);
  Result<Clauses> property_names(const Here& here, bool negated);
  Result<Clauses> dependent(const Here& here, bool negated);
  Result<Clauses> ref(const Here& here, bool negated);
  Result<Clauses> all_of(const Here& here, bool negated);
  Result<Clauses> any_of(const Here& here, bool negated);
  Result<Clauses> one_of(const Here& here, bool negated);
  Result<Clauses> not_(const Here& here, bool negated);
  Result<Clauses> if_(const Here& here, bool negated);

  // json_schema_combine.cpp
  Result<std::vector<Index>> options(const Here& here);
  Result<Clauses> all_of_these(const std::vector<Site>& sites, const Here& here);
  Result<Clauses> any_of_these(const std::vector<Site>& sites, const Here& here);
  Result<Clauses> one_of_these(const std::vector<Index>& schemas, const Here& here);
  Result<bool> are_disjoint(Index a, Index b, const Here& here);
  Result<Clauses> dependent_on(const std::string& name, const Value& needs, const Here& here, bool negated);

  // json_schema_values.cpp
  Result<Clauses> value_clauses(std::span<const Value> values, const Here& here, bool negated);
  Clause array_value(Index schema, const Value::Array& items);
  Clause object_value(Index schema, const Value::Object& members);

  Site site(Index parent, const Value& value, std::string_view keys, bool negated = false) {
    return {document_.part(parent, value, keys), negated};
  }
  Site never(Index parent) { return {document_.never(parent), false}; }
  bool counts_evaluated() const { return document_.says("unevaluatedProperties") || document_.says("unevaluatedItems"); }
  Clause lacks(Index parent, const std::string& name);
  std::unexpected<Error> wrong(const Here& here, std::string_view wanted) const;
  std::unexpected<Error> cannot(const Here& here, std::string_view why, std::string_view hint = "") const;
  Result<std::uint64_t> count(const Here& here) const;
  Result<Decimal> number(const Here& here) const;
  Result<std::vector<std::string>> strings(const Here& here) const;

  SchemaDocument& document_;
  SchemaTexts& texts_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Clauses>> expanded_;
  std::set<Site> expanding_;
  std::unordered_map<std::string, const Rule*> rules_;
  std::size_t n_clauses_ = 0;
};

}  // namespace puna::text::grammar
