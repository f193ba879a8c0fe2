// Which model, and how it is brought here where it is not.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"

namespace puna::cli {

struct ModelOptions {
  std::string model;     // as written; empty: none named
  std::string hub_repo;  // -hf
  std::string hub_file;  // -hff
  std::string hub_token;
  bool offline = false;
};

// MODEL, -m, -hf, -mu …
void add_model_options(Table& table, ModelOptions& options);

// The model's name as tasks::parse_model takes it. Errors: two different models named, a file without its repository.
Result<std::string> model_text(const ModelOptions& options);

// Whether a model may be called that, before time goes into anything else. It need not be here.
Result<void> check_model_name(const ModelOptions& options);

// The file to open: a path as it is, a name as `puna list` shows it, a known model from this machine, or, unless offline, from
// the network. Without a name the catalogue's default model.
Result<std::filesystem::path> obtain_model(Console& console, const ModelOptions& options);

}  // namespace puna::cli
