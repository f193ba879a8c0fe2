// The schemas inside of a schema document: where each lies, what it is called, and what a reference means there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/value.h"

namespace puna::text::grammar {

// What is done with the value of a keyword.
enum class Holds : std::uint8_t { nothing, schema, schemas, named_schemas, items };
struct Keyword {
  std::string_view name;
  Holds holds = Holds::nothing;
};
// The keywords that hold schemas.
const Keyword* schema_keyword(std::string_view name);

class SchemaDocument {
 public:
  using Index = std::uint32_t;
  static constexpr std::size_t kMaxSchemas = 200'000;
  static constexpr int kMaxDepth = 256;

  // `root` must outlive the document.
  static Result<SchemaDocument> read(const Value& root);

  Index root() const { return 0; }
  const Value& value(Index schema) const { return *sites_[schema].value; }
  // Where it lies, as a JSON pointer with '#' before it: "#/properties/a".
  const std::string& path(Index schema) const { return sites_[schema].path; }

  // The schema `value`, which is a part of `parent` by way of `keys` ("/properties/a").
  Index part(Index parent, const Value& value, std::string_view keys);
  // The schema {"const": value} that an enum or const in `parent` implies for a part of its value.
  Index constant(Index parent, const Value& value);
  bool is_constant(Index schema) const { return sites_[schema].is_constant; }
  Index never(Index parent);  // the schema false
  // What "$ref": `reference` means inside of `from`.
  Result<Index> resolve(Index from, std::string_view reference);

  bool says(std::string_view keyword) const { return keywords_.contains(keyword); }

 private:
  struct Site {
    const Value* value = nullptr;
    std::string path;
    std::string base;  // the URI that references inside are relative to
    bool is_constant = false;
  };
  struct Waiting {
    const Value* value;
    std::string path, base;
    int depth;
  };

  Result<void> add_all(const Value& root);
  Result<void> add_parts(const Waiting& schema, std::vector<Waiting>& waiting);
  Index add(const Value& value, std::string path, std::string base);
  Result<Index> at_pointer(Index from, Index resource, std::string_view pointer);

  std::vector<Site> sites_;
  std::unordered_map<const Value*, Index> by_value_, constants_;
  std::map<std::string, Index> resources_;  // by absolute URI without fragment
  std::map<std::string, Index> anchors_;    // by URI and '#' and name
  std::map<std::string, bool, std::less<>> keywords_;
};

// `reference` relative to `base` (RFC 3986, section 5.2), without its fragment.
std::string resolve_uri(std::string_view base, std::string_view reference);
// A key as a part of a JSON pointer (RFC 6901).
std::string pointer_part(std::string_view key);

}  // namespace puna::text::grammar
