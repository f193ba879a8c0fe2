// Ids equal to those of the programs that the vocabularies come from: Hugging Face tokenizers for byte-level BPE,
// SentencePiece for its own kind.
#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

class EqualsOracle : public testing::TestWithParam<const char*> {};

TEST_P(EqualsOracle, OnGeneratedTexts) {
  const Value file = read_json(std::string(GetParam()) + ".json");
  const auto texts = strings(read_json("texts.json").find("texts"));
  const auto tokenizer = vocabulary_of(file).make();
  ASSERT_TRUE(tokenizer);
  const Value::Array& expected = *file.find("ids")->if_array();
  ASSERT_LE(expected.size(), texts.size());
  ASSERT_GE(expected.size(), 500u);
  // SentencePiece's own encoder takes no text for a control token.
  const EncodeOptions options{.parse_special = tokenizer->model_name() == "gpt2"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(tokenizer->encode(texts[i], options), ids(expected[i])) << "text " << i << ": " << json::quote(texts[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizer, EqualsOracle,
                         testing::Values("bpe_gpt-2", "bpe_smollm", "bpe_llama-bpe", "bpe_qwen2", "spm_prefix", "spm_plain"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace puna::text
