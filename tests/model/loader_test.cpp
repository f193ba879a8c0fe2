// Files whose metadata or tensors do not make a model: one line that names the file and the thing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/os.h"
#include "gguf/writer.h"
#include "model/family.h"
#include "model/loader.h"

namespace puna::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::filesystem::path tiny(const std::string& name) {
  return std::filesystem::path(PUNA_TEST_DATA) / "models" / (name + ".gguf");
}

std::string error_with(const std::string& override, const std::string& name = "llama") {
  gguf::OpenOptions options;
  if (!override.empty()) options.overrides = {override};
  auto file = gguf::File::open(tiny(name), options);
  if (!file) return file.error().message;
  auto model = load(*std::move(file));
  return model ? "loaded" : model.error().message;
}

// The file's bytes with one name replaced by another of the same length.
std::string error_with_renamed(std::string from, std::string to) {
  std::string bytes = os::read_file(tiny("llama")).value();
  const std::size_t place = bytes.find(from);
  EXPECT_NE(place, bytes.npos);
  bytes.replace(place, from.size(), to);
  auto file = gguf::File::parse(std::as_bytes(std::span(bytes)), "renamed.gguf");
  if (!file) return file.error().message;
  auto model = load(*std::move(file));
  return model ? "loaded" : model.error().message;
}

TEST(Loader, LoadsEveryFamily) {
  for (const char* name : {"llama", "qwen2", "qwen3", "gemma2", "gemma3"}) EXPECT_EQ(error_with("", name), "loaded");
  EXPECT_EQ(families().size(), 5u);
}

TEST(Loader, NamesAnUnknownArchitectureAndTheKnownOnes) {
  EXPECT_THAT(error_with("general.architecture=str:walrus"),
              AllOf(HasSubstr("llama.gguf"), HasSubstr("'walrus'"), HasSubstr("gemma3")));
}

TEST(Loader, NamesAMissingKey) {
  EXPECT_THAT(error_with("general.architecture=str:qwen3"),
              AllOf(HasSubstr("llama.gguf"), HasSubstr("'qwen3.block_count' is missing")));
}

TEST(Loader, NamesAMissingTensor) {
  EXPECT_THAT(error_with_renamed("blk.1.ffn_up.weight", "blk.1.ffn_yp.weight"),
              AllOf(HasSubstr("renamed.gguf"), HasSubstr("'blk.1.ffn_up.weight' is missing"), HasSubstr("[32, 64]")));
}

TEST(Loader, NamesATensorOfAnotherShape) {
  EXPECT_THAT(error_with("llama.feed_forward_length=int:96"),
              AllOf(HasSubstr("'blk.0.ffn_gate.weight'"), HasSubstr("[32, 64]"), HasSubstr("wanted [32, 96]")));
  EXPECT_THAT(error_with("llama.embedding_length=int:64"), HasSubstr("'token_embd.weight'"));
}

TEST(Loader, MissesTheLayersThatAFilePretendsToHave) {
  EXPECT_THAT(error_with("llama.block_count=int:3"), HasSubstr("'blk.2.attn_norm.weight' is missing"));
}

TEST(Loader, ChecksNumbersBeforeItUsesThem) {
  EXPECT_THAT(error_with("llama.block_count=int:0"), HasSubstr("'llama.block_count' is 0"));
  EXPECT_THAT(error_with("llama.block_count=int:-1"), HasSubstr("'llama.block_count' is -1"));
  EXPECT_THAT(error_with("llama.block_count=int:1000000"), HasSubstr("'llama.block_count' is 1000000"));
  EXPECT_THAT(error_with("llama.attention.head_count=int:0"), HasSubstr("'llama.attention.head_count' is 0"));
  EXPECT_THAT(error_with("llama.attention.head_count_kv=int:3"), HasSubstr("cannot share 3 key heads"));
  EXPECT_THAT(error_with("llama.attention.head_count_kv=int:0"), HasSubstr("head_count_kv"));
  EXPECT_THAT(error_with("llama.attention.layer_norm_rms_epsilon=float:-1"), HasSubstr("layer_norm_rms_epsilon"));
  EXPECT_THAT(error_with("llama.rope.freq_base=float:0"), HasSubstr("rope.freq_base"));
  EXPECT_THAT(error_with("llama.rope.scaling.type=str:twist"), HasSubstr("'twist'"));
  EXPECT_THAT(error_with("llama.rope.dimension_count=int:7"), HasSubstr("even number"));
  EXPECT_THAT(error_with("llama.rope.dimension_count=int:64"), HasSubstr("rope.dimension_count"));
  EXPECT_THAT(error_with("llama.embedding_length=str:wide"), HasSubstr("embedding_length"));
}

TEST(Loader, NamesASpecialTokenOutsideTheVocabulary) {
  EXPECT_THAT(error_with("tokenizer.ggml.eos_token_id=int:100000"), AllOf(HasSubstr("llama.gguf"), HasSubstr("eos")));
}

TEST(Loader, NamesAnUnknownPreTokenizer) { EXPECT_THAT(error_with("tokenizer.ggml.pre=str:martian"), HasSubstr("martian")); }

}  // namespace
}  // namespace puna::model
