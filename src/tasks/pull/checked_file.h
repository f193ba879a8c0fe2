// Which files have been hashed already, so that a model of a gigabyte is not hashed at every start: beside FILE lies
// FILE.checked with the hash, and with the size and time that FILE had.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "tasks/pull/meter.h"

namespace puna::tasks {

// The hash of the file if it was hashed before and has not changed since.
std::optional<std::string> remembered_sha256(const std::filesystem::path& file);

// A folder that cannot be written to only costs the hash next time.
void remember_sha256(const std::filesystem::path& file, const std::string& sha256);

// Remembered, or computed now and remembered.
Result<std::string> file_sha256(const std::filesystem::path& file, Meter& meter, const std::stop_token& stop);

}  // namespace puna::tasks
