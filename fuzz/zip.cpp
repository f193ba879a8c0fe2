// Any bytes as a wheel: refused with a message, or each member comes out with the size and checksum that it declares.
#include <algorithm>
#include <cstdint>

#include "tasks/pull/zip.h"

using namespace puna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMost = 1 << 20;
  const auto archive = std::as_bytes(std::span(data, size));
  const auto members = tasks::zip_members(archive);
  if (!members) return 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(members->size(), 20); ++i) {
    const tasks::ZipMember& member = (*members)[i];
    std::uint64_t came = 0;
    const auto unpacked = tasks::unzip(archive, member.name, kMost, [&](std::span<const std::byte> bytes) -> Result<void> {
      came += bytes.size();
      return {};
    });
    if (came > kMost || (unpacked && came != member.size)) __builtin_trap();
  }
  return 0;
}
