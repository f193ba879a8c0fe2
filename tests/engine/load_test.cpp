// Loading: what is refused, in one line that names it, and what memory is asked for.
#include <gmock/gmock.h>

#include "base/log.h"
#include "base/temporary_folder.h"
#include "engine/tiny_models.h"
#include "gguf/split.h"
#include "gguf/writer.h"

namespace puna::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Error error_of(const Options& options) {
  auto engine = Engine::load(options);
  return engine ? Error{ErrorKind::invalid, "loaded", {}} : engine.error();
}

TEST(Load, NamesAnOptionThatIsOutOfRange) {
  Options options = tiny_options("llama");
  options.n_ubatch = 0;
  EXPECT_THAT(error_of(options).message, HasSubstr("--ubatch-size is 0"));
  options = tiny_options("llama");
  options.n_ctx = -4;
  EXPECT_THAT(error_of(options).message, HasSubstr("--ctx-size is -4"));
  options = tiny_options("llama");
  options.cache.v = tensor::DType::Q4_K;
  EXPECT_THAT(error_of(options).message, HasSubstr("--cache-type-v is q4_k, wanted one of f32, f16, bf16, q8_0, q4_0"));
  options = tiny_options("llama");
  options.isa = "altivec";
  EXPECT_THAT(error_of(options).message, HasSubstr("altivec"));
}

TEST(Load, ThreadsZeroMinusOneAndNoneAgree) {
  Options options = tiny_options("llama");
  std::vector<int> counts;
  for (int n : {0, -1}) {
    options.n_threads = n;
    counts.push_back(load_or_fail(options)->n_threads());
  }
  EXPECT_EQ(counts[0], counts[1]);
  Options no_flag;
  no_flag.model = tiny_path("llama");
  EXPECT_EQ(counts[0], load_or_fail(no_flag)->n_threads());
}

TEST(Load, SaysWhatDoesNotFitAndWhatWould) {
  Options options = tiny_options("llama");
  options.n_ctx = std::int64_t{1} << 28;
  const Error error = error_of(options);
  EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
  EXPECT_THAT(error.message, AllOf(HasSubstr("llama.gguf"), HasSubstr("268435456 positions"), HasSubstr("available")));
  EXPECT_THAT(error.hint, HasSubstr("-c "));
}

TEST(Load, WarnsOfAContextBeyondTheModelsUnlessItIsStretched) {
  std::string warnings;
  log::set_sink([&](log::Level, std::string_view message) { warnings += message; }, log::Level::warning);
  Options options = tiny_options("llama");
  options.n_ctx = 256;
  load_or_fail(options);
  EXPECT_EQ(warnings, "");
  options.n_ctx = 512;
  load_or_fail(options);
  EXPECT_THAT(warnings, AllOf(HasSubstr("context of 512 positions"), HasSubstr("trained on 256")));
  warnings.clear();
  options.rope.freq_scale = 0.5f;
  load_or_fail(options);
  log::set_sink({});
  EXPECT_EQ(warnings, "");
}

TEST(Load, PlansTheCacheBeforeItIsAllocated) {
  Options options = tiny_options("llama");
  options.n_ctx = 128;
  const auto small = load_or_fail(options);
  options.n_ctx = 256;
  const auto large = load_or_fail(options);
  EXPECT_GT(small->memory().cache, 0u);
  EXPECT_GT(large->memory().cache, small->memory().cache);
  options.cache = {tensor::DType::F32, tensor::DType::F32};
  EXPECT_EQ(load_or_fail(options)->memory().cache, 2 * large->memory().cache);
  options.cache = {tensor::DType::F16, tensor::DType::F32};
  EXPECT_EQ(load_or_fail(options)->memory().cache * 2, 3 * large->memory().cache);
  options.cache = {tensor::DType::Q8_0, tensor::DType::Q8_0};
  const std::uint64_t eight_bits = load_or_fail(options)->memory().cache;
  options.cache = {tensor::DType::Q4_0, tensor::DType::Q4_0};
  EXPECT_LT(load_or_fail(options)->memory().cache, eight_bits);
  EXPECT_EQ(small->memory().weights, std::filesystem::file_size(tiny_path("llama")));
}

