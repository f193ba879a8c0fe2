// Layout: PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 to 4.3.16 (its end), 4.5.3
// (ZIP64 sizes). All numbers are little-endian.
#include "tasks/pull/zip.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/checked.h"

namespace puna::tasks {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kDirectoryEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kLocalHeaderSize = 30;
constexpr std::size_t kDirectoryEntrySize = 46;
constexpr std::size_t kDirectoryEndSize = 22;
constexpr std::size_t kLocator64Size = 20;
constexpr std::size_t kDirectoryEnd64Size = 56;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kMostMembers = 100'000;
constexpr std::uint16_t kSizes64 = 0x0001;  // the extra field that holds what 32 bits cannot
constexpr std::uint16_t kEncrypted = 1;

// `count` bytes from `at`, or empty where the archive ends before.
std::optional<Bytes> slice(Bytes bytes, std::uint64_t at, std::uint64_t count) {
  const auto end = checked_add(at, count);
  if (!end || *end > bytes.size()) return std::nullopt;
  return bytes.subspan(at, count);
}

template <std::integral T>
T read(Bytes bytes, std::size_t at) {  // the caller has checked that they are there
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i)));
  return value;
}

struct Directory {
  std::uint64_t members = 0, size = 0, at = 0;
};

// The end record stands last, behind it only a comment of at most 65,535 bytes.
std::optional<std::size_t> find_end(Bytes archive) {
  if (archive.size() < kDirectoryEndSize) return std::nullopt;
  const std::size_t last = archive.size() - kDirectoryEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::size_t at = last + 1; at-- > first;)
    if (read<std::uint32_t>(archive, at) == kDirectoryEnd &&
        at + kDirectoryEndSize + read<std::uint16_t>(archive, at + 20) == archive.size())
      return at;
  return std::nullopt;
}

Result<Directory> find_directory(Bytes archive) {
  const auto end = find_end(archive);
  if (!end) return fail("no ZIP archive: it has no end record");
  Directory directory{.members = read<std::uint16_t>(archive, *end + 10),
                      .size = read<std::uint32_t>(archive, *end + 12),
                      .at = read<std::uint32_t>(archive, *end + 16)};
  const bool wide = directory.members == 0xffff || directory.size == 0xffffffff || directory.at == 0xffffffff;
  if (wide && *end >= kLocator64Size && read<std::uint32_t>(archive, *end - kLocator64Size) == kLocator64) {
    const auto record = slice(archive, read<std::uint64_t>(archive, *end - kLocator64Size + 8), kDirectoryEnd64Size);
    if (!record || read<std::uint32_t>(*record, 0) != kDirectoryEnd64)
      return fail("the ZIP64 end record is not where it should be");
    directory = {.members = read<std::uint64_t>(*record, 32),
                 .size = read<std::uint64_t>(*record, 40),
                 .at = read<std::uint64_t>(*record, 48)};
  }
  if (directory.members > kMostMembers) return fail("{} members, at most {} are read", directory.members, kMostMembers);
  if (!slice(archive, directory.at, directory.size))
    return fail("the directory ({} bytes at {}) leaves the archive of {} bytes", directory.size, directory.at, archive.size());
  return directory;
}

// Replaces the numbers that say "too large for 32 bits" by those of the extra field.
Result<void> widen(ZipMember& member, Bytes extra) {
  std::uint64_t* const fields[] = {&member.size, &member.packed, &member.header_at};
  while (extra.size() >= 4) {
    const auto id = read<std::uint16_t>(extra, 0);
    const auto field = slice(extra, 4, read<std::uint16_t>(extra, 2));
    if (!field) break;
    std::size_t at = 0;
    for (std::uint64_t* value : fields) {
      if (id != kSizes64 || *value != 0xffffffff) continue;
      if (at + 8 > field->size()) return fail("member {}: its ZIP64 sizes are cut short", member.name);
      *value = read<std::uint64_t>(*field, at);
      at += 8;
    }
    if (id == kSizes64) return {};
    extra = extra.subspan(4 + field->size());
  }
  return {};
}

// The member's packed bytes.
Result<Bytes> packed_bytes(Bytes archive, const ZipMember& member) {
  const auto header = slice(archive, member.header_at, kLocalHeaderSize);
  if (!header || read<std::uint32_t>(*header, 0) != kLocalHeader)
    return fail("member {}: no local header at {}", member.name, member.header_at);
  const std::uint64_t start =
      member.header_at + kLocalHeaderSize + read<std::uint16_t>(*header, 26) + read<std::uint16_t>(*header, 28);
  const auto bytes = slice(archive, start, member.packed);
  if (!bytes) return fail("member {}: {} bytes at {} leave the archive of {}", member.name, member.packed, start, archive.size());
  return *bytes;
}

