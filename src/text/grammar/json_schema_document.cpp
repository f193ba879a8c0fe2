#include "text/grammar/json_schema_document.h"

#include <algorithm>
#include <charconv>

namespace puna::text::grammar {
namespace {

constexpr Keyword kKeywords[] = {
    {"$defs", Holds::named_schemas},
    {"definitions", Holds::named_schemas},
    {"properties", Holds::named_schemas},
    {"patternProperties", Holds::named_schemas},
    {"dependentSchemas", Holds::named_schemas},
    {"dependencies", Holds::named_schemas},
    {"allOf", Holds::schemas},
    {"anyOf", Holds::schemas},
    {"oneOf", Holds::schemas},
    {"prefixItems", Holds::schemas},
    {"items", Holds::items},
    {"additionalItems", Holds::schema},
    {"additionalProperties", Holds::schema},
    {"propertyNames", Holds::schema},
    {"contains", Holds::schema},
    {"not", Holds::schema},
    {"if", Holds::schema},
    {"then", Holds::schema},
    {"else", Holds::schema},
    {"unevaluatedItems", Holds::schema},
    {"unevaluatedProperties", Holds::schema},
    {"contentSchema", Holds::schema},
};

// "%2F" is "/". What is no escape stays.
std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(&text[i + 1], &text[i + 3], byte, 16).ptr == &text[i] + 3) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string pointer_key(std::string_view part) {
  std::string key;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    key += escape ? (part[++i] == '0' ? '~' : '/') : part[i];
  }
  return key;
}

const std::string* text_of(const Value& schema, std::string_view key) {
  const Value* value = schema.find(key);
  return value ? value->if_string() : nullptr;
}

}  // namespace

const Keyword* schema_keyword(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKeywords), std::end(kKeywords), [&](const auto& one) { return one.name == name; });
  return found == std::end(kKeywords) ? nullptr : found;
}

Result<SchemaDocument> SchemaDocument::read(const Value& root) {
  SchemaDocument document;
  PUNA_TRY(document.add_all(root));
  return document;
}

Result<void> SchemaDocument::add_all(const Value& root) {
  resources_[""] = 0;
  std::vector<Waiting> waiting{{&root, "#", "", 0}};
  while (!waiting.empty()) {
    const Waiting schema = std::move(waiting.back());
    waiting.pop_back();
    if (sites_.size() >= kMaxSchemas)
      return fail(ErrorKind::unsupported, "the JSON schema holds more than {} schemas", kMaxSchemas);
    if (schema.depth > kMaxDepth)
      return fail(ErrorKind::unsupported, "{}: schemas nested more than {} deep", schema.path, kMaxDepth);
    PUNA_TRY(add_parts(schema, waiting));
  }
  return {};
}

Result<void> SchemaDocument::add_parts(const Waiting& schema, std::vector<Waiting>& waiting) {
  const auto* members = schema.value->if_object();
  std::string base = schema.base;
  const auto* id = members ? text_of(*schema.value, "$id") : nullptr;
  if (id) base = resolve_uri(base, *id);
  const Index index = add(*schema.value, schema.path, base);
  if (!members) return {};
  if (id) resources_.emplace(base, index);
  for (const char* key : {"$anchor", "$dynamicAnchor"}) {
    if (const auto* anchor = text_of(*schema.value, key)) anchors_.emplace(base + "#" + *anchor, index);
  }
  // Backwards, since the last that waits is the first to be read.
  for (auto member = members->rbegin(); member != members->rend(); ++member) {
    const auto& [key, value] = *member;
    keywords_[key] = true;
    const auto* keyword = schema_keyword(key);
    const Holds holds = keyword ? keyword->holds : Holds::nothing;
    const std::string path = schema.path + "/" + pointer_part(key);
    const auto* items = value.if_array();
    const auto* named = value.if_object();
    if (holds == Holds::schema || (holds == Holds::items && !items)) waiting.push_back({&value, path, base, schema.depth + 1});
    if ((holds == Holds::schemas || holds == Holds::items) && items) {
      for (std::size_t i = items->size(); i-- > 0;)
        waiting.push_back({&(*items)[i], fmt::format("{}/{}", path, i), base, schema.depth + 1});
    }
    if (holds == Holds::named_schemas && named) {
      for (auto one = named->rbegin(); one != named->rend(); ++one) {
        if (key == "dependencies" && one->second.if_array()) continue;  // names, not a schema
        waiting.push_back({&one->second, path + "/" + pointer_part(one->first), base, schema.depth + 1});
      }
    }
  }
  return {};
}

