// One file from one URL: goes on where an earlier try stopped, tries again when the connection dies, and never lets bytes
// of two versions of a file meet.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "tasks/pull.h"
#include "tasks/pull/part_file.h"

namespace puna::tasks {

struct Source {
  std::string url;
  std::string name;       // for messages and progress
  bool from_hub = false;  // hf_token may be sent with it
  Expected expected;
};

// Leaves the whole, checked file at `target`, whose folder exists and is locked by the caller.
Result<void> download(const Source& source, const std::filesystem::path& target, const PullOptions& options);

// A small document as text; more than 16 MiB are refused.
Result<std::string> fetch_text(const Source& source, const PullOptions& options);

}  // namespace puna::tasks
