#include "tasks/pull/zip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace puna::tasks {
namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::uint32_t checksum(const std::string& text) {
  return static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

// One member as it will stand in the archive: right by default, each field may be made wrong.
struct Member {
  std::string name, text;
  int method = 8;
  int flags = 0;
  bool wide = false;  // sizes in the ZIP64 extra field
  std::string packed = method == 8 ? deflated(text) : text;
  std::uint64_t size = text.size();
  std::uint64_t packed_size = packed.size();
  std::uint32_t crc = checksum(text);
};

struct Archive {
  std::string bytes;
  std::string directory;
  int members = 0;

  void add(const Member& member) {
    const std::uint64_t at = bytes.size();
    put(bytes, 0x04034b50, 4), put(bytes, 20, 2), put(bytes, static_cast<unsigned>(member.flags), 2),
        put(bytes, static_cast<unsigned>(member.method), 2);
    put(bytes, 0, 4), put(bytes, member.crc, 4), put(bytes, member.packed_size, 4), put(bytes, member.size, 4);
    put(bytes, member.name.size(), 2), put(bytes, 3, 2);
    bytes += member.name + "abc" + member.packed;  // its own extra field may differ from the directory's
    std::string extra;
    if (member.wide)
      put(extra, 1, 2), put(extra, 24, 2), put(extra, member.size, 8), put(extra, member.packed_size, 8), put(extra, at, 8);
    const auto narrow = [&](std::uint64_t value) { return member.wide ? 0xffffffff : value; };
    put(directory, 0x02014b50, 4), put(directory, 20, 2), put(directory, 20, 2),
        put(directory, static_cast<unsigned>(member.flags), 2);
    put(directory, static_cast<unsigned>(member.method), 2), put(directory, 0, 4), put(directory, member.crc, 4);
    put(directory, narrow(member.packed_size), 4), put(directory, narrow(member.size), 4), put(directory, member.name.size(), 2);
    put(directory, extra.size(), 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4);
    put(directory, narrow(at), 4);
    directory += member.name + extra;
    ++members;
  }
  std::string close(const std::string& comment = "") const {
    std::string all = bytes + directory;
    put(all, 0x06054b50, 4), put(all, 0, 4), put(all, static_cast<unsigned>(members), 2),
        put(all, static_cast<unsigned>(members), 2);
    put(all, directory.size(), 4), put(all, bytes.size(), 4), put(all, comment.size(), 2);
    return all + comment;
  }
  // With the end record of ZIP64 and its locator.
  std::string close_wide() const {
    std::string all = bytes + directory;
    const std::uint64_t record = all.size();
    put(all, 0x06064b50, 4), put(all, 44, 8), put(all, 45, 2), put(all, 45, 2), put(all, 0, 8);
    put(all, static_cast<unsigned>(members), 8), put(all, static_cast<unsigned>(members), 8), put(all, directory.size(), 8),
        put(all, bytes.size(), 8);
    put(all, 0x07064b50, 4), put(all, 0, 4), put(all, record, 8), put(all, 1, 4);
    put(all, 0x06054b50, 4), put(all, 0, 4), put(all, 0xffff, 2), put(all, 0xffff, 2), put(all, 0xffffffff, 4),
        put(all, 0xffffffff, 4), put(all, 0, 2);
    return all;
  }
};

// The member's text, or "error: …".
std::string taken(const std::string& archive, const std::string& name, std::uint64_t most = 1 << 20) {
  std::string out;
  const auto result = unzip(std::as_bytes(std::span(archive)), name, most, [&](std::span<const std::byte> bytes) -> Result<void> {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  });
  return result ? out : "error: " + result.error().message;
}

std::string one(const Member& member) {
  Archive archive;
  archive.add(member);
  return archive.close();
}

const std::string kText = std::string(3000, 'a') + "some text" + std::string(3000, 'b');

TEST(Zip, TakesStoredAndDeflatedMembers) {
  Archive archive;
  archive.add({.name = "a", .text = "stored", .method = 0});
  archive.add({.name = "dir/b", .text = kText});
  archive.add({.name = "empty", .text = ""});
  const std::string bytes = archive.close();
  EXPECT_EQ(taken(bytes, "a"), "stored");
  EXPECT_EQ(taken(bytes, "dir/b"), kText);
  EXPECT_EQ(taken(bytes, "empty"), "");
  EXPECT_EQ(zip_members(std::as_bytes(std::span(bytes)))->size(), 3u);
}

TEST(Zip, ReadsSizesOf64Bits) {
  Archive archive;
  archive.add({.name = "first", .text = "x"});
  archive.add({.name = "wide", .text = kText, .wide = true});
  EXPECT_EQ(taken(archive.close(), "wide"), kText);
  EXPECT_EQ(taken(archive.close_wide(), "wide"), kText);
}

TEST(Zip, MayEndInAComment) {
  Archive archive;
  archive.add({.name = "a", .text = kText});
  EXPECT_EQ(taken(archive.close("a comment"), "a"), kText);
  EXPECT_EQ(taken(archive.close(std::string("PK\5\6") + std::string(30, 'x')), "a"), kText)
      << "a comment that looks like an end record";
}

TEST(Zip, WithoutTheMemberOrWithTwoOfThemSaysSo) {
  Archive archive;
  archive.add({.name = "a", .text = "1"});
  archive.add({.name = "a", .text = "2"});
  EXPECT_EQ(taken(archive.close(), "b"), "error: has no member b");
  EXPECT_EQ(taken(archive.close(), "a"), "error: has 2 members of the name a");
}

TEST(Zip, ThatUnpacksToMoreThanIsWantedIsRefused) {
  EXPECT_EQ(taken(one({.name = "a", .text = kText}), "a", 100), "error: member a: 6009 bytes, at most 100 are wanted");
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .size = 50}), "a", 100),
            "error: member a: unpacks to more than the 50 bytes it declares");
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .method = 0, .size = 50}), "a", 100),
            "error: member a: unpacks to more than the 50 bytes it declares");
}

