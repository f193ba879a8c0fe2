// Brings a model to this machine: from https, a Hugging Face hub or Python packages; resumes, checks, then renames, so
// that a model's name never holds half a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "tasks/local_models.h"
#include "tasks/model_ref.h"
#include "tasks/progress.h"

namespace puna::tasks {

inline constexpr const char* kHubEndpoint = "https://huggingface.co";

// How patient a download is.
struct Patience {
  int retries = 5;                            // in a row without a single new byte
  std::chrono::milliseconds first_wait{500};  // doubles with each of them
  std::chrono::seconds connect{20};
  std::chrono::seconds stall{30};  // without a byte
};

struct PullOptions {
  ModelPlaces places;                      // files go below places.puna; a hub cache is looked into before pulling
  std::string hf_endpoint = kHubEndpoint;  // HF_ENDPOINT
  std::string hf_token;                    // HF_TOKEN; sent to hf_endpoint's host and to no other
  std::uint64_t memory_bytes = 0;          // bounds the choice of a quantization; 0: no bound
  std::string python = "python3";          // a name on PATH or a path
  Patience patience;
  OnProgress progress;
  std::stop_token stop;
};

// Options with what the environment says (HF_ENDPOINT, HF_TOKEN and the usual places).
PullOptions pull_options(const Environment& environment, const std::filesystem::path& user_home,
                         const std::filesystem::path& puna_home);

struct Pulled {
  std::filesystem::path path;  // of a split file the first shard
  std::string note;            // what was chosen and why, for a person; may be empty
};

// The model's file on this machine, without any network. A catalogue file that is not yet known to be whole is hashed once.
// not_found: it is not here (the hint says `puna pull NAME`); invalid: a folder, or a file that is not what the catalogue says.
Result<Pulled> find_local(const ModelRef& model, const PullOptions& options);

// Brings it unless it is here. Cancelled through options.stop: the part that came is kept and the next call goes on from it.
Result<Pulled> pull(const ModelRef& model, const PullOptions& options);

}  // namespace puna::tasks
