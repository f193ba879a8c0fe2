#include "tasks/pull/hub.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/os.h"
#include "base/value.h"
#include "tasks/pull/sha256.h"
#include "tasks/test_server.h"

namespace puna::tasks {
namespace {

namespace fs = std::filesystem;
using Hub = WithServer;

constexpr std::uint64_t kGiB = 1ull << 30;

HubModel named(const std::string& quantization, const std::string& file = "") {
  return {.owner = "test", .repository = "repo", .file = file, .quantization = quantization};
}

std::vector<HubFile> listing(const std::vector<std::pair<std::string, std::uint64_t>>& files) {
  std::vector<HubFile> result;
  for (const auto& [path, size] : files) result.push_back({.path = path, .size = size, .sha256 = ""});
  return result;
}

std::string chosen(const std::vector<HubFile>& files, const HubModel& model, std::uint64_t memory = 0) {
  const auto choice = choose(files, model, memory);
  if (!choice) return "error: " + choice.error().message;
  std::string names;
  for (const HubFile& file : choice->files) names += (names.empty() ? "" : " ") + file.path;
  return names;
}

const std::vector<HubFile> kUsual = listing({{"README.md", 1},
                                             {"m-Q2_K.gguf", 3 * kGiB},
                                             {"m-Q4_K_S.gguf", 4 * kGiB},
                                             {"m-Q4_K_M.gguf", 5 * kGiB},
                                             {"m-Q8_0.gguf", 8 * kGiB},
                                             {"m-f16.gguf", 15 * kGiB},
                                             {"mmproj-m-Q8_0.gguf", kGiB},
                                             {"m-imatrix.gguf", kGiB}});

TEST(Choice, IsQ4KMWhereNobodyNamesOneAndItFits) {
  EXPECT_EQ(chosen(kUsual, named("")), "m-Q4_K_M.gguf");
  EXPECT_EQ(chosen(kUsual, named(""), 64 * kGiB), "m-Q4_K_M.gguf");
}

TEST(Choice, SaysWhatItTookAndWhy) {
  EXPECT_EQ(choose(kUsual, named(""), 64 * kGiB)->note, "taking Q4_K_M (5.00 GiB), the usual choice");
  EXPECT_EQ(choose(kUsual, named(""), 5 * kGiB)->note,
            "taking Q4_K_S (4.00 GiB), the best that fits in memory: Q4_K_M (5.00 GiB) does not fit in 5.00 GiB");
  EXPECT_EQ(choose(listing({{"m-Q5_K_M.gguf", 5 * kGiB}, {"m-Q8_0.gguf", 8 * kGiB}}), named(""), 64 * kGiB)->note,
            "taking Q8_0 (8.00 GiB), the best that fits in memory: there is no Q4_K_M");
  EXPECT_EQ(choose(listing({{"only.gguf", kGiB}}), named(""), 0)->note, "taking only.gguf (1.00 GiB), the only one there");
}

TEST(Choice, IsTheBestThatFitsOtherwise) {
  EXPECT_EQ(chosen(kUsual, named(""), 5 * kGiB), "m-Q4_K_S.gguf");
  EXPECT_EQ(chosen(kUsual, named(""), 4 * kGiB), "m-Q2_K.gguf");
  EXPECT_EQ(chosen(listing({{"m.f16.gguf", 3 * kGiB}, {"m.q3_k_m.gguf", kGiB}}), named(""), 64 * kGiB), "m.q3_k_m.gguf")
      << "unquantized weights only where there is nothing else";
  EXPECT_EQ(chosen(listing({{"m-IQ2_XXS.gguf", kGiB}, {"m-BF16.gguf", 3 * kGiB}}), named("")), "m-BF16.gguf");
}

TEST(Choice, WhereNothingFitsSaysWhatTheSmallestWants) {
  const auto choice = choose(kUsual, named(""), kGiB);
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::out_of_memory);
  EXPECT_NE(choice.error().message.find("1.00 GiB of memory"), std::string::npos) << choice.error().message;
  EXPECT_NE(choice.error().message.find("m-Q2_K.gguf"), std::string::npos);
  EXPECT_NE(choice.error().hint.find("hf:test/repo:m-Q2_K.gguf"), std::string::npos);
}

TEST(Choice, ByQuantizationIgnoresCaseAndTakesNoLongerName) {
  EXPECT_EQ(chosen(kUsual, named("q8_0")), "m-Q8_0.gguf");
  EXPECT_EQ(chosen(kUsual, named("F16"), kGiB), "m-f16.gguf") << "what is named is taken, whether it fits or not";
  EXPECT_EQ(chosen(listing({{"m-Q4_K_M.gguf", 1}, {"m.Q4_K.gguf", 1}}), named("Q4_K")), "m.Q4_K.gguf");
  EXPECT_EQ(chosen(listing({{"m-IQ4_XS.gguf", 1}, {"m-Q4_XS.gguf", 1}}), named("Q4_XS")), "m-Q4_XS.gguf");
  EXPECT_EQ(chosen(listing({{"m-UD-Q4_K_M.gguf", 1}, {"m-Q4_K_M.gguf", 1}}), named("Q4_K_M")), "m-Q4_K_M.gguf");
  EXPECT_EQ(chosen(listing({{"m-UD-Q4_K_M.gguf", 1}, {"m-Q4_K_M.gguf", 1}}), named("UD-Q4_K_M")), "m-UD-Q4_K_M.gguf");
}

TEST(Choice, OfWhatIsNotThereListsWhatIs) {
  const auto choice = choose(kUsual, named("Q6_K"), 0);
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::not_found);
  EXPECT_NE(choice.error().message.find("Q6_K"), std::string::npos);
  EXPECT_NE(choice.error().hint.find("m-Q4_K_S.gguf"), std::string::npos);
  EXPECT_EQ(choice.error().hint.find("mmproj"), std::string::npos);
  EXPECT_FALSE(choose(listing({{"model.safetensors", 1}}), named(""), 0));
}