TEST(Zip, WithWrongSizesOrChecksumIsRefused) {
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .size = 7000}), "a"), "error: member a: wanted 7000 bytes, 6009 came");
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .crc = 1}), "a"), "error: member a: wrong checksum");
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .packed_size = 10}), "a"),
            "error: member a: its deflated bytes end too early");
  EXPECT_TRUE(
      taken(one({.name = "a", .text = kText, .packed_size = 1 << 20}), "a").starts_with("error: member a: 1048576 bytes at"))
      << "past the end";
  EXPECT_EQ(taken(one({.name = "a", .text = kText, .packed = "\xff\xff\xff\xff"}), "a"),
            "error: member a: damaged deflated bytes");
}

TEST(Zip, OfKindsThatAWheelNeverIsIsRefused) {
  EXPECT_EQ(taken(one({.name = "a", .text = "x", .flags = 1}), "a"), "error: member a: encrypted");
  EXPECT_EQ(taken(one({.name = "a", .text = "x", .method = 12}), "a"),
            "error: member a: compression method 12, wanted stored (0) or deflated (8)");
}

TEST(Zip, CutAnywhereIsAnError) {
  const std::string whole = one({.name = "a", .text = kText});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(taken(whole.substr(0, size), "a").starts_with("error: ")) << size;
}

TEST(Zip, WithAnyByteChangedNeitherCrashesNorGivesOtherBytes) {
  const std::string whole = one({.name = "a", .text = kText});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const std::string text = taken(changed, "a");
      EXPECT_TRUE(text == kText || text.starts_with("error: ")) << "byte " << at;
    }
  }
}

TEST(Zip, PassesOnWhatTheSinkRefuses) {
  const std::string archive = one({.name = "a", .text = kText});
  const auto result = unzip(std::as_bytes(std::span(archive)), "a", 1 << 20,
                            [](std::span<const std::byte>) -> Result<void> { return fail("full"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "full");
}

}  // namespace
}  // namespace puna::tasks
