// Arrays: "[a, b, c]", with items that must be counted or must differ.
#include <algorithm>
#include <bit>
#include <map>

#include "text/grammar/json_schema_emit.h"

namespace puna::text::grammar {
namespace {

const Conjunction& item_schemas(const ArrayRules& rules, std::uint64_t i) {
  return i < rules.prefix.size() ? rules.prefix[i] : rules.rest;
}

}  // namespace

// The most items that an array can have: those before the first that no value can be.
Result<std::uint64_t> SchemaEmitter::longest(const ArrayRules& rules) {
  std::uint64_t most = rules.length.max.value_or(UINT64_MAX);
  for (std::uint64_t i = 0; i <= rules.prefix.size() && i < most; ++i) {
    if (PUNA_TRY(expander_.is_empty(item_schemas(rules, i)))) return i;
  }
  return most;
}

SchemaEmitter::MaybeNode SchemaEmitter::array(const Clause& clause, const std::string& where) {
  ArrayRules rules = clause.array;
  const auto most = PUNA_TRY(longest(rules));
  if (most < rules.length.min) return std::nullopt;
  if (most != UINT64_MAX) rules.length.max = most;
  if (rules.prefix.size() > most) rules.prefix.resize(most);
  if (rules.unique && most > 1 && !PUNA_TRY(items_differ(rules)))
    return unique_array(rules, expander_.document().path(*rules.unique));
  if (!rules.contains.empty()) return counted_array(rules, where);
  return PUNA_TRY(plain_array(rules));
}

Result<NodeId> SchemaEmitter::plain_array(const ArrayRules& rules) {
  const auto [min, max] = rules.length;
  const NodeId open = literal("["), close = literal("]"), comma = literal(", ");
  if (max == 0) return sequence({open, close});
  // What follows the item i - 1; from the last prefix on all are alike.
  const std::uint64_t n = std::max<std::uint64_t>(rules.prefix.size(), 1);
  std::vector<NodeId> values;
  for (std::uint64_t i = 0; i < n; ++i) values.push_back(PUNA_TRY(value(item_schemas(rules, i))));
  NodeId after = 0;
  if (max && *max <= n)
    after = sequence({});
  else
    after = repeat(sequence({ comma, PUNA_TRY(value(rules.rest)) }), min > n ? min - n : 0,
                   max ? std::optional(*max - n) : std::nullopt);
  for (std::uint64_t i = n; i-- > 1;) {
    after = sequence({comma, values[i], after});
    if (i >= min) after = maybe(after);
  }
  NodeId inside = sequence({values[0], after});
  if (min == 0) inside = maybe(inside);
  return sequence({open, inside, close});
}

// A rule for each number of items so far and of those among them that "contains" asks for.
SchemaEmitter::MaybeNode SchemaEmitter::counted_array(const ArrayRules& rules, const std::string& where) {
  if (rules.contains.size() > 1) return cannot(where, "more than one \"contains\" (or what says as much) for the same array");
  const Contains& wanted = rules.contains[0];
  const Site other{wanted.what.schema, !wanted.what.negated};
  const auto [min, max] = rules.length;
  if (wanted.count.impossible()) return std::nullopt;
  // Numbers from these on are the same.
  const std::uint64_t items_enough = max ? *max : std::max<std::uint64_t>({rules.prefix.size(), min, 1});
  const std::uint64_t found_enough =
      wanted.count.max ? std::min(*wanted.count.max, items_enough + (max ? 0 : *wanted.count.max)) : wanted.count.min;
  if (items_enough > kMaxCountingRules || found_enough > kMaxCountingRules ||
      (items_enough + 1) * (found_enough + 1) > kMaxCountingRules) {
    return cannot(where, "the items of \"contains\" are too many to count");
  }
  const auto number = [&](std::uint64_t items, std::uint64_t found) { return items * (found_enough + 1) + found; };
  std::vector<RuleId> ids;
  for (std::uint64_t i = 0; i <= items_enough; ++i) {
    for (std::uint64_t c = 0; c <= found_enough; ++c) ids.push_back(reserve(fmt::format("{} items, {} found", i, c)));
  }
  const NodeId open = literal("["), close = literal("]"), comma = literal(", "), nothing = sequence({});
  for (std::uint64_t i = 0; i <= items_enough; ++i) {
    const Conjunction& schemas = item_schemas(rules, i);
    const bool more = !max || i < *max;
    // Where no more than enough is counted, what is not looked for may be what is.
    const NodeId found = more ? PUNA_TRY(value(both(schemas, {wanted.what}))) : nothing;
    const NodeId rest = more  ? PUNA_TRY(value(wanted.count.max ? both(schemas, {other}) : schemas)) : nothing;
    for (std::uint64_t c = 0; c <= found_enough; ++c) {
      std::vector<NodeId> options;
      if (i >= min && c >= wanted.count.min) options.push_back(nothing);
      const auto then = [&](NodeId item, std::uint64_t next_found) {
        const NodeId next = grammar_.add(Call{ids[number(std::min(i + 1, items_enough), next_found)]});
        options.push_back(i > 0 ? sequence({comma, item, next}) : sequence({item, next}));
      };
      if (more && c < found_enough) then(found, c + 1);
      if (more) then(rest, c);
      grammar_.rules[ids[number(i, c)]].body = choice(std::move(options));
    }
  }
  return sequence({open, grammar_.add(Call{ids[0]}), close});
}

// Whether no two items can be the same, whatever they are.
Result<bool> SchemaEmitter::items_differ(const ArrayRules& rules) {
  constexpr std::size_t kMost = 32;
  const std::size_t n = rules.prefix.size();
  if (!rules.length.max || *rules.length.max > n || n > kMost) return false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!PUNA_TRY(expander_.is_empty(both(rules.prefix[i], rules.prefix[j])))) return false;
    }
  }
  return true;
}

