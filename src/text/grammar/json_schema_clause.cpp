#include "text/grammar/json_schema_clause.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

namespace puna::text::grammar {
namespace {

template <class T>
void append_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

// Of names there may be many.
void append_names(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.reserve(all.size() + more.size());  // what `seen` looks at stays where it is
  std::unordered_set<std::string_view> seen(all.begin(), all.end());
  for (const auto& name : more) {
    if (seen.contains(name)) continue;
    all.push_back(name);
    seen.insert(all.back());
  }
}

void narrow(ArrayRules& a, const ArrayRules& b) {
  const std::size_t n = std::max(a.prefix.size(), b.prefix.size());
  const auto at = [](const ArrayRules& rules, std::size_t i) -> const Conjunction& {
    return i < rules.prefix.size() ? rules.prefix[i] : rules.rest;
  };
  std::vector<Conjunction> prefix;
  for (std::size_t i = 0; i < n; ++i) prefix.push_back(both(at(a, i), at(b, i)));
  a.prefix = std::move(prefix);
  a.rest = both(a.rest, b.rest);
  a.length.narrow(b.length);
  a.contains.insert(a.contains.end(), b.contains.begin(), b.contains.end());
  if (!a.unique) a.unique = b.unique;
  a.evaluated = std::max(a.evaluated, b.evaluated);
  a.evaluated_all = a.evaluated_all || b.evaluated_all;
}

}  // namespace

Conjunction both(const Conjunction& a, const Conjunction& b) {
  Conjunction result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void Span64::narrow(const Span64& other) {
  min = std::max(min, other.min);
  if (other.max && (!max || *other.max < *max)) max = other.max;
}

std::optional<Clause> both(const Clause& a, const Clause& b) {
  const Kinds kinds = a.kinds & b.kinds;
  if (kinds == 0) return std::nullopt;
  Clause result;
  result.kinds = kinds;
  if (kinds & kNumber) {
    result.number = a.number;
    append_new(result.number.forms, b.number.forms);
  }
  if (kinds & kString) {
    result.string = a.string;
    result.string.length.narrow(b.string.length);
    append_new(result.string.forms, b.string.forms);
  }
  if (kinds & kArray) {
    result.array = a.array;
    narrow(result.array, b.array);
  }
  if (kinds & kObject) {
    result.object = a.object;
    append_new(result.object.parts, b.object.parts);
    append_names(result.object.required, b.object.required);
    result.object.count.narrow(b.object.count);
    result.object.names = both(result.object.names, b.object.names);
  }
  return result;
}

void forget_evaluated(Clauses& clauses) {
  for (auto& clause : clauses) {
    clause.array.evaluated = 0;
    clause.array.evaluated_all = false;
    for (auto& part : clause.object.parts) {
      if (!part->evaluates) continue;
      auto copy = std::make_shared<ObjectPart>(*part);
      copy->evaluates = false;
      part = std::move(copy);
    }
  }
}

}  // namespace puna::text::grammar
