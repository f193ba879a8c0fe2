// Reads one member out of a ZIP archive (a Python wheel is one). Only what a wheel needs: stored and deflated members,
// with ZIP64 sizes; no encryption, no several disks. Nothing is written by the names in the archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna::tasks {

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;     // bytes in the archive
  std::uint64_t size = 0;       // bytes unpacked
  std::uint64_t header_at = 0;  // offset of its local header
};

// The archive's central directory. The error says what is wrong with it.
Result<std::vector<ZipMember>> zip_members(std::span<const std::byte> archive);

using Sink = std::function<Result<void>(std::span<const std::byte>)>;

// Unpacks the member of that name piece by piece into `sink`. Errors: no such member or two of them, more than `most` bytes, a
// method other than stored and deflated, encryption, sizes or a checksum that do not hold.
Result<void> unzip(std::span<const std::byte> archive, std::string_view name, std::uint64_t most, const Sink& sink);

}  // namespace puna::tasks
