// The pieces that pull stands on, and MODEL as a path.
#include "tasks/pull.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tasks/pull/checked_file.h"
#include "tasks/pull/file_lock.h"
#include "tasks/pull/http.h"
#include "tasks/pull/process.h"
#include "tasks/pull/sha256.h"
#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

namespace fs = std::filesystem;

TEST(Sha256, OfKnownTextsIsKnown) {  // FIPS 180-2, appendix B
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 sum;
  const std::string text(1000, 'a');
  for (int i = 0; i < 1000; ++i) sum.add(std::as_bytes(std::span(text)));
  EXPECT_EQ(sum.finish(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sum.finish(), sha256_of("")) << "a finished sum starts anew";
}

TEST(Sha256, InTextIs64LowerCaseDigits) {
  EXPECT_TRUE(is_sha256(std::string(64, 'f')));
  EXPECT_FALSE(is_sha256(std::string(63, 'f')));
  EXPECT_FALSE(is_sha256(std::string(64, 'F')));
  EXPECT_FALSE(is_sha256(std::string(62, 'f') + "/."));
}

TEST(CheckedFile, IsHashedOnceUntilItChanges) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "f";
  std::ofstream(file) << "abc";
  int hashed = 0;
  const OnProgress count = [&](const Progress&) { ++hashed; };
  Meter meter(count, "f");
  EXPECT_EQ(file_sha256(file, meter, {}), sha256_of("abc"));
  EXPECT_EQ(file_sha256(file, meter, {}), sha256_of("abc"));
  EXPECT_EQ(hashed, 1);
  std::ofstream(file) << "abcd";
  EXPECT_EQ(file_sha256(file, meter, {}), sha256_of("abcd"));
  EXPECT_EQ(hashed, 2);
  std::ofstream(file.string() + ".checked") << "no record";
  EXPECT_EQ(file_sha256(file, meter, {}), sha256_of("abcd"));
}

TEST(FileLock, IsHeldByOneAtATimeAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "f";
  {
    const auto lock = FileLock::take(file, {}, {});
    ASSERT_TRUE(lock);
    std::stop_source source;
    bool waited = false;
    const auto second = FileLock::take(file, source.get_token(), [&] { waited = true, source.request_stop(); });
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::cancelled);
    EXPECT_TRUE(waited);
  }
  EXPECT_TRUE(FileLock::take(file, {}, {}));
  EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST(Process, GivesStatusAndOutputOfBothStreams) {
  const TemporaryFolder folder;
  const auto run_shell = [&](const std::string& script) {
    return run({.arguments = {"sh", "-c", script}, .folder = folder.path(), .environment = {"PUNA_TEST=set"}, .on_tick = {}}, {});
  };
  const auto finished = run_shell("echo out; echo err >&2; echo $PUNA_TEST; exit 3");
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->status, 3);
  EXPECT_EQ(finished->output, "out\nerr\nset\n");
  EXPECT_EQ(run_shell("kill -9 $$")->status, 137);
  EXPECT_EQ(run_shell("cat")->output, "") << "it has no input";
  EXPECT_EQ(run_shell("yes | head -c 1000000")->output.size(), 65536u);
}

TEST(Process, ThatDoesNotExistIsNotFound) {
  const auto finished = run({.arguments = {"no-such-program"}, .folder = "/", .environment = {}, .on_tick = {}}, {});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::not_found);
}

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_TRUE(same_origin("https://hub/a", "https://HUB:443/b?c"));
  EXPECT_FALSE(same_origin("https://hub/", "http://hub/"));
  EXPECT_FALSE(same_origin("https://hub/", "https://hub:8443/"));
  EXPECT_FALSE(same_origin("https://hub.evil/", "https://hub/"));
  EXPECT_FALSE(same_origin("https://hub@evil/", "https://hub/"));
  EXPECT_FALSE(same_origin("https://evil/https://hub/", "https://hub/"));
  EXPECT_FALSE(same_origin("", "https://hub/"));
}

TEST(ShownUrl, HidesPasswordsAndQueries) {
  EXPECT_EQ(shown_url("https://me:secret@hub/a?token=1#x"), "https://hub/a");
  EXPECT_EQ(shown_url("http://127.0.0.1:80/a"), "http://127.0.0.1:80/a");
}

TEST(PathAsModel, IsTakenWhereAFileIs) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "m.gguf") << "GGUF";
  const std::string path = (folder.path() / "m.gguf").string();
  for (const auto& found : {find_local(*parse_model(path, {}), {}), pull(*parse_model(path, {}), {})}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, path);
  }
}

TEST(PathAsModel, ThatDoesNotExistSaysSo) {
  const auto found = find_local(*parse_model("/no/such.gguf", {}), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::not_found);
  EXPECT_EQ(found.error().message, "/no/such.gguf: no such file");
}

TEST(PathAsModel, ThatIsADirectorySaysSoAndNamesTheModelsInIt) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "m.gguf") << "GGUF";
  const auto found = find_local(*parse_model(folder.path().string(), {}), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::invalid);
  EXPECT_EQ(found.error().message, folder.path().string() + ": is a directory, wanted a file");
  EXPECT_EQ(found.error().hint, "in it: m.gguf");
}

}  // namespace
}  // namespace puna::tasks