TEST(Load, AWindowedModelNeedsLessCacheThanAFullOne) {
  Options options = tiny_options("mistral-window");
  options.n_ctx = 4096;
  options.n_ubatch = 32;
  const std::uint64_t windowed = load_or_fail(options)->memory().cache;
  options.model = tiny_path("llama-linear");
  EXPECT_LT(windowed * 4, load_or_fail(options)->memory().cache);
}

TEST(Load, TakesTheModelsContextByDefault) { EXPECT_EQ(load_or_fail(tiny_options("llama"))->n_ctx(), 256); }

TEST(Load, RopeFlagsSpeakOverTheFile) {
  const Expected text = expected("llama-linear");
  Options exact = tiny_options("llama-linear");
  exact.exact = true;
  const auto as_the_file_says = all_logits(*load_or_fail(exact), text.ids);
  exact.rope.scaling = "none";
  EXPECT_NE(all_logits(*load_or_fail(exact), text.ids), as_the_file_says);
  exact.rope.scaling = "linear";
  exact.rope.freq_scale = 0.25f;
  EXPECT_EQ(all_logits(*load_or_fail(exact), text.ids), as_the_file_says);
  exact.rope.freq_scale = 0.0f;
  EXPECT_THAT(error_of(exact).message, HasSubstr("--rope-freq-scale is 0"));
  exact.rope = {};
  exact.rope.scaling = "spiral";
  EXPECT_THAT(error_of(exact).message, HasSubstr("spiral"));
}

TEST(Load, YarnFlagsDoWhatTheFileWouldSay) {
  const Expected text = expected("llama-yarn");
  Options exact = tiny_options("llama-yarn");
  exact.exact = true;
  const auto as_the_file_says = all_logits(*load_or_fail(exact), text.ids);
  // The same from a file without the keys.
  exact.file.overrides = {"llama.rope.scaling.type=str:none", "llama.rope.scaling.factor=float:1",
                          "llama.rope.scaling.original_context_length=int:128"};
  EXPECT_NE(all_logits(*load_or_fail(exact), text.ids), as_the_file_says);
  exact.rope.scaling = "yarn";
  exact.rope.freq_scale = 0.25f;
  exact.rope.yarn_orig_ctx = 32;
  EXPECT_EQ(all_logits(*load_or_fail(exact), text.ids), as_the_file_says);
}

// The first part ends before its data would begin; what lies behind it in memory is somebody else's.
TEST(Load, TakesAModelInPartsOfWhichTheFirstHasNoTensors) {
  const TemporaryFolder folder;
  const gguf::File whole = gguf::File::open(tiny_path("llama")).value();
  const auto write_part = [&](std::uint16_t number, bool has_tensors) {
    gguf::Writer part;
    if (!has_tensors)
      for (const gguf::Entry& entry : whole.metadata()) part.set(entry.key, entry.value);
    part.set("split.no", gguf::encode(number));
    part.set("split.count", gguf::encode(std::uint16_t{2}));
    part.set("split.tensors.count", gguf::encode(static_cast<std::int32_t>(whole.tensors().size())));
    if (!has_tensors) part.set("general.alignment", gguf::encode(std::uint32_t{1} << 16));
    for (const gguf::TensorInfo& tensor : whole.tensors())
      if (has_tensors)
        part.add_tensor({std::string(tensor.name), tensor.dtype, tensor.n_dims, tensor.ne}, {tensor.data, tensor.bytes});
    const auto path = folder.path() / gguf::shard_name("m", number + 1, 2);
    EXPECT_TRUE(part.write(path));
    return path;
  };
  Options options = tiny_options("llama");
  const Expected text = expected("llama");
  const auto of_the_whole = all_logits(*load_or_fail(options), text.ids);
  options.model = write_part(0, false);
  write_part(1, true);
  const auto header_of_first = [&] { return gguf::File::open(options.model).value().shards()[0].header_end; };
  std::filesystem::resize_file(options.model, header_of_first());  // as splitters leave it that do not pad
  EXPECT_EQ(all_logits(*load_or_fail(options), text.ids), of_the_whole);
}

}  // namespace
}  // namespace puna::engine
