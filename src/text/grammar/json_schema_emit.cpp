#include "text/grammar/json_schema_emit.h"

#include <algorithm>

#include "text/grammar/json_schema_string.h"

namespace puna::text::grammar {

Result<Grammar> SchemaEmitter::run(SchemaDocument::Index root) {
  grammar_.root = PUNA_TRY(rule({Site{root}}));
  // A list of what is left to do, not a recursion: schemas may hang on each other in long chains.
  while (!waiting_.empty()) {
    const Conjunction& schemas = *waiting_.back();
    waiting_.pop_back();
    const NodeId body = PUNA_TRY(this->body(schemas));
    grammar_.rules[rules_.at(schemas)].body = body;
    if (grammar_.nodes.size() > kMaxNodes)
      return fail(ErrorKind::unsupported, "the grammar of the JSON schema has more than {} nodes", kMaxNodes);
  }
  return std::move(grammar_);
}

RuleId SchemaEmitter::reserve(std::string name) {
  grammar_.rules.push_back({std::move(name), 0});
  return static_cast<RuleId>(grammar_.rules.size() - 1);
}

Result<RuleId> SchemaEmitter::rule(const Conjunction& schemas) {
  const auto direct = PUNA_TRY(expander_.direct(schemas));
  const auto [place, fresh] = rules_.try_emplace(direct, 0);
  if (fresh) {
    PUNA_TRY(expander_.texts().budget().spend(200, "the schema"));
    place->second = reserve(direct.empty() ? "any value" : expander_.document().path(direct[0].schema));
    waiting_.push_back(&place->first);
  }
  return place->second;
}

Result<NodeId> SchemaEmitter::value(const Conjunction& schemas) {
  return grammar_.add(Call { PUNA_TRY(rule(schemas)) });
}

Result<NodeId> SchemaEmitter::body(const Conjunction& schemas) {
  const std::string where = schemas.empty() ? "#" : expander_.document().path(schemas[0].schema);
  std::vector<NodeId> options;
  for (const Clause& clause : PUNA_TRY(expander_.expand(schemas))) {
    PUNA_TRY(add_scalars(clause, options));
    if (clause.kinds & kArray) {
      if (const auto node = PUNA_TRY(array(clause, where))) options.push_back(*node);
    }
    if (clause.kinds & kObject) {
      if (const auto node = PUNA_TRY(object(clause, where))) options.push_back(*node);
    }
  }
  return choice(std::move(options));
}

Result<void> SchemaEmitter::add_scalars(const Clause& clause, std::vector<NodeId>& options) {
  if (clause.kinds & kNull) options.push_back(literal("null"));
  if (clause.kinds & kTrue) options.push_back(literal("true"));
  if (clause.kinds & kFalse) options.push_back(literal("false"));
  if (clause.kinds & kNumber) {
    const auto numbers = PUNA_TRY(expander_.texts().numbers(clause.kinds, clause.number));
    if (!numbers->empty()) options.push_back(grammar_.add(Regular{numbers}));
  }
  if (clause.kinds & kString && !clause.string.length.impossible()) options.push_back(PUNA_TRY(string(clause.string)));
  return {};
}

Result<NodeId> SchemaEmitter::string(const StringRules& rules) {
  NodeId inside = 0;
  if (rules.forms.empty() && rules.length != Span64{}) {
    // A counter, however long: an automaton would have a state for every length.
    const NodeId character = grammar_.add(Regular { PUNA_TRY(expander_.texts().character()) });
    inside = repeat(character, rules.length.min, rules.length.max);
  } else {
    inside = grammar_.add(Regular { PUNA_TRY(expander_.texts().strings(rules)) });
  }
  const NodeId open = literal("\""), close = literal("\"");
  return sequence({open, inside, close});
}

NodeId SchemaEmitter::repeat(NodeId body, std::uint64_t min, std::optional<std::uint64_t> max) {
  constexpr std::uint64_t kMost = UINT32_MAX;  // no text has more
  Repeat repeat{body, static_cast<std::uint32_t>(std::min(min, kMost)), {}};
  if (max) repeat.max = static_cast<std::uint32_t>(std::min(*max, kMost));
  return grammar_.add(repeat);
}

std::unexpected<Error> SchemaEmitter::cannot(const std::string& where, std::string_view why, std::string_view hint) const {
  return std::unexpected(error(ErrorKind::unsupported, "{}: {}", where, why).with_hint(std::string(hint)));
}

}  // namespace puna::text::grammar
