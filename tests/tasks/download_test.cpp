// Downloads over HTTP, good days and bad ones.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/os.h"
#include "tasks/pull/checked_file.h"
#include "tasks/pull/sha256.h"
#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

namespace fs = std::filesystem;
using Download = WithServer;

std::string bytes_of(const fs::path& path) { return os::read_file(path).value_or("(no file)"); }

// The file that the server offers is there, whole, and nothing else is.
void expect_whole(const Result<Pulled>& pulled, const fs::path& home, const std::string& wanted) {
  ASSERT_TRUE(pulled) << pulled.error().message << " / " << pulled.error().hint;
  EXPECT_TRUE(bytes_of(pulled->path) == wanted)
      << "other bytes, " << fs::file_size(pulled->path) << " instead of " << wanted.size();
  const std::string name = pulled->path.lexically_relative(home).generic_string();
  EXPECT_EQ(files_in(home), (std::vector<std::string>{name, name + ".checked"}));
}

// Pulls until the first progress at or after `bytes`, then stops as Ctrl-C does.
Result<Pulled> pull_and_stop(const ModelRef& model, PullOptions options, std::uint64_t bytes) {
  std::stop_source source;
  options.stop = source.get_token();
  options.progress = [&](const Progress& progress) {
    if (progress.done >= bytes) source.request_stop();
  };
  return pull(model, options);
}

TEST_F(Download, BringsAFileAndRemembersItsHash) {
  const auto pulled = pull_url("/ranges/100000/m.gguf");
  expect_whole(pulled, home.path(), content(100000));
  EXPECT_EQ(remembered_sha256(pulled->path), sha256_of(content(100000)));
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST_F(Download, OfAFileThatIsHereAsksNobody) {
  ASSERT_TRUE(pull_url("/ranges/1000/m.gguf"));
  ASSERT_TRUE(pull_url("/ranges/1000/m.gguf"));
  EXPECT_EQ(server.asked().size(), 1u);
  EXPECT_TRUE(find_local(model(server.url("/ranges/1000/m.gguf")), options));
}

TEST_F(Download, OfTwoUrlsWithOneFileNameKeepsBoth) {
  const auto one = pull_url("/ranges/1000/m.gguf"), other = pull_url("/ranges/2000/m.gguf");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(fs::file_size(one->path), 1000u);
  EXPECT_EQ(fs::file_size(other->path), 2000u);
}

TEST_F(Download, TellsProgressUpToTheEnd) {
  std::vector<Progress> seen;
  options.progress = [&](const Progress& progress) { seen.push_back(progress); };
  ASSERT_TRUE(pull_url("/ranges/300000/m.gguf"));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().what, "m.gguf");
  EXPECT_EQ(seen.back().done, 300000u);
  EXPECT_EQ(seen.back().total, 300000u);
}

TEST_F(Download, GoesOnWhereADyingConnectionStopped) {
  expect_whole(pull_url("/dies/400000/m.gguf"), home.path(), content(400000));
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0].range, "");
  EXPECT_EQ(asked[1].range, "bytes=160000-");
  EXPECT_EQ(asked[1].if_range, "\"v1\"");
  EXPECT_EQ(asked[2].range, "bytes=320000-");
}

TEST_F(Download, GoesOnByDateWhereTheServerHasNoTags) {
  expect_whole(pull_url("/dated/400000/m.gguf"), home.path(), content(400000));
  EXPECT_EQ(server.asked()[1].if_range, "Mon, 01 Jan 2024 00:00:00 GMT");
}

TEST_F(Download, StartsAgainWhereNothingProvesThatTheFileIsTheSame) {
  for (const char* mode : {"weak", "untagged"}) {
    const auto pulled = pull_url(fmt::format("/{}/400000/m.gguf", mode));
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_TRUE(bytes_of(pulled->path) == content(400000)) << mode;
  }
  for (const Asked& asked : server.asked()) EXPECT_EQ(asked.range, "") << asked.path;
}

TEST_F(Download, StartsAgainFromAServerWithoutRanges) {
  expect_whole(pull_url("/whole/400000/m.gguf"), home.path(), content(400000));
}

TEST_F(Download, OfSomethingElseThatHasNoEndStopsAtItsStart) {
  const auto pulled = pull_url("/endless/0/m.gguf");
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().message.find("no GGUF file came"), std::string::npos) << pulled.error().message;
  EXPECT_TRUE(files_in(home.path()).empty());
}

TEST_F(Download, StartsAgainWhenTheFileChanged) {
  expect_whole(pull_url("/changes/400000/m.gguf"), home.path(), content(400000, 2));
}

TEST_F(Download, StartsAgainWhenAServerThatIgnoresIfRangeSendsAnotherVersion) {
  expect_whole(pull_url("/blind/400000/m.gguf"), home.path(), content(400000, 2));
}

TEST_F(Download, StartsAgainWhenTheServerHasNoSuchRange) {
  expect_whole(pull_url("/shrinks/400000/m.gguf"), home.path(), content(400000));
}

TEST_F(Download, TriesAgainWhenTheServerIsBusy) {
  expect_whole(pull_url("/busy/1000/m.gguf"), home.path(), content(1000));
  EXPECT_EQ(server.asked().size(), 2u);
}

TEST_F(Download, GivesUpOnAServerThatIsAlwaysBusy) {
  const auto pulled = pull_url("/status/503/m.gguf");
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().message, server.url("/status/503/m.gguf") + ": the server says HTTP 503");
  EXPECT_EQ(server.asked().size(), 4u) << "one try and three more";
}