// The texts of all values of the schemas, where these are few and no arrays or objects.
Result<std::optional<std::vector<std::string>>> SchemaEmitter::finite_values(const Conjunction& schemas) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  };
  for (const Clause& clause : PUNA_TRY(expander_.expand(schemas))) {
    if (clause.kinds & (kArray | kObject)) return std::nullopt;
    if (clause.kinds & kNull) add("null");
    if (clause.kinds & kTrue) add("true");
    if (clause.kinds & kFalse) add("false");
    if (clause.kinds & kNumber) {
      const auto words = PUNA_TRY(expander_.texts().numbers(clause.kinds, clause.number))
      ->words(kMost);
      if (!words) return std::nullopt;
      for (const auto& word : *words) add(word);
    }
    if (clause.kinds & kString) {
      if (clause.string.forms.empty()) return std::nullopt;
      const auto words = PUNA_TRY(expander_.texts().strings(clause.string))
      ->words(kMost);
      if (!words) return std::nullopt;
      for (const auto& word : *words) add(fmt::format("\"{}\"", word));
    }
  }
  return all;
}

// A rule for each set of values that were used.
SchemaEmitter::MaybeNode SchemaEmitter::unique_array(const ArrayRules& rules, const std::string& where) {
  const std::string place = where + "/uniqueItems";
  constexpr std::string_view kHint =
      "It can be where the items are one of at most about ten values, as by enum; or leave uniqueItems out.";
  const auto values = rules.prefix.empty() && rules.contains.empty() ? PUNA_TRY(finite_values(rules.rest)) : std::nullopt;
  if (!values || values->size() > 32) return cannot(place, "that all items differ cannot be said by a grammar here", kHint);
  const std::uint64_t max = std::min<std::uint64_t>(rules.length.max.value_or(UINT64_MAX), values->size());
  if (rules.length.min > max) return std::nullopt;
  std::map<std::uint32_t, RuleId> ids;
  std::vector<std::uint32_t> waiting;
  const auto id_of = [&](std::uint32_t used) {
    const auto [one, fresh] = ids.try_emplace(used, 0);
    if (fresh) one->second = reserve(fmt::format("items beside {:x}", used)), waiting.push_back(used);
    return one->second;
  };
  const NodeId open = literal("["), close = literal("]"), comma = literal(", "), nothing = sequence({});
  std::vector<NodeId> texts;
  for (const auto& text : *values) texts.push_back(literal(text));
  const RuleId root = id_of(0);
  while (!waiting.empty()) {
    const auto used = waiting.back();
    waiting.pop_back();
    const auto count = static_cast<std::uint64_t>(std::popcount(used));
    std::vector<NodeId> options;
    if (count >= rules.length.min) options.push_back(nothing);
    for (std::size_t v = 0; v < texts.size() && count < max; ++v) {
      if (used >> v & 1) continue;
      const NodeId next = grammar_.add(Call{id_of(used | 1u << v)});
      options.push_back(count > 0 ? sequence({comma, texts[v], next}) : sequence({texts[v], next}));
    }
    grammar_.rules[ids.at(used)].body = choice(std::move(options));
    if (ids.size() > kMaxCountingRules / 8) return cannot(place, "too many different items to keep apart", kHint);
  }
  return sequence({open, grammar_.add(Call{root}), close});
}

}  // namespace puna::text::grammar
