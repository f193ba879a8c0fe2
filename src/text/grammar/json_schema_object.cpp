// Objects: the declared properties in the schema's order, then others.
#include <algorithm>
#include <map>

#include "base/check.h"
#include "text/grammar/char_set.h"
#include "text/grammar/json_schema_emit.h"

namespace puna::text::grammar {

SchemaEmitter::MaybeNode SchemaEmitter::object(const Clause& clause, const std::string& where) {
  const ObjectRules& rules = clause.object;
  if (rules.count.impossible()) return std::nullopt;
  const SharedDfa names = PUNA_TRY(expander_.names(rules));
  Members members;
  members.count = rules.count;
  if (!PUNA_TRY(declare(rules, members, names))) return std::nullopt;
  PUNA_TRY(add_others(rules, names, members, where));
  const auto n_required = static_cast<std::uint64_t>(
      std::count_if(members.declared.begin(), members.declared.end(), [](const Member& one) { return one.required; }));
  const bool max_binds = rules.count.max && (members.other || *rules.count.max < members.declared.size());
  if (rules.count.min <= n_required && !max_binds) return PUNA_TRY(plain_object(members));
  if (members.other && rules.count.min > n_required + 1) {
    return cannot(where,
                  fmt::format("minProperties {} counts on properties that are not declared, and whose names could be the same",
                              rules.count.min),
                  "Declare the properties, or list their names with propertyNames and enum.");
  }
  return counted_object(members, where);
}

// The properties that the schema names, and finite sets of names. False where a required one is impossible.
Result<bool> SchemaEmitter::declare(const ObjectRules& rules, Members& members, const SharedDfa& names) {
  std::map<std::string, bool> known;  // whether required
  std::vector<std::string> order;
  const auto add = [&](const std::string& name) {
    if (known.try_emplace(name, false).second) order.push_back(name);
  };
  for (const auto& part : rules.parts) {
    for (const auto& [name, _] : part->properties) add(name);
  }
  for (const auto& name : rules.required) add(name), known[name] = true;
  for (const auto& name : order) {
    Member member {
      name, PUNA_TRY(expander_.property(rules, name))
      , known[name]
    };
    if (names->matches(json_escaped(name)) && !PUNA_TRY(expander_.is_empty(member.schemas)))
      members.declared.push_back(std::move(member));
    else if (member.required)
      return false;
  }
  return true;
}

Result<NodeId> SchemaEmitter::member(const Member& member) {
  const NodeId name = literal(fmt::format("\"{}\": ", json_escaped(member.name)));
  const NodeId value = PUNA_TRY(this->value(member.schemas));
  return sequence({name, value});
}

Conjunction SchemaEmitter::schemas_of(const Names& names, const ObjectRules& rules) const {
  Conjunction all;
  for (const auto& part : rules.parts) {
    bool known = false;
    for (const auto& [pattern, schemas] : part->patterns) {
      if (std::find(names.matched.begin(), names.matched.end(), pattern.get()) == names.matched.end()) continue;
      all = both(all, schemas);
      known = true;
    }
    if (!known && part->others) all = both(all, *part->others);
  }
  return all;
}

// The names by the patterns that they match: every set of patterns is another set of schemas.
Result<std::vector<SchemaEmitter::Names>> SchemaEmitter::split_names(const ObjectRules& rules, const SharedDfa& names,
                                                                     const std::string& where) {
  constexpr std::size_t kMostSets = 64;
  std::vector<SharedDfa> patterns;
  for (const auto& part : rules.parts) {
    for (const auto& [pattern, _] : part->patterns) {
      if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) patterns.push_back(pattern);
    }
  }
  std::vector<Names> all{{names, {}}};
  for (const auto& pattern : patterns) {
    std::vector<Names> next;
    for (auto& one : all) {
      Names with {
        PUNA_TRY(expander_.texts().common(one.dfa, pattern))
        , one.matched
      }
      , without {
        PUNA_TRY(expander_.texts().all_but(one.dfa, pattern))
        , one.matched
      };
      with.matched.push_back(pattern.get());
      for (auto* part : {&with, &without}) {
        if (!part->dfa->empty()) next.push_back(std::move(*part));
      }
    }
    if (next.size() > kMostSets)
      return cannot(where, fmt::format("the patterns of patternProperties overlap in more than {} ways", kMostSets));
    all = std::move(next);
  }
  return all;
}

Result<void> SchemaEmitter::add_others(const ObjectRules& rules, const SharedDfa& names, Members& members,
                                       const std::string& where) {
  constexpr std::size_t kFewNames = 64;
  std::vector<std::string> declared;
  for (const auto& part : rules.parts) {
    for (const auto& [name, _] : part->properties) declared.push_back(json_escaped(name));
  }
  for (const auto& name : rules.required) declared.push_back(json_escaped(name));
  SharedDfa taken;
  std::vector<NodeId> options;
  for (Names& one : PUNA_TRY(split_names(rules, names, where))) {
    const auto schemas = schemas_of(one, rules);
    if (PUNA_TRY(expander_.is_empty(schemas))) continue;
    if (!declared.empty()) {
      if (!taken) taken = PUNA_TRY(expander_.texts().words(declared));
      one.dfa = PUNA_TRY(expander_.texts().all_but(one.dfa, taken));
    }
    if (one.dfa->empty()) continue;
    const NodeId value = PUNA_TRY(this->value(schemas));
    const NodeId open = literal("\""), name = grammar_.add(Regular{one.dfa}), close = literal("\": ");
    options.push_back(sequence({open, name, close, value}));
  }
  // Few names are as good as declared, and so none comes twice.
  if (const auto few = options.empty() ? std::nullopt : names->words(kFewNames)) {
    for (const auto& escaped : *few) {
      if (std::find(declared.begin(), declared.end(), escaped) != declared.end()) continue;
      const auto read = json::parse(fmt::format("\"{}\"", escaped));
      PUNA_CHECK(read && read->if_string(), "a name that is no JSON");
      Member member {
        *read->if_string(), PUNA_TRY(expander_.property(rules, *read->if_string()))
        , false
      };
      if (!PUNA_TRY(expander_.is_empty(member.schemas))) members.declared.push_back(std::move(member));
    }
    return {};
  }
  if (!options.empty()) members.other = choice(std::move(options));
  return {};
}