TEST(Choice, TakesAllShardsFromAnyOfThem) {
  const auto split =
      listing({{"Q8_0/m-00002-of-00003.gguf", 1}, {"Q8_0/m-00001-of-00003.gguf", 1}, {"Q8_0/m-00003-of-00003.gguf", 1}});
  const std::string all = "Q8_0/m-00001-of-00003.gguf Q8_0/m-00002-of-00003.gguf Q8_0/m-00003-of-00003.gguf";
  EXPECT_EQ(chosen(split, named("")), all);
  EXPECT_EQ(chosen(split, named("Q8_0")), all) << "the quantization may be the folder's name";
  EXPECT_EQ(chosen(split, named("", "Q8_0/m-00003-of-00003.gguf")), all);
}

TEST(Choice, ListsTheShardsThatAreMissing) {
  const auto gap = listing({{"m-Q8_0-00001-of-00004.gguf", 1}, {"m-Q8_0-00003-of-00004.gguf", 1}});
  EXPECT_EQ(chosen(gap, named("Q8_0")),
            "error: hf:test/repo: m-Q8_0-00001-of-00004.gguf is split, and these shards are missing: m-Q8_0-00002-of-00004.gguf, "
            "m-Q8_0-00004-of-00004.gguf");
}

TEST(Choice, DoesNotBelieveANameThatPromisesManyShards) {
  const auto choice = choose(listing({{"m-00001-of-99999.gguf", 1}}), named("", "m-00001-of-99999.gguf"), 0);
  ASSERT_FALSE(choice);
  EXPECT_LT(choice.error().message.size(), 500u);
}

TEST(Listing, DropsNamesThatWouldLeaveTheFolder) {
  const auto files = parse_listing(
      R"({"siblings":[{"rfilename":"../a.gguf"},{"rfilename":"/b.gguf"},{"rfilename":"c/../d.gguf"},{"rfilename":7},{},
      {"rfilename":"ok/e.gguf","size":-5,"lfs":{"sha256":"zz","size":3}}]})");
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().path, "ok/e.gguf");
  EXPECT_EQ(files->front().size, 3u);
  EXPECT_EQ(files->front().sha256, "") << "no hash";
}

