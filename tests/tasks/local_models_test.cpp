#include "tasks/local_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ModelList : public testing::Test {
 protected:
  void write(const std::string& name, std::size_t size) const {
    fs::create_directories((root.path() / name).parent_path());
    std::ofstream(root.path() / name, std::ios::binary) << std::string(size, 'x');
  }
  void write_text(const std::string& name, const std::string& text) const {
    fs::create_directories((root.path() / name).parent_path());
    std::ofstream(root.path() / name, std::ios::binary) << text;
  }
  ModelPlaces places() const {
    return {.puna = root.path() / "puna",
            .hugging_face = root.path() / "hub",
            .llama_cpp = root.path() / "llama.cpp",
            .ollama = {root.path() / "ollama"}};
  }
  // "source|name|size" and " (n missing)" of each.
  std::vector<std::string> listed() const {
    std::vector<std::string> lines;
    for (const LocalModel& model : list_models(places())) {
      lines.push_back(fmt::format("{}|{}|{}", model.source, model.name, model.size));
      if (model.missing_shards) lines.back() += fmt::format(" ({} missing)", model.missing_shards);
      EXPECT_TRUE(fs::exists(model.path)) << model.path;
    }
    return lines;
  }
  TemporaryFolder root;
};

TEST_F(ModelList, IsEmptyWhereNothingIs) { EXPECT_TRUE(listed().empty()); }

TEST_F(ModelList, NamesWhatPullBroughtAsPullIsAskedForIt) {
  write("puna/models/tiny/Tiny-Q8.gguf", 10);
  write("puna/hf/org/repo/Q8_0/m.gguf", 20);
  write("puna/web/0123/page.gguf", 30);
  write("puna/models/tiny/Tiny-Q8.gguf.checked", 1);
  write("puna/models/half/half.gguf.part", 1);
  EXPECT_THAT(listed(), ElementsAre("puna|hf:org/repo:Q8_0/m.gguf|20", "puna|page|30", "puna|tiny|10"));
}

TEST_F(ModelList, CountsTheShardsOfASplitModelAsOne) {
  for (const int i : {1, 2, 3}) write(fmt::format("llama.cpp/whole-0000{}-of-00003.gguf", i), 100);
  for (const int i : {2, 3}) write(fmt::format("llama.cpp/gap-0000{}-of-00003.gguf", i), 100);
  EXPECT_THAT(listed(), ElementsAre("llama.cpp|gap-00002-of-00003|200 (1 missing)", "llama.cpp|whole-00001-of-00003|300"));
}

TEST_F(ModelList, FollowsTheLinksOfAHubCacheAndListsARevisionsFileOnce) {
  write("hub/models--org--repo--x/blobs/aa", 50);
  for (const char* revision : {"one", "two"}) {
    fs::create_directories(root.path() / "hub/models--org--repo--x/snapshots" / revision);
    fs::create_symlink("../../blobs/aa", root.path() / "hub/models--org--repo--x/snapshots" / revision / "m.gguf");
  }
  write("hub/datasets--org--data/snapshots/one/d.gguf", 5);
  fs::create_directories(root.path() / "hub/models--org--broken/snapshots/one");
  fs::create_symlink("../../blobs/gone", root.path() / "hub/models--org--broken/snapshots/one/m.gguf");
  EXPECT_THAT(listed(), ElementsAre("Hugging Face|hf:org/repo--x:m.gguf|50"));
}

TEST_F(ModelList, ReadsOllamasManifests) {
  const std::string digest(64, 'a');
  write("ollama/blobs/sha256-" + digest, 70);
  write_text("ollama/manifests/registry.ollama.ai/library/small/1b",
             R"({"layers":[{"mediaType":"application/vnd.ollama.image.license","digest":"sha256:00"},
                {"mediaType":"application/vnd.ollama.image.model","digest":"sha256:)" +
                 digest + R"(","size":70}]})");
  write_text("ollama/manifests/registry.ollama.ai/library/broken/1b", "{");
  EXPECT_THAT(listed(), ElementsAre("Ollama|small:1b|70"));
}

TEST_F(ModelList, IgnoresAManifestWhoseDigestWouldLeaveTheFolder) {
  write("ollama/secret", 9);
  fs::create_directories(root.path() / "ollama/blobs/sha256-");
  write_text("ollama/manifests/registry.ollama.ai/library/evil/1b",
             R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:/../../secret"}]})");
  EXPECT_TRUE(listed().empty());
}

TEST_F(ModelList, IsOrderedBySourceThenByName) {
  write("llama.cpp/a.gguf", 1);
  write("puna/web/0/z.gguf", 2);
  write("puna/web/0/b.gguf", 3);
  EXPECT_THAT(listed(), ElementsAre("puna|b|3", "puna|z|2", "llama.cpp|a|1"));
}

TEST_F(ModelList, FindsAModelByItsName) {
  write("llama.cpp/one.gguf", 1);
  write("llama.cpp/sub/one.gguf", 2);
  write("puna/web/0/two.gguf", 3);
  EXPECT_EQ(find_listed("one", places())->path, root.path() / "llama.cpp/one.gguf");
  EXPECT_EQ(find_listed("two", places())->size, 3u);
  EXPECT_FALSE(find_listed("three", places()));
  EXPECT_FALSE(find_listed("", places()));
}

TEST(UsualPlaces, FollowTheEnvironment) {
  std::map<std::string, std::string> set;
  const Environment environment = [&](std::string_view name) { return set[std::string(name)]; };
  ModelPlaces places = usual_places(environment, "/u", "/u/p");
  EXPECT_EQ(places.puna, "/u/p");
  EXPECT_EQ(places.hugging_face, "/u/.cache/huggingface/hub");
  EXPECT_EQ(places.llama_cpp, "/u/.cache/llama.cpp");
  EXPECT_EQ(places.ollama.front(), "/u/.ollama/models");
  set = {{"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "/h"}, {"LLAMA_CACHE", "/l"}, {"OLLAMA_MODELS", "/o"}};
  places = usual_places(environment, "/u", "/u/p");
  EXPECT_EQ(places.hugging_face, "/h/hub");
  EXPECT_EQ(places.llama_cpp, "/l");
  EXPECT_EQ(places.ollama.front(), "/o");
  set["HF_HUB_CACHE"] = "/c";
  EXPECT_EQ(usual_places(environment, "/u", "/u/p").hugging_face, "/c");
}

TEST(PullOptionsOf, TheEnvironmentHoldTheHubAndItsToken) {
  std::map<std::string, std::string> set;
  const Environment environment = [&](std::string_view name) { return set[std::string(name)]; };
  EXPECT_EQ(pull_options(environment, "/u", "/p").hf_endpoint, kHubEndpoint);
  set = {{"HF_ENDPOINT", "https://mirror"}, {"HF_TOKEN", "t"}};
  EXPECT_EQ(pull_options(environment, "/u", "/p").hf_endpoint, "https://mirror");
  EXPECT_EQ(pull_options(environment, "/u", "/p").hf_token, "t");
}

}  // namespace
}  // namespace puna::tasks
