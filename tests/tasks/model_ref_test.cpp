#include "tasks/model_ref.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

const std::vector<CatalogueEntry> kCatalogue = {
    {.name = "tiny", .title = "", .file_name = "tiny.gguf", .sha256 = "", .size = 1, .parts = {}, .hf_source = "", .licence = ""},
    {.name = "small",
     .title = "",
     .file_name = "small.gguf",
     .sha256 = "",
     .size = 1,
     .parts = {},
     .hf_source = "",
     .licence = ""}};

template <class T>
T parsed(const std::string& text) {
  auto model = parse_model(text, kCatalogue);
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  EXPECT_EQ(model->text, text);
  if (!std::holds_alternative<T>(model->source)) {
    ADD_FAILURE() << text << " was taken for something else";
    return {};
  }
  return std::get<T>(model->source);
}

std::string hint(const std::string& text) {
  auto model = parse_model(text, kCatalogue);
  return model ? "accepted" : model.error().hint;
}

std::string refusal(const std::string& text) {
  auto model = parse_model(text, kCatalogue);
  return model ? "accepted" : model.error().message;
}

TEST(ModelName, OfTheCatalogueWinsOverAPath) { EXPECT_EQ(parsed<CatalogueEntry>("tiny").file_name, "tiny.gguf"); }

TEST(ModelName, WithASlashOrTheEndingOfAModelIsAPath) {
  EXPECT_EQ(parsed<PathModel>("./tiny").path, "./tiny");
  EXPECT_EQ(parsed<PathModel>("./models/absent").path, "./models/absent");
  EXPECT_EQ(parsed<PathModel>("models/absent.gguf").path, "models/absent.gguf");
  EXPECT_EQ(parsed<PathModel>("a/b/absent").path, "a/b/absent");
  EXPECT_EQ(parsed<PathModel>("absent.gguf").path, "absent.gguf");
  EXPECT_EQ(parsed<PathModel>("ABSENT.GGUF").path, "ABSENT.GGUF");
}

TEST(ModelName, ThatIsNeitherSaysSoAndListsTheCatalogue) {
  auto model = parse_model("tinny", kCatalogue);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::not_found);
  EXPECT_NE(model.error().message.find("tinny"), std::string::npos);
  EXPECT_NE(model.error().hint.find("tiny, small"), std::string::npos) << model.error().hint;
  EXPECT_NE(refusal(""), "accepted");
}

TEST(ModelName, ThatWasMistypedOrCutShortHasANearOne) {
  EXPECT_EQ(hint("smal").find("did you mean small? "), 0u) << hint("smal");
  EXPECT_EQ(hint("smlal").find("did you mean small? "), 0u) << hint("smlal");
  EXPECT_EQ(hint("Small").find("did you mean small? "), 0u) << hint("Small");
  EXPECT_EQ(hint("ti").find("did you mean tiny? "), 0u) << hint("ti");
  EXPECT_EQ(hint("another").find("catalogue: "), 0u) << hint("another");
}

TEST(ModelName, OfARepositoryWithoutItsPrefixLearnsThePrefix) {
  for (const char* text : {"org/repo-GGUF", "hf.co/org/repo-GGUF", "huggingface.co/org/repo-GGUF",
                           "https://huggingface.co/org/repo-GGUF", "https://huggingface.co/org/repo-GGUF/"})
    EXPECT_NE(hint(text).find("hf:org/repo-GGUF"), std::string::npos) << text << ": " << hint(text);
  EXPECT_EQ(hint("https://host/org/repo-GGUF"), "accepted");
  EXPECT_EQ(hint("https://huggingface.co/org/repo/resolve/main/model.gguf"), "accepted");
}

TEST(ModelName, OfTheHubMayNameAFileOrAQuantizationOrNothing) {
  const auto plain = parsed<HubModel>("hf:org/repo-1.5B_x");
  EXPECT_EQ(plain.owner, "org");
  EXPECT_EQ(plain.repository, "repo-1.5B_x");
  EXPECT_TRUE(plain.file.empty() && plain.quantization.empty());
  EXPECT_EQ(parsed<HubModel>("hf:org/repo:Q5_K_M").quantization, "Q5_K_M");
  EXPECT_EQ(parsed<HubModel>("hf:org/repo:UD-Q4_K_XL").quantization, "UD-Q4_K_XL");
  const auto file = parsed<HubModel>("hf:org/repo:Q8_0/model-00001-of-00002.gguf");
  EXPECT_EQ(file.file, "Q8_0/model-00001-of-00002.gguf");
  EXPECT_TRUE(file.quantization.empty());
}

TEST(ModelName, OfTheHubThatWouldLeaveItsFolderIsRefused) {
  for (const char* text :
       {"hf:", "hf:org", "hf:/repo", "hf:org/", "hf:../repo", "hf:org/..", "hf:org/.hidden", "hf:org/repo/more", "hf:org/re po",
        "hf:org/repo:", "hf:org/repo:../x.gguf", "hf:org/repo:/etc/x.gguf", "hf:org/repo:a/../x.gguf", "hf:org/repo:a//x.gguf",
        "hf:org/repo:a\\x.gguf", "hf:org/repo:..", "hf:org/repo:Q4/K", "hf:org/repo:a\nb.gguf", "hf:org/repo?x"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
    EXPECT_NE(refusal(text).find(text), std::string::npos) << "the message names it: " << refusal(text);
  }
}

TEST(ModelName, AsAUrlGivesAHarmlessFileName) {
  EXPECT_EQ(parsed<WebModel>("https://host/a/b/model-Q4_K_M.gguf?download=true#top").file_name, "model-Q4_K_M.gguf");
  EXPECT_EQ(parsed<WebModel>("http://127.0.0.1:99/m.gguf").url, "http://127.0.0.1:99/m.gguf");
  EXPECT_EQ(parsed<WebModel>("https://host/%2e%2e%2fetc%2fpasswd").file_name, "_._etc_passwd");
  EXPECT_EQ(parsed<WebModel>("https://host/..").file_name, "_.");
  EXPECT_EQ(parsed<WebModel>("https://host/a%20b%00c.gguf").file_name, "a_b_c.gguf");
  EXPECT_EQ(parsed<WebModel>("https://host/a%2").file_name, "a_2");
  EXPECT_EQ(parsed<WebModel>("https://host/" + std::string(5000, 'x') + ".gguf").file_name.size(), 200u);
}

TEST(ModelName, AsAUrlWithoutAFileIsRefused) {
  EXPECT_NE(refusal("https://host"), "accepted");
  EXPECT_NE(refusal("https://host/"), "accepted");
  EXPECT_NE(refusal("https://host/?a=/b.gguf"), "accepted");
  EXPECT_NE(refusal("https://host/a b.gguf"), "accepted");
}

TEST(ModelName, OfAFileInTheCurrentFolderIsAPath) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "odd_name") << "x";
  EXPECT_EQ(parsed<PathModel>((folder.path() / "odd_name").string()).path, folder.path() / "odd_name");
}

}  // namespace
}  // namespace puna::tasks