// Checks what passes on its way to the sink.
struct Gate {
  const ZipMember& member;
  const Sink& sink;
  std::uint64_t passed = 0;
  uLong crc = ::crc32(0, nullptr, 0);

  Result<void> pass(Bytes bytes) {
    passed += bytes.size();
    if (passed > member.size) return fail("member {}: unpacks to more than the {} bytes it declares", member.name, member.size);
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    return sink(bytes);
  }
  Result<void> close() const {
    if (passed != member.size) return fail("member {}: wanted {} bytes, {} came", member.name, member.size, passed);
    if (crc != member.crc) return fail("member {}: wrong checksum", member.name);
    return {};
  }
};

Result<void> inflate_into(Bytes packed, Gate& gate) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return fail(ErrorKind::out_of_memory, "no memory to unpack");
  const struct End {
    z_stream& stream;
    ~End() { ::inflateEnd(&stream); }
  } end{stream};
  std::vector<std::byte> out(256 << 10);
  constexpr std::size_t kStep = 1 << 20;  // zlib counts its input in 32 bits
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      if (packed.empty()) return fail("member {}: its deflated bytes end too early", gate.member.name);
      const Bytes step = packed.first(std::min(kStep, packed.size()));
      packed = packed.subspan(step.size());
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(step.data()));
      stream.avail_in = static_cast<uInt>(step.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    code = ::inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return fail("member {}: damaged deflated bytes", gate.member.name);
    PUNA_TRY(gate.pass(Bytes(out).first(out.size() - stream.avail_out)));
  }
  return {};
}

Result<ZipMember> find_member(Bytes archive, std::string_view name) {
  const std::vector<ZipMember> members = PUNA_TRY(zip_members(archive));
  const auto is_it = [&](const ZipMember& member) { return member.name == name; };
  const auto count = std::ranges::count_if(members, is_it);
  if (count == 0) return fail(ErrorKind::not_found, "has no member {}", name);
  if (count > 1) return fail("has {} members of the name {}", count, name);
  return *std::ranges::find_if(members, is_it);
}

}  // namespace

Result<std::vector<ZipMember>> zip_members(Bytes archive) {
  const Directory directory = PUNA_TRY(find_directory(archive));
  Bytes rest = *slice(archive, directory.at, directory.size);
  std::vector<ZipMember> members;
  while (members.size() < directory.members) {
    if (rest.size() < kDirectoryEntrySize || read<std::uint32_t>(rest, 0) != kDirectoryEntry)
      return fail("the directory ends after {} of {} members", members.size(), directory.members);
    const std::size_t name_size = read<std::uint16_t>(rest, 28), extra_size = read<std::uint16_t>(rest, 30);
    const std::size_t whole = kDirectoryEntrySize + name_size + extra_size + read<std::uint16_t>(rest, 32);
    if (rest.size() < whole) return fail("the directory ends inside member {}", members.size() + 1);
    ZipMember member{.name = {reinterpret_cast<const char*>(rest.data()) + kDirectoryEntrySize, name_size},
                     .method = read<std::uint16_t>(rest, 10),
                     .flags = read<std::uint16_t>(rest, 8),
                     .crc = read<std::uint32_t>(rest, 16),
                     .packed = read<std::uint32_t>(rest, 20),
                     .size = read<std::uint32_t>(rest, 24),
                     .header_at = read<std::uint32_t>(rest, 42)};
    PUNA_TRY(widen(member, rest.subspan(kDirectoryEntrySize + name_size, extra_size)));
    members.push_back(std::move(member));
    rest = rest.subspan(whole);
  }
  return members;
}

Result<void> unzip(Bytes archive, std::string_view name, std::uint64_t most, const Sink& sink) {
  const ZipMember member = PUNA_TRY(find_member(archive, name));
  if (member.flags & kEncrypted) return fail(ErrorKind::unsupported, "member {}: encrypted", name);
  if (member.size > most) return fail("member {}: {} bytes, at most {} are wanted", name, member.size, most);
  const Bytes packed = PUNA_TRY(packed_bytes(archive, member));
  Gate gate{.member = member, .sink = sink};
  if (member.method == 8) {
    PUNA_TRY(inflate_into(packed, gate));
  } else if (member.method == 0) {
    constexpr std::size_t kStep = 1 << 20;
    for (std::size_t at = 0; at < packed.size(); at += kStep)
      PUNA_TRY(gate.pass(packed.subspan(at, std::min(kStep, packed.size() - at))));
  } else {
    return fail(ErrorKind::unsupported, "member {}: compression method {}, wanted stored (0) or deflated (8)", name,
                member.method);
  }
  return gate.close();
}

}  // namespace puna::tasks
