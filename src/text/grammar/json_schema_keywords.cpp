// The keywords, and who has the say about each.
#include <algorithm>

#include "base/nearest.h"
#include "text/grammar/json_schema_expand.h"

namespace puna::text::grammar {

enum Group { kAlone, kItems, kContains, kMembers, kIf };

const SchemaExpander::Rule SchemaExpander::kRules[] = {
    {"type", &SchemaExpander::type},
    {"nullable", &SchemaExpander::nullable},
    {"enum", &SchemaExpander::enum_},
    {"const", &SchemaExpander::const_},
    {"minimum", &SchemaExpander::limit},
    {"maximum", &SchemaExpander::limit},
    {"exclusiveMinimum", &SchemaExpander::limit},
    {"exclusiveMaximum", &SchemaExpander::limit},
    {"multipleOf", &SchemaExpander::multiple_of},
    {"minLength", &SchemaExpander::size},
    {"maxLength", &SchemaExpander::size},
    {"pattern", &SchemaExpander::pattern},
    {"format", &SchemaExpander::format},
    {"prefixItems", &SchemaExpander::items, kItems},
    {"items", &SchemaExpander::items, kItems},
    {"additionalItems", &SchemaExpander::items, kItems},
    {"contains", &SchemaExpander::contains, kContains},
    {"minContains", &SchemaExpander::contains, kContains},
    {"maxContains", &SchemaExpander::contains, kContains},
    {"minItems", &SchemaExpander::size},
    {"maxItems", &SchemaExpander::size},
    {"uniqueItems", &SchemaExpander::unique},
    {"properties", &SchemaExpander::members, kMembers},
    {"patternProperties", &SchemaExpander::members, kMembers},
    {"additionalProperties", &SchemaExpander::members, kMembers},
    {"required", &SchemaExpander::required},
    {"minProperties", &SchemaExpander::size},
    {"maxProperties", &SchemaExpander::size},
    {"propertyNames", &SchemaExpander::property_names},
    {"dependentRequired", &SchemaExpander::dependent},
    {"dependentSchemas", &SchemaExpander::dependent},
    {"dependencies", &SchemaExpander::dependent},
    {"$ref", &SchemaExpander::ref},
    {"allOf", &SchemaExpander::all_of},
    {"anyOf", &SchemaExpander::any_of},
    {"oneOf", &SchemaExpander::one_of},
    {"not", &SchemaExpander::not_},
    {"if", &SchemaExpander::if_, kIf},
    {"then", &SchemaExpander::if_, kIf},
    {"else", &SchemaExpander::if_, kIf},
    // add_unevaluated() has them, after all others.
    {"unevaluatedProperties", &SchemaExpander::annotation},
    {"unevaluatedItems", &SchemaExpander::annotation},
    {"title", &SchemaExpander::annotation},
    {"description", &SchemaExpander::annotation},
    {"default", &SchemaExpander::annotation},
    {"examples", &SchemaExpander::annotation},
    {"example", &SchemaExpander::annotation},
    {"deprecated", &SchemaExpander::annotation},
    {"readOnly", &SchemaExpander::annotation},
    {"writeOnly", &SchemaExpander::annotation},
    {"contentEncoding", &SchemaExpander::annotation},
    {"contentMediaType", &SchemaExpander::annotation},
    {"contentSchema", &SchemaExpander::annotation},
    {"$schema", &SchemaExpander::annotation},
    {"$id", &SchemaExpander::annotation},
    {"id", &SchemaExpander::annotation},
    {"$anchor", &SchemaExpander::annotation},
    {"$dynamicAnchor", &SchemaExpander::annotation},
    {"$comment", &SchemaExpander::annotation},
    {"$defs", &SchemaExpander::annotation},
    {"definitions", &SchemaExpander::annotation},
    {"$vocabulary", &SchemaExpander::annotation},
    {"discriminator", &SchemaExpander::annotation},
    {"xml", &SchemaExpander::annotation},
    {"externalDocs", &SchemaExpander::annotation},
    // Assertions of the specification, or of its older drafts, that are not kept here.
    {"$dynamicRef", &SchemaExpander::refused},
    {"$recursiveRef", &SchemaExpander::refused},
    {"$recursiveAnchor", &SchemaExpander::refused},
    {"extends", &SchemaExpander::refused},
    {"disallow", &SchemaExpander::refused},
    {"divisibleBy", &SchemaExpander::refused},
    // Assertions of widespread extensions.
    {"formatMinimum", &SchemaExpander::refused},
    {"formatMaximum", &SchemaExpander::refused},
    {"formatExclusiveMinimum", &SchemaExpander::refused},
    {"formatExclusiveMaximum", &SchemaExpander::refused},
    {"patternRequired", &SchemaExpander::refused},
    {"allRequired", &SchemaExpander::refused},
    {"anyRequired", &SchemaExpander::refused},
    {"oneRequired", &SchemaExpander::refused},
    {"uniqueItemProperties", &SchemaExpander::refused},
    {"regexp", &SchemaExpander::refused},
    {"range", &SchemaExpander::refused},
    {"exclusiveRange", &SchemaExpander::refused},
};

std::string_view SchemaExpander::similar_assertion(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto& rule : kRules) {
      if (rule.handler != &SchemaExpander::annotation) all.push_back(rule.name);
    }
    return all;
  }();
  return name.size() > kLongest || name.starts_with("x-") ? std::string_view() : nearest(name, names);
}

const SchemaExpander::Rule* SchemaExpander::rule_of(const std::string& name) {
  const auto [place, fresh] = rules_.try_emplace(name, nullptr);
  if (!fresh) return place->second;
  // A keyword that no one knows is an annotation, says the specification. One that is nearly an assertion is more likely a slip.
  static constexpr Rule kUnknown{"", &SchemaExpander::annotation, kAlone}, kSlip{"", &SchemaExpander::refused, kAlone};
  const auto* known = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return rule.name == name; });
  place->second = known != std::end(kRules) ? known : similar_assertion(name).empty() ? &kUnknown : &kSlip;
  return place->second;
}

}  // namespace puna::text::grammar