// The first property that is there has no comma before it: one option for each that may be the first. What may follow each
// is a rule, since several options share it.
Result<NodeId> SchemaEmitter::plain_object(const Members& members) {
  const std::size_t n = members.declared.size();
  std::size_t n_first = 0;  // those that may be the first
  while (n_first < n && !members.declared[n_first].required) ++n_first;
  const bool all_optional = n_first == n;
  if (!all_optional) ++n_first;
  std::vector<NodeId> nodes;
  for (const auto& one : members.declared) nodes.push_back(PUNA_TRY(member(one)));
  const NodeId comma = literal(", ");
  std::optional<NodeId> others;
  if (members.other) others = repeat(sequence({comma, *members.other}), 0, std::nullopt);
  const auto later = [&](std::size_t i) {
    const NodeId one = sequence({comma, nodes[i]});
    return members.declared[i].required ? one : maybe(one);
  };

  std::vector<NodeId> tail;  // after the last that may be the first
  for (std::size_t i = n_first; i < n; ++i) tail.push_back(later(i));
  if (others) tail.push_back(*others);
  NodeId after = sequence(std::move(tail));
  std::vector<NodeId> options;
  for (std::size_t i = n_first; i-- > 0;) {
    if (n_first > 1) {
      const RuleId rule = reserve(fmt::format("after \"{}\"", members.declared[i].name));
      grammar_.rules[rule].body = after;
      after = grammar_.add(Call{rule});
    }
    options.push_back(sequence({nodes[i], after}));
    if (i > 0) after = sequence({later(i), after});
  }
  std::reverse(options.begin(), options.end());
  if (all_optional) {
    if (others) options.push_back(sequence({*members.other, *others}));
    options.push_back(sequence({}));
  }
  const NodeId open = literal("{"), inside = choice(std::move(options)), close = literal("}");
  return sequence({open, inside, close});
}

// A rule for each number of properties looked at and of those that are there.
SchemaEmitter::MaybeNode SchemaEmitter::counted_object(const Members& members, const std::string& where) {
  const std::size_t n = members.declared.size();
  const std::uint64_t min = members.count.min;
  const auto max = members.count.max;
  // Counts from this on are the same.
  const std::uint64_t enough = std::min<std::uint64_t>(max ? *max : min, max && members.other ? UINT32_MAX : n + 1);
  if ((n + 1) * (enough + 1) > kMaxCountingRules)
    return cannot(where, "minProperties or maxProperties are too large to count", "Leave them out where they do not bind.");
  std::vector<NodeId> nodes;
  for (const auto& one : members.declared) nodes.push_back(PUNA_TRY(member(one)));
  const NodeId comma = literal(", "), nothing = sequence({});
  const auto with_comma = [&](std::uint64_t count, NodeId node) { return count > 0 ? sequence({comma, node}) : node; };
  // rest[c]: what may follow the properties looked at so far when c are there; none: nothing can.
  std::vector<std::optional<NodeId>> rest(enough + 1);
  for (std::uint64_t c = enough + 1; c-- > 0;) {
    std::vector<NodeId> options;
    if (c >= min) options.push_back(nothing);
    if (members.other && (!max || c < *max)) {
      const auto next = std::min(c + 1, enough);
      if (next == c) {
        options = {repeat(with_comma(1, *members.other), 0, std::nullopt)};
      } else if (rest[next]) {
        options.push_back(sequence({with_comma(c, *members.other), *rest[next]}));
      }
    }
    if (options.empty()) continue;
    const RuleId rule = reserve(fmt::format("after {} properties", c));
    grammar_.rules[rule].body = choice(std::move(options));
    rest[c] = grammar_.add(Call{rule});
  }
  for (std::size_t i = n; i-- > 0;) {
    std::vector<std::optional<NodeId>> before(enough + 1);
    for (std::uint64_t c = 0; c <= enough; ++c) {
      std::vector<NodeId> options;
      const auto next = std::min(c + 1, enough);
      if ((!max || c < *max) && rest[next]) options.push_back(sequence({with_comma(c, nodes[i]), *rest[next]}));
      if (!members.declared[i].required && rest[c]) options.push_back(*rest[c]);
      if (options.empty()) continue;
      const RuleId rule = reserve(fmt::format("\"{}\" after {} properties", members.declared[i].name, c));
      grammar_.rules[rule].body = choice(std::move(options));
      before[c] = grammar_.add(Call{rule});
    }
    rest = std::move(before);
  }
  if (!rest[0]) return std::nullopt;
  const NodeId open = literal("{"), close = literal("}");
  return sequence({open, *rest[0], close});
}

}  // namespace puna::text::grammar
