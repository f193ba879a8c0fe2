#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/mapped_file.h"
#include "base/os.h"
#include "base/temporary_folder.h"

namespace puna {
namespace {

namespace fs = std::filesystem;

std::string text_of(const MappedFile& file) { return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}; }

class MappedFileBothWays : public testing::TestWithParam<MappedFile::How> {
 protected:
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(How, MappedFileBothWays, testing::Values(MappedFile::How::map, MappedFile::How::read),
                         [](const auto& param) { return param.param == MappedFile::How::map ? "map" : "read"; });

TEST_P(MappedFileBothWays, HoldsTheFilesBytes) {
  std::string content;
  for (int i = 0; i < 300'000; ++i) content += static_cast<char>(i * 7 + i / 256);
  const auto file = MappedFile::open(folder.file("data", content), GetParam());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(text_of(*file) == content);
  EXPECT_EQ(file->is_mapped(), GetParam() == MappedFile::How::map);
}

TEST(FilePages, ComeAndGoAndTheBytesStay) {
  const TemporaryFolder folder;
  const std::string content(300'000, 'x');
  const auto file = MappedFile::open(folder.file("data", content), MappedFile::How::map);
  ASSERT_TRUE(file);
  const auto middle = file->bytes().subspan(10'001, 200'000);  // begins and ends within pages
  for (int i = 0; i < 2; ++i) {
    os::map_file_pages(middle);  // where the system can
    EXPECT_TRUE(text_of(*file) == content);
    os::release_file_pages(middle);
    EXPECT_TRUE(text_of(*file) == content);
    os::abandon_file_pages(middle);
    EXPECT_TRUE(text_of(*file) == content);
  }
}

TEST_P(MappedFileBothWays, AnEmptyFileHasNoBytes) {
  const auto file = MappedFile::open(folder.file("empty", ""), GetParam());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->bytes().empty());
  EXPECT_TRUE(file->lock());
}

TEST_P(MappedFileBothWays, MovesItsBytes) {
  auto file = MappedFile::open(folder.file("data", "abc"), GetParam());
  ASSERT_TRUE(file);
  MappedFile other = *std::move(file);
  EXPECT_EQ(text_of(other), "abc");
  other = MappedFile();
  EXPECT_TRUE(other.bytes().empty());
}

TEST_P(MappedFileBothWays, NamesWhatItCannotOpen) {
  const fs::path missing = folder.path() / "missing.gguf";
  const auto nothing = MappedFile::open(missing, GetParam());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::not_found);
  EXPECT_NE(nothing.error().message.find(missing.string()), std::string::npos);

  const auto directory = MappedFile::open(folder.path(), GetParam());
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("directory"), std::string::npos);

  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto fifo = MappedFile::open(pipe, GetParam());  // must not wait for a writer
  ASSERT_FALSE(fifo);
  EXPECT_NE(fifo.error().message.find("no regular file"), std::string::npos);
}

TEST(Os, WritesAFileWholeOverAnOldOne) {
  TemporaryFolder folder;
  const fs::path path = folder.file("out", "old content");
  ASSERT_TRUE(os::write_file(path, std::string_view("new\0bytes", 9)));
  EXPECT_EQ(*os::read_file(path), std::string("new\0bytes", 9));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "something was left beside the file";
}

TEST(Os, ListsAFolder) {
  TemporaryFolder folder;
  EXPECT_TRUE(os::entries(folder.path()).empty());
  EXPECT_TRUE(os::entries(folder.path() / "missing").empty());
  EXPECT_TRUE(os::entries(folder.file("a", "")).empty()) << "a file is no folder";
  folder.file("sub/b", "");
  std::vector<fs::path> found = os::entries(folder.path());
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<fs::path>{folder.path() / "a", folder.path() / "sub"}));
}