SchemaDocument::Index SchemaDocument::add(const Value& value, std::string path, std::string base) {
  const auto [place, fresh] = by_value_.try_emplace(&value, static_cast<Index>(sites_.size()));
  if (fresh) sites_.push_back({&value, std::move(path), std::move(base), false});
  return place->second;
}

SchemaDocument::Index SchemaDocument::part(Index parent, const Value& value, std::string_view keys) {
  const auto found = by_value_.find(&value);
  if (found != by_value_.end()) return found->second;
  return add(value, sites_[parent].path + std::string(keys), sites_[parent].base);
}

SchemaDocument::Index SchemaDocument::constant(Index parent, const Value& value) {
  const auto [place, fresh] = constants_.try_emplace(&value, static_cast<Index>(sites_.size()));
  if (fresh) sites_.push_back({&value, sites_[parent].path, sites_[parent].base, true});
  return place->second;
}

SchemaDocument::Index SchemaDocument::never(Index parent) {
  static const Value nothing(false);
  return add(nothing, sites_[parent].path, sites_[parent].base);
}

Result<SchemaDocument::Index> SchemaDocument::resolve(Index from, std::string_view reference) {
  const auto hash = reference.find('#');
  const std::string& base = sites_[from].base;
  const std::string uri = hash == 0 ? base : resolve_uri(base, reference);
  const auto resource = resources_.find(uri);
  if (resource == resources_.end()) {
    return std::unexpected(error(ErrorKind::unsupported, "{}: $ref \"{}\" leads out of the document", path(from), reference)
                               .with_hint("Put the schema that it means under $defs and refer to it as \"#/$defs/NAME\"."));
  }
  const std::string fragment = percent_decoded(hash == reference.npos ? "" : reference.substr(hash + 1));
  if (fragment.empty()) return resource->second;
  if (fragment[0] == '/') return at_pointer(from, resource->second, fragment);
  const auto anchor = anchors_.find(uri + "#" + fragment);
  if (anchor == anchors_.end())
    return fail(ErrorKind::not_found, "{}: $ref \"{}\": no $anchor has that name", path(from), reference);
  return anchor->second;
}

Result<SchemaDocument::Index> SchemaDocument::at_pointer(Index from, Index resource, std::string_view pointer) {
  const Value* value = sites_[resource].value;
  std::string path = sites_[resource].path, base = sites_[resource].base;
  for (std::size_t at = 0; at < pointer.size();) {
    const auto end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string key = pointer_key(pointer.substr(at + 1, end - at - 1));
    at = end;
    const Value* next = value->find(key);
    if (const auto* items = value->if_array()) {
      std::size_t i = 0;
      const auto parsed = std::from_chars(key.data(), key.data() + key.size(), i);
      if (!key.empty() && parsed.ptr == key.data() + key.size() && i < items->size()) next = &(*items)[i];
    }
    if (!next) return fail(ErrorKind::not_found, "{}: $ref \"#{}\": nothing is there", sites_[from].path, pointer);
    value = next;
    path += fmt::format("/{}", pointer_part(key));
    if (const auto known = by_value_.find(value); known != by_value_.end()) base = sites_[known->second].base;
  }
  return add(*value, std::move(path), std::move(base));
}

}  // namespace puna::text::grammar
