// The real vocabularies give 2,000 generated texts the ids that the models' own pipelines give them
// (tools/make_tokenizer_cases.py).
#include "e2e/golden.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"

namespace puna::e2e {
namespace {

class RealTokenizer : public testing::TestWithParam<RealModel> {
 protected:
  static Value read(const std::string& name) {
    return json::parse(os::read_file(std::filesystem::path(PUNA_TEST_DATA) / "tokenizer" / name).value()).value();
  }
  static std::unique_ptr<text::Tokenizer> tokenizer() {
    auto file = gguf::File::open(model_path(GetParam()), {.metadata_only = true});
    if (!file) throw std::runtime_error(file.error().message);
    auto tokenizer = model::load_tokenizer(*file);
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    return *std::move(tokenizer);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, RealTokenizer, testing::ValuesIn(real_models()), test_name);

TEST_P(RealTokenizer, EqualsItsReferenceOnGeneratedTexts) {
  const std::string name = GetParam().name;
  const Value texts = read("texts.json");
  const Value expected = read(name.starts_with("smollm2")  ? "ids_smollm2.json"
                              : name.starts_with("gemma3") ? "ids_gemma3.json"
                                                           : "ids_qwen.json");
  const Value::Array& all = *texts.find("texts")->if_array();
  const Value::Array& ids = *expected.find("ids")->if_array();
  ASSERT_EQ(all.size(), 2000u);
  ASSERT_EQ(ids.size(), all.size());
  const auto t = tokenizer();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = *all[i].if_string();
    const auto found = t->encode(text, {.add_special = false});
    EXPECT_EQ(found, list<TokenId>(ids[i], number)) << "text " << i << ": " << json::quote(text);
  }
}

TEST_P(RealTokenizer, GivesThePromptsBack) {
  const auto t = tokenizer();
  for (const Prompt& prompt : prompts(GetParam()))
    EXPECT_EQ(t->decode(t->encode(prompt.text, {.add_special = false})), prompt.text) << prompt.name;
}

}  // namespace
}  // namespace puna::e2e