TEST(Os, AFileIsNeverSeenInPart) {
  TemporaryFolder folder;
  const fs::path path = folder.file("out", std::string(50'000, 'a'));
  std::jthread writer([&](std::stop_token stop) {
    for (char c = 'a'; !stop.stop_requested(); c = c == 'z' ? 'a' : static_cast<char>(c + 1))
      EXPECT_TRUE(os::write_file(path, std::string(50'000, c)));
  });
  for (int i = 0; i < 50; ++i) {
    const auto content = os::read_file(path);
    ASSERT_TRUE(content);
    ASSERT_EQ(*content, std::string(50'000, content->front()));
  }
}

TEST(Os, AFailedWriteKeepsTheOldAndLeavesNothing) {
  TemporaryFolder folder;
  fs::create_directory(folder.path() / "taken");
  folder.file("taken/inside", "x");
  const auto result = os::write_file(folder.path() / "taken", "bytes");  // a folder can't be replaced by a file
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("taken"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_FALSE(os::write_file(folder.path() / "no such folder" / "out", "bytes"));
}

TEST(Os, ReadsFilesAndSaysWhyNot) {
  TemporaryFolder folder;
  EXPECT_EQ(*os::read_file(folder.file("empty", "")), "");
  EXPECT_EQ(*os::read_file("/proc/self/comm"), *os::read_file("/proc/self/comm"));
  EXPECT_EQ(os::read_file(folder.path() / "missing").error().kind, ErrorKind::not_found);
  EXPECT_NE(os::read_file(folder.path()).error().message.find("directory"), std::string::npos);
}

TEST(Os, ReadsAPipe) {
  TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(pipe) << "through the pipe"; });
  EXPECT_EQ(*os::read_file(pipe), "through the pipe");
}

TEST(Os, AFileThatCannotBeReadIsAnErrorAndNotEmpty) {
  const auto text = os::read_file("/proc/self/mem");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("/proc/self/mem"), std::string::npos);
}

TEST(Os, ATextWithoutEndIsRefused) {
  const auto text = os::read_file("/dev/zero");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("/dev/zero: is longer than 256 MiB"), std::string::npos) << text.error().message;
}

TEST(Os, WritesToAPipeInsteadOfReplacingIt) {
  TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  {
    std::jthread reader([&] { got = os::read_file(pipe).value_or("(nothing)"); });
    EXPECT_TRUE(os::write_file(pipe, "through the pipe"));
  }
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Os, WritesToWhatALinkNamesAndKeepsTheLink) {
  TemporaryFolder folder;
  const fs::path link = folder.path() / "link";
  fs::create_symlink(folder.file("target", "old"), link);
  ASSERT_TRUE(os::write_file(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*os::read_file(folder.path() / "target"), "new");
}

TEST(Os, SizesReadWell) {
  EXPECT_EQ(os::size_text(0), "0 B");
  EXPECT_EQ(os::size_text(1023), "1023 B");
  EXPECT_EQ(os::size_text(1024), "1.00 KiB");
  EXPECT_EQ(os::size_text(98 * 1024 * 1024 + 300 * 1024), "98.3 MiB");
  EXPECT_EQ(os::size_text(std::uint64_t{1117} * 1024 * 1024), "1.09 GiB");
  EXPECT_EQ(os::size_text(std::uint64_t{512} << 40), "512 TiB");
  EXPECT_EQ(os::size_text(UINT64_MAX), "16.0 EiB");
}

TEST(Os, MemoryNumbersAreSane) {
  EXPECT_GT(os::total_memory(), std::uint64_t{64} << 20);
  EXPECT_LE(os::available_memory(), os::total_memory());
  EXPECT_GT(os::available_memory(), 0u);
  EXPECT_GT(os::peak_resident(), std::uint64_t{1} << 20);
}

TEST(Os, AReservationCostsNothingUntilTouched) {
  auto memory = os::Reservation::make(std::size_t{64} << 30);
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 64, 0u);
  EXPECT_EQ(memory->data()[std::size_t{63} << 30], std::byte{0});
  memory->data()[12345] = std::byte{7};
  os::Reservation other = *std::move(memory);
  EXPECT_EQ(other.data()[12345], std::byte{7});
  EXPECT_EQ(other.size(), std::size_t{64} << 30);
  EXPECT_TRUE(os::Reservation::make(0));
}

TEST(Os, AReservationBeyondTheAddressSpaceIsAnErrorWithItsSize) {
  const auto memory = os::Reservation::make(std::size_t{1} << 60);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, ErrorKind::out_of_memory);
  EXPECT_NE(memory.error().message.find("1.00 EiB"), std::string::npos) << memory.error().message;
}

}  // namespace
}  // namespace puna