TEST_F(Download, GivesUpOnAConnectionThatAlwaysDies) {
  const auto pulled = pull_url("/always_dies/4000/m.gguf");
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::io);
  EXPECT_EQ(server.asked().size(), 4u);
}

TEST_F(Download, GoesOnAfterASilentConnection) {
  options.patience.stall = std::chrono::seconds(1);
  const auto start = std::chrono::steady_clock::now();
  expect_whole(pull_url("/stalls/40000/m.gguf"), home.path(), content(40000));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "it waited for the server to hang up";
}

TEST_F(Download, StoppedByCtrlCEndsAtOnceAndKeepsThePart) {
  const ModelRef url = model(server.url("/crawl/400000/m.gguf"));
  const auto start = std::chrono::steady_clock::now();
  const auto stopped = pull_and_stop(url, options, 1);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "the whole file takes 98 seconds";
  EXPECT_FALSE(find_local(url, options)) << "a part must not have the model's name";
  const auto files = files_in(home.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_TRUE(files[0].ends_with("/m.gguf.part")) << files[0];
  EXPECT_TRUE(files[1].ends_with("/m.gguf.part.json")) << files[1];
}

TEST_F(Download, StoppedAt40PercentGoesOnInTheNextCall) {
  const ModelRef url = model(server.url("/slow/400000/m.gguf"));
  ASSERT_FALSE(pull_and_stop(url, options, 160000));
  expect_whole(pull(url, options), home.path(), content(400000));
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 2u);
  ASSERT_TRUE(asked[1].range.starts_with("bytes=")) << asked[1].range;
  EXPECT_GE(std::stoul(asked[1].range.substr(6)), 160000u);
}

TEST_F(Download, KilledAt40PercentGoesOnInTheNextCall) {
  const ModelRef url = model(server.url("/slow/400000/m.gguf"));
  const pid_t child = ::fork();
  if (child == 0) {
    (void)pull(url, options);
    ::_exit(0);
  }
  std::uint64_t size = 0;
  for (int i = 0; i < 1000 && size < 160000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::error_code none;
    for (const auto& file : fs::recursive_directory_iterator(home.path(), none))
      if (file.path().extension() == ".part") size = file.file_size(none);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_GE(size, 160000u);
  expect_whole(pull(url, options), home.path(), content(400000));
  EXPECT_TRUE(server.asked().back().range.starts_with("bytes=")) << "it started again from nothing";
}

TEST_F(Download, KilledJustBeforeTheRenameOnlyRenames) {
  const ModelRef url = model(server.url("/slow/40000/m.gguf"));
  ASSERT_FALSE(pull_and_stop(url, options, 10000));
  const fs::path part = home.path() / files_in(home.path())[0];
  std::ofstream(part, std::ios::binary) << content(40000);
  expect_whole(pull(url, options), home.path(), content(40000));
  EXPECT_EQ(server.asked().size(), 1u) << "all bytes were here already";
}

TEST_F(Download, ThatIsAskedForTwiceAtOnceComesOnce) {
  const ModelRef url = model(server.url("/slow/200000/m.gguf"));
  Result<Pulled> first, second;
  {
    const std::jthread one([&] { first = pull(url, options); });
    const std::jthread other([&] { second = pull(url, options); });
  }
  expect_whole(first, home.path(), content(200000));
  expect_whole(second, home.path(), content(200000));
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST_F(Download, OfAWebPageIsRefused) {
  const auto pulled = pull_url("/page/1/m.gguf");
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::invalid);
  EXPECT_NE(pulled.error().message.find("<!DOCTYPE"), std::string::npos) << pulled.error().message;
  EXPECT_TRUE(files_in(home.path()).empty());
}

TEST_F(Download, OfWhatDoesNotExistSaysSoInOneLine) {
  const auto pulled = pull_url("/none/1/m.gguf?secret=1");
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::not_found);
  EXPECT_EQ(pulled.error().message, server.url("/none/1/m.gguf") + ": does not exist (HTTP 404)");
  EXPECT_FALSE(pulled.error().hint.empty());
}

TEST_F(Download, FromNobodySaysSoWithoutTryingLong) {
  const auto pulled = pull(model("http://127.0.0.1:1/m.gguf"), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::io);
  EXPECT_NE(pulled.error().message.find("127.0.0.1"), std::string::npos);
  EXPECT_FALSE(pulled.error().hint.empty());
}

TEST_F(Download, FollowsARedirect) { expect_whole(pull_url("/redirect/5000/m.gguf"), home.path(), content(5000)); }

TEST_F(Download, FollowsNoRedirectToAFileAndNoEndlessOnes) {
  const auto file = pull_url("/tofile/5000/m.gguf");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("file:///etc/passwd"), std::string::npos) << file.error().message;
  const auto loop = pull_url("/loop/5000/m.gguf");
  ASSERT_FALSE(loop);
  EXPECT_NE(loop.error().message.find("redirects"), std::string::npos) << loop.error().message;
}

TEST_F(Download, ThatDoesNotFitOnTheDiskIsRefusedBeforeItStarts) {
  const auto pulled = pull_url("/huge/9000000000000000/m.gguf");
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::io);
  EXPECT_NE(pulled.error().message.find("7.99 PiB"), std::string::npos) << pulled.error().message;
  EXPECT_NE(pulled.error().message.find("free"), std::string::npos) << pulled.error().message;
}

}  // namespace
}  // namespace puna::tasks
