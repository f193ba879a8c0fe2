// Clauses to rules of a grammar, one rule for each set of schemas that a value must keep.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/grammar/grammar.h"
#include "text/grammar/json_schema_expand.h"

namespace puna::text::grammar {

class SchemaEmitter {
 public:
  static constexpr std::size_t kMaxNodes = 1'000'000;
  static constexpr std::size_t kMaxCountingRules = 20'000;  // of one array or object whose parts must be counted

  explicit SchemaEmitter(SchemaExpander& expander) : expander_(expander) {}

  // The grammar of the schema `root`; it may still have rules without a word (prune.h).
  Result<Grammar> run(SchemaDocument::Index root);

 private:
  struct Member {
    std::string name;
    Conjunction schemas;
    bool required = false;
  };
  // The properties of an object in the order of the normal form, and what stands for one of the others.
  struct Members {
    std::vector<Member> declared;
    std::optional<NodeId> other;
    Span64 count;
  };
  // A set of names, as JSON escapes them, and the patterns that all of them match.
  struct Names {
    SharedDfa dfa;
    std::vector<const Dfa*> matched;
  };
  using MaybeNode = Result<std::optional<NodeId>>;  // none: no value

  Result<RuleId> rule(const Conjunction& schemas);
  Result<NodeId> value(const Conjunction& schemas);  // a call of its rule
  Result<NodeId> body(const Conjunction& schemas);
  Result<void> add_scalars(const Clause& clause, std::vector<NodeId>& options);
  Result<NodeId> string(const StringRules& rules);

  MaybeNode object(const Clause& clause, const std::string& where);
  Result<bool> declare(const ObjectRules& rules, Members& members, const SharedDfa& names);
  Result<void> add_others(const ObjectRules& rules, const SharedDfa& names, Members& members, const std::string& where);
  Result<std::vector<Names>> split_names(const ObjectRules& rules, const SharedDfa& names, const std::string& where);
  Conjunction schemas_of(const Names& names, const ObjectRules& rules) const;
  Result<NodeId> member(const Member& member);
  Result<NodeId> plain_object(const Members& members);
  MaybeNode counted_object(const Members& members, const std::string& where);

  MaybeNode array(const Clause& clause, const std::string& where);
  Result<NodeId> plain_array(const ArrayRules& rules);
  MaybeNode counted_array(const ArrayRules& rules, const std::string& where);
  MaybeNode unique_array(const ArrayRules& rules, const std::string& where);
  Result<std::optional<std::vector<std::string>>> finite_values(const Conjunction& schemas);
  Result<bool> items_differ(const ArrayRules& rules);
  Result<std::uint64_t> longest(const ArrayRules& rules);

  NodeId literal(std::string_view text) { return grammar_.add(Literal{std::string(text)}); }
  NodeId sequence(std::vector<NodeId> parts) { return parts.size() == 1 ? parts[0] : grammar_.add(Sequence{std::move(parts)}); }
  NodeId choice(std::vector<NodeId> options) {
    return options.size() == 1 ? options[0] : grammar_.add(Choice{std::move(options)});
  }
  NodeId repeat(NodeId body, std::uint64_t min, std::optional<std::uint64_t> max);
  NodeId maybe(NodeId body) { return grammar_.add(Repeat{body, 0, 1}); }
  RuleId reserve(std::string name);
  std::unexpected<Error> cannot(const std::string& where, std::string_view why, std::string_view hint = "") const;

  SchemaExpander& expander_;
  Grammar grammar_;
  std::map<Conjunction, RuleId> rules_;
  std::vector<const Conjunction*> waiting_;  // keys of rules_ whose rules have no body yet
};

}  // namespace puna::text::grammar