TEST(Listing, OfAnotherShapeIsAnError) {
  for (const char* text : {"", "[]", "{}", "{\"siblings\":3}", "<html>"}) EXPECT_FALSE(parse_listing(text)) << text;
}

TEST(HubUrl, EscapesWhatAPathCannotHold) {
  EXPECT_EQ(file_url("https://hub/", named(""), "a b/c#d?.gguf"), "https://hub/test/repo/resolve/main/a%20b/c%23d%3F.gguf");
  EXPECT_EQ(listing_url("https://hub", named("")), "https://hub/api/models/test/repo?blobs=true");
}

TEST_F(Hub, BringsTheChosenFileWithItsHashChecked) {
  const auto pulled = pull(model("hf:test/tiny-GGUF"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->path, home.path() / "hf/test/tiny-GGUF/tiny-Q4_K_M.gguf");
  EXPECT_NE(pulled->note.find("Q4_K_M"), std::string::npos);
  EXPECT_EQ(os::read_file(pulled->path), content(40000));
}

TEST_F(Hub, FindsWhatWasPulledWithoutTheNetwork) {
  ASSERT_FALSE(find_local(model("hf:test/tiny-GGUF"), options));
  ASSERT_TRUE(pull(model("hf:test/tiny-GGUF:Q8_0"), options));
  options.hf_endpoint = "http://127.0.0.1:1";
  const fs::path wanted = home.path() / "hf/test/tiny-GGUF/tiny-Q8_0.gguf";
  for (const char* name : {"hf:test/tiny-GGUF", "hf:test/tiny-GGUF:q8_0", "hf:test/tiny-GGUF:tiny-Q8_0.gguf"}) {
    const auto found = find_local(model(name), options);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->path, wanted);
  }
  const auto other = find_local(model("hf:test/tiny-GGUF:Q4_K_M"), options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::not_found);
  EXPECT_EQ(other.error().hint, "bring it: puna pull hf:test/tiny-GGUF:Q4_K_M");
}

TEST_F(Hub, FindsWhatOtherProgramsBroughtIntoTheHubCache) {
  options.places.hugging_face = home.path() / "hub";
  const fs::path repository = home.path() / "hub/models--test--tiny-GGUF";
  fs::create_directories(repository / "snapshots/abc");
  fs::create_directories(repository / "snapshots/old");
  fs::create_directories(repository / "refs");
  std::ofstream(repository / "refs/main") << "abc";
  for (const char* revision : {"abc", "old"}) std::ofstream(repository / "snapshots" / revision / "tiny-Q4_K_M.gguf") << "GGUF";
  const auto found = find_local(model("hf:test/tiny-GGUF"), options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, repository / "snapshots/abc/tiny-Q4_K_M.gguf");
}

TEST_F(Hub, SaysWhoseAnswerIsNoListing) {
  const auto pulled = pull(model("hf:test/nonsense"), options);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().message.find("the hub's list of files of test/nonsense"), std::string::npos) << pulled.error().message;
}

