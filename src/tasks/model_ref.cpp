#include "tasks/model_ref.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/os.h"
#include "tasks/pull/http.h"
#include "tasks/pull/hub.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kHubPrefix = "hf:";
constexpr std::string_view kHubHosts[] = {"huggingface.co/", "hf.co/"};
constexpr std::size_t kLongestFileName = 200;
constexpr std::size_t kMostFiles = 1000;  // of a folder, that a name is compared with

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// An owner, a repository, a quantization: a name that is harmless as a folder and in a URL.
bool is_plain_name(std::string_view text) {
  const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= 128 && is_letter_or_digit(text.front()) && std::ranges::all_of(text, allowed);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}

bool ends_in_gguf(std::string_view text) { return in_lower_case(text).ends_with(".gguf"); }

// "OWNER/REPOSITORY", also behind the hub's host name; empty for any other text.
std::string_view repository_in(std::string_view text) {
  if (const auto scheme = text.find("://"); scheme != text.npos) text.remove_prefix(scheme + 3);
  for (std::string_view host : kHubHosts)
    if (text.starts_with(host)) text.remove_prefix(host.size());
  if (text.ends_with('/')) text.remove_suffix(1);
  const auto slash = text.find('/');
  if (slash == text.npos || ends_in_gguf(text)) return {};
  return is_plain_name(text.substr(0, slash)) && is_plain_name(text.substr(slash + 1)) ? text : std::string_view{};
}

Result<HubModel> parse_hub(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(
        error(ErrorKind::invalid, "{}: {}", text, what)
            .with_hint("write hf:OWNER/REPOSITORY, hf:OWNER/REPOSITORY:Q4_K_M or hf:OWNER/REPOSITORY:FILE.gguf"));
  };
  const std::string_view rest = text.substr(kHubPrefix.size());
  const std::string_view place = rest.substr(0, rest.find(':'));
  const auto slash = place.find('/');
  if (slash == std::string_view::npos) return wrong("names no repository");
  HubModel model{.owner = std::string(place.substr(0, slash)),
                 .repository = std::string(place.substr(slash + 1)),
                 .file = {},
                 .quantization = {}};
  if (!is_plain_name(model.owner) || !is_plain_name(model.repository)) return wrong("is no name of a repository");
  if (place.size() == rest.size()) return model;
  const std::string_view selector = rest.substr(place.size() + 1);
  if (ends_in_gguf(selector)) {
    if (!is_plain_path(selector)) return wrong("is no path inside a repository");
    model.file = selector;
  } else {
    if (!is_plain_name(selector)) return wrong("names neither a .gguf file nor a quantization");
    model.quantization = selector;
  }
  return model;
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The last piece of a URL's path as a name that can do no harm in a folder.
std::string file_name_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  url.remove_prefix(url.find("://") + 3);
  const auto slash = url.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view last = url.substr(slash + 1);
  std::string name;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const bool coded = last[i] == '%' && i + 2 < last.size() && hex(last[i + 1]) >= 0 && hex(last[i + 2]) >= 0;
    const char c = coded ? static_cast<char>(hex(last[i + 1]) * 16 + hex(last[i + 2])) : last[i];
    if (coded) i += 2;
    const bool plain = is_letter_or_digit(c) || c == '-' || c == '_' || c == '+' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  if (name.size() > kLongestFileName) name.erase(0, name.size() - kLongestFileName);
  return name;
}

Result<WebModel> parse_url(std::string_view text) {
  WebModel model{.url = std::string(text), .file_name = file_name_of(text)};
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }))
    return fail("{}: a blank or control character in a URL", text);
  const std::string_view place = text.substr(text.find("://") + 3);
  const bool is_hub = std::ranges::any_of(kHubHosts, [&](std::string_view host) { return place.starts_with(host); });
  if (const std::string_view repository = repository_in(text); is_hub && !repository.empty())
    return std::unexpected(error(ErrorKind::invalid, "{}: is a repository's page, wanted a file", text)
                               .with_hint(fmt::format("write hf:{}, and puna chooses a file", repository)));
  if (model.file_name.empty()) return fail("{}: names no file", text);
  return model;
}

std::string names_of(std::span<const CatalogueEntry> catalogue) {
  std::string text;
  for (const CatalogueEntry& entry : catalogue) text += (text.empty() ? "" : ", ") + entry.name;
  return text;
}

// What was meant by a name that nothing has: a file of this folder or an entry of the catalogue, mistyped or cut short.
std::string meant_by(std::string_view text, std::span<const CatalogueEntry> catalogue) {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue) names.push_back(entry.name);
  for (const fs::path& file : os::entries(".")) {
    if (names.size() >= kMostFiles) break;
    if (std::string name = file.filename().string(); ends_in_gguf(name)) names.push_back(std::move(name));
  }
  if (const std::string_view near = nearest(text, names); !near.empty()) return std::string(near);
  const std::string lower = in_lower_case(text);
  if (const std::string_view near = nearest(lower, names); !near.empty()) return std::string(near);
  const auto begun = std::ranges::find_if(names, [&](const std::string& name) { return in_lower_case(name).starts_with(lower); });
  return begun == names.end() ? "" : *begun;
}

std::unexpected<Error> unknown_name(std::string_view text, std::span<const CatalogueEntry> catalogue) {
  const std::string meant = meant_by(text, catalogue);
  return std::unexpected(
      error(ErrorKind::not_found, "{}: neither a file here nor a model of the catalogue", text)
          .with_hint(fmt::format("{}catalogue: {}; or a path, hf:OWNER/REPOSITORY, https://…",
                                 meant.empty() ? "" : fmt::format("did you mean {}? ", meant), names_of(catalogue))));
}

}  // namespace

std::string shown_name(const ModelRef& model) {
  const auto* web = std::get_if<WebModel>(&model.source);
  return web ? shown_url(web->url) : model.text;
}

Result<ModelRef> parse_model(std::string_view text, std::span<const CatalogueEntry> catalogue) {
  ModelRef model{.text = std::string(text), .source = PathModel{std::string(text)}};
  if (text.empty())
    return std::unexpected(error(ErrorKind::invalid, "no model named").with_hint("catalogue: " + names_of(catalogue)));
  if (text.starts_with(kHubPrefix)) {
    model.source = PUNA_TRY(parse_hub(text));
    return model;
  }
  if (text.starts_with("https://") || text.starts_with("http://")) {
    model.source = PUNA_TRY(parse_url(text));
    return model;
  }
  if (const auto entry = std::ranges::find(catalogue, text, &CatalogueEntry::name); entry != catalogue.end()) {
    model.source = *entry;
    return model;
  }
  std::error_code ignored;
  if (fs::exists(fs::path(text), ignored)) return model;
  if (text.find('/') == std::string_view::npos && !ends_in_gguf(text)) return unknown_name(text, catalogue);
  const std::string_view repository = repository_in(text);
  if (!repository.empty() && !fs::exists(fs::path(text).parent_path(), ignored))
    return std::unexpected(
        error(ErrorKind::not_found, "{}: no such file", text).with_hint(fmt::format("on Hugging Face? write hf:{}", repository)));
  return model;
}

}  // namespace puna::tasks
