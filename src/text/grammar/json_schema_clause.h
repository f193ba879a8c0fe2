// What a JSON Schema asks of a value, one kind of value at a time. Every schema is expanded to clauses of which a value must
// keep one; children stay references to schemas, so that recursion ends there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/grammar/dfa.h"
#include "text/grammar/json_schema_document.h"

namespace puna::text::grammar {

// A schema that must hold, or one that must not.
struct Site {
  SchemaDocument::Index schema = 0;
  bool negated = false;
  auto operator<=>(const Site&) const = default;
};
// Schemas that must hold at once: ascending, each once. None: any value.
using Conjunction = std::vector<Site>;
Conjunction both(const Conjunction& a, const Conjunction& b);

// Kinds of values, as a set of bits. An integer is no fraction here.
using Kinds = std::uint16_t;
inline constexpr Kinds kNull = 1, kFalse = 2, kTrue = 4, kInteger = 8, kFraction = 16, kString = 32, kArray = 64, kObject = 128;
inline constexpr Kinds kNumber = kInteger | kFraction, kAllKinds = 255;

// From `min` to `max`, both included.
struct Span64 {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max;
  bool impossible() const { return max && *max < min; }
  void narrow(const Span64& other);
  bool operator==(const Span64&) const = default;
};

// The text of a string or number is one of the automaton's words, or is not.
struct Form {
  std::shared_ptr<const Dfa> dfa;
  bool negated = false;
  bool listed = false;   // from enum or const: a number may have more digits than the normal form gives it
  bool partial = false;  // the automaton has only the usual texts of what was asked for
  bool operator==(const Form&) const = default;
};

struct StringRules {
  Span64 length;
  std::vector<Form> forms;
};
struct NumberRules {
  std::vector<Form> forms;
};
struct Contains {
  Site what;
  Span64 count;
};
struct ArrayRules {
  std::vector<Conjunction> prefix;
  Conjunction rest;
  Span64 length;
  std::vector<Contains> contains;
  std::optional<SchemaDocument::Index> unique;  // the schema that asks for it
  // For unevaluatedItems: so many first items were looked at, or all.
  std::size_t evaluated = 0;
  bool evaluated_all = false;
};
// properties, patternProperties and additionalProperties of one schema: the last hangs on the others.
struct ObjectPart {
  std::vector<std::pair<std::string, Conjunction>> properties;
  std::vector<std::pair<std::shared_ptr<const Dfa>, Conjunction>> patterns;  // over names as JSON escapes them
  std::optional<Conjunction> others;
  bool evaluates = true;  // for unevaluatedProperties
};
struct ObjectRules {
  std::vector<std::shared_ptr<const ObjectPart>> parts;
  std::vector<std::string> required;
  Span64 count;
  Conjunction names;
};

struct Clause {
  Kinds kinds = kAllKinds;
  NumberRules number;
  StringRules string;
  ArrayRules array;
  ObjectRules object;
};
using Clauses = std::vector<Clause>;

// None where no kind of value is left.
std::optional<Clause> both(const Clause& a, const Clause& b);
// As it is seen from outside of a "not": no item and no property was looked at.
void forget_evaluated(Clauses& clauses);

}  // namespace puna::text::grammar