TEST_F(Hub, BringsAllShards) {
  const auto pulled = pull(model("hf:test/split-GGUF:Q8_0/big-Q8_0-00003-of-00003.gguf"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->path.filename(), "big-Q8_0-00001-of-00003.gguf");
  for (std::size_t i = 1; i <= 3; ++i)
    EXPECT_EQ(os::read_file(pulled->path.parent_path() / fmt::format("big-Q8_0-0000{}-of-00003.gguf", i)), content(20000 + i));
  EXPECT_TRUE(find_local(model("hf:test/split-GGUF"), options));
  fs::remove(pulled->path.parent_path() / "big-Q8_0-00002-of-00003.gguf");
  EXPECT_FALSE(find_local(model("hf:test/split-GGUF"), options)) << "a set with a gap is no model";
}

TEST_F(Hub, GoesOnAfterAConnectionThatDied) {
  const auto pulled = pull(model("hf:test/dies-GGUF"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(os::read_file(pulled->path), content(400000));
}

TEST_F(Hub, RefusesAFileWithAnotherHash) {
  const auto pulled = pull(model("hf:test/wrong-GGUF"), options);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().kind, ErrorKind::invalid);
  EXPECT_NE(pulled.error().message.find("wanted sha256 " + sha256_of(content(40000))), std::string::npos)
      << pulled.error().message;
  EXPECT_TRUE(files_in(home.path()).empty());
}

TEST_F(Hub, RefusesAFileOfAnotherSize) {
  const auto pulled = pull(model("hf:test/longer-GGUF"), options);
  ASSERT_FALSE(pulled);
  EXPECT_NE(pulled.error().message.find("wanted 40000 bytes, the server offers 40004"), std::string::npos)
      << pulled.error().message;
  EXPECT_FALSE(fs::exists(home.path() / "hf/test/longer-GGUF/longer-Q4_K_M.gguf"));
}

TEST_F(Hub, StartsAgainWhenThePartFromAnEarlierCallWasDamaged) {
  const fs::path part = home.path() / "hf/test/tiny-GGUF/tiny-Q4_K_M.gguf.part";
  fs::create_directories(part.parent_path());
  std::ofstream(part, std::ios::binary) << std::string(5000, 'x');
  const Value memory =
      Value::object({{"url", sha256_of(file_url(options.hf_endpoint, {"test", "tiny-GGUF", "", ""}, "tiny-Q4_K_M.gguf"))},
                     {"sha256", sha256_of(content(40000))},
                     {"etag", "\"v1\""},
                     {"last_modified", ""},
                     {"size", 40000}});
  std::ofstream(part.string() + ".json") << json::write(memory);
  const auto pulled = pull(model("hf:test/tiny-GGUF"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(os::read_file(pulled->path), content(40000));
  EXPECT_EQ(server.asked()[1].range, "bytes=5000-") << "the part was tried first";
}

TEST_F(Hub, BringsAFileAgainThatChangedThere) {
  const fs::path file = home.path() / "hf/test/tiny-GGUF/tiny-Q4_K_M.gguf";
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content(40000, 9);
  const auto pulled = pull(model("hf:test/tiny-GGUF"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(os::read_file(file), content(40000));
}

TEST_F(Hub, SendsTheTokenToTheHubAndToNobodyElse) {
  options.hf_token = "secret";
  const auto pulled = pull(model("hf:test/moved-GGUF"), options);
  ASSERT_TRUE(pulled) << pulled.error().message;
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 3u);  // the listing, the file, where it was moved to
  EXPECT_EQ(asked[0].token, "Bearer secret");
  EXPECT_EQ(asked[1].token, "Bearer secret");
  EXPECT_TRUE(asked[2].host.starts_with("localhost:")) << asked[2].host;
  EXPECT_EQ(asked[2].token, "") << "a redirect to another host must not carry the token";
}

TEST_F(Hub, SendsNoTokenWithAUrl) {
  options.hf_token = "secret";
  ASSERT_TRUE(pull_url("/ranges/1000/m.gguf"));
  EXPECT_EQ(server.asked()[0].token, "");
}

TEST_F(Hub, WithoutTheTokenOfAGatedRepositoryNamesHfToken) {
  const auto refused = pull(model("hf:test/gated"), options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("HTTP 401"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().hint.find("HF_TOKEN"), std::string::npos) << refused.error().hint;
  options.hf_token = "secret";
  EXPECT_TRUE(pull(model("hf:test/gated"), options));
}

TEST_F(Hub, WhoseAddressHasNoSchemeIsRefused) {
  options.hf_endpoint = "hub.example";
  const auto refused = pull(model("hf:test/tiny-GGUF"), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "HF_ENDPOINT hub.example: is no address of a hub");
}

TEST_F(Hub, OfAMirrorWithoutListingsBringsAFileThatIsNamed) {
  EXPECT_TRUE(pull(model("hf:test/unlisted:plain.gguf"), options));
  const auto absent = pull(model("hf:test/unlisted:absent.gguf"), options);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::not_found);
  EXPECT_EQ(pull(model("hf:test/unlisted"), options).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace puna::tasks
