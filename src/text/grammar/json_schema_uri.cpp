// URIs and JSON pointers, as far as references inside of one document need them.
#include "text/grammar/json_schema_document.h"

namespace puna::text::grammar {
namespace {

struct Uri {
  std::string_view scheme, authority, path, query;  // with their marks: "https:", "//host", "?a=b"
};

Uri split(std::string_view text) {
  Uri uri;
  text = text.substr(0, text.find('#'));
  const auto colon = text.find(':');
  if (colon != text.npos && text.substr(0, colon).find_first_of("/?") == text.npos) {
    uri.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    uri.authority = text.substr(0, text.find_first_of("/?", 2));
    text.remove_prefix(uri.authority.size());
  }
  uri.path = text.substr(0, text.find('?'));
  uri.query = text.substr(uri.path.size());
  return uri;
}

// "a/./b/../c" is "a/c".
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  const bool absolute = path.starts_with('/');
  if (absolute) path.remove_prefix(1);
  bool is_folder = false;
  for (bool more = true; more;) {
    const auto slash = path.find('/');
    const auto part = path.substr(0, slash);
    more = slash != path.npos;
    if (more) path.remove_prefix(slash + 1);
    is_folder = part == "." || part == "..";
    if (part == ".." && !kept.empty()) kept.pop_back();
    if (!is_folder) kept.push_back(part);
  }
  std::string result = absolute ? "/" : "";
  for (std::size_t i = 0; i < kept.size(); ++i) result += fmt::format("{}{}", i ? "/" : "", kept[i]);
  if (is_folder && !result.ends_with('/')) result += '/';
  return result;
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  const Uri base = split(base_text), uri = split(reference);
  const auto join = [](std::string_view scheme, std::string_view authority, const std::string& path, std::string_view query) {
    return fmt::format("{}{}{}{}", scheme, authority, path, query);
  };
  if (!uri.scheme.empty()) {
    const bool has_hierarchy = !uri.authority.empty() || uri.path.starts_with('/');
    return join(uri.scheme, uri.authority, has_hierarchy ? without_dots(uri.path) : std::string(uri.path), uri.query);
  }
  if (!uri.authority.empty()) return join(base.scheme, uri.authority, without_dots(uri.path), uri.query);
  if (uri.path.empty()) {
    return join(base.scheme, base.authority, std::string(base.path), uri.query.empty() ? base.query : uri.query);
  }
  if (uri.path.starts_with('/')) return join(base.scheme, base.authority, without_dots(uri.path), uri.query);
  std::string path(base.path.substr(0, base.path.rfind('/') + 1));
  if (path.empty() && !base.authority.empty()) path = "/";
  return join(base.scheme, base.authority, without_dots(path + std::string(uri.path)), uri.query);
}

std::string pointer_part(std::string_view key) {
  std::string part;
  for (char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

}  // namespace puna::text::grammar
