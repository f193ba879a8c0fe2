// Files from disk, and the ways to open them.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <algorithm>
#include <ctime>

#include "bytes.h"

namespace puna::gguf::test {
namespace {

using ::testing::HasSubstr;

// KiB of locked memory of this process.
long locked_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmLck:")) return std::stol(line.substr(6));
  return -1;
}

bool can_lock() {
  const std::vector<std::byte> memory(16384);
  const long before = locked_kib();
  if (mlock(memory.data(), memory.size()) != 0) return false;
  const bool locked = locked_kib() > before;
  munlock(memory.data(), memory.size());
  return locked;
}

TEST(Open, OpensAFileMappedOrRead) {
  TempDirectory directory;
  const auto path = directory.write("m.gguf", small_model().build().str());
  for (const bool use_mmap : {true, false}) {
    const auto file = File::open(path, {.use_mmap = use_mmap});
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->name(), path.string());
    EXPECT_EQ(file->shards()[0].file.is_mapped(), use_mmap);
    EXPECT_EQ(file->size_bytes(), std::filesystem::file_size(path));
    EXPECT_EQ(as_text({file->find_tensor("b.bias")->data, 16}), std::string(16, '\x01'));
  }
}

TEST(Open, LocksMemoryWithAndWithoutMmap) {
  if (!can_lock()) GTEST_SKIP() << "this process cannot lock memory: its limit, or a sanitizer, which does not pass mlock on";
  TempDirectory directory;
  const auto path = directory.write("m.gguf", small_model().build().str());
  for (const bool use_mmap : {true, false}) {
    const long before = locked_kib();
    const auto file = File::open(path, {.use_mmap = use_mmap, .use_mlock = true});
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_GT(locked_kib(), before);
  }
}

TEST(Open, NamesAPathThatIsNoFile) {
  TempDirectory directory;
  const auto missing = File::open(directory.path() / "no.gguf");
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("no.gguf: no such file"));
  EXPECT_EQ(missing.error().hint, "");
  EXPECT_THAT(File::open(directory.path() / "no" / "a.gguf").error().hint, HasSubstr("there is no folder"));
  const auto empty = File::open(directory.path());
  EXPECT_THAT(empty.error().message, HasSubstr("is a directory, wanted a GGUF file"));
  EXPECT_THAT(empty.error().hint, HasSubstr("no file in it ends in .gguf"));
  directory.write("b.gguf", "");
  directory.write("a.gguf", "");
  EXPECT_EQ(File::open(directory.path()).error().hint, "name a file in it: 'a.gguf', 'b.gguf'");
  EXPECT_EQ(File::open(directory.path() / "a.ggfu").error().hint, "did you mean 'a.gguf'?");
  EXPECT_THAT(File::open("/dev/zero").error().message, HasSubstr("/dev/zero: is no regular file"));
  EXPECT_THAT(File::open(directory.path() / "a.gguf").error().message, HasSubstr("it looks like an empty file"));
}

TEST(Open, OverridesAKeyInTheTypeThatTheFileHas) {
  const Bytes bytes = FileBuilder()
                          .u32("n", 1)
                          .key("x", kF32, Bytes().number(1.0f))
                          .key("on", kBool, Bytes().raw("\1"))
                          .string("name", "old")
                          .build();
  const auto file = parse(bytes, {.overrides = {"n=int:7", "x=float:0.5", "on=bool:false", "name=str:a=b:c"}});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->get_int("n").value(), 7);
  EXPECT_EQ(file->find("n")->type(), ValueType::u32);
  EXPECT_EQ(file->get_float("x").value(), 0.5);
  EXPECT_EQ(file->find("x")->type(), ValueType::f32);
  EXPECT_EQ(file->get_bool("on").value(), false);
  EXPECT_EQ(file->get_string("name").value(), "a=b:c");
  EXPECT_EQ(file->metadata().size(), 4u);
}

TEST(Open, OverridesWidenWhereTheNumberDoesNotFit) {
  const Bytes bytes = FileBuilder().u32("n", 1).key("x", kF32, Bytes().number(1.0f)).build();
  const auto file = parse(bytes, {.overrides = {"n=int:-7", "x=int:3"}});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->get_int("n").value(), -7);
  EXPECT_EQ(file->find("x")->type(), ValueType::f32);
  EXPECT_EQ(file->get_float("x").value(), 3.0);
}

TEST(Open, AddsAKeyThatTheFileLacks) {
  const Bytes bytes = FileBuilder().u32("n", 1).build();
  const auto file =
      parse(bytes, {.overrides = {"a=int:9223372036854775807", "b=float:1e-3", "c=bool:true", "d=str:", "a=int:2"}});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->get_int("a").value(), 2) << "the last one counts";
  EXPECT_EQ(file->get_float("b").value(), 1e-3);
  EXPECT_EQ(file->get_bool("c").value(), true);
  EXPECT_EQ(file->get_string("d").value(), "");
  EXPECT_EQ(file->metadata().size(), 5u);
}

TEST(Open, RefusesOverridesThatCannotBe) {
  const Bytes bytes = FileBuilder().u32("n", 1).string("s", "x").key("list", kArray, Bytes().u32(kI32).u64(0)).build();
  const auto says = [&](const std::string& text) { return refusal(bytes, {.overrides = {text}}); };
  EXPECT_THAT(says("n"), HasSubstr("override 'n': wanted KEY=TYPE:VALUE"));
  EXPECT_THAT(says("=int:1"), HasSubstr("wanted KEY=TYPE:VALUE"));
  EXPECT_THAT(says("n=7"), HasSubstr("wanted KEY=TYPE:VALUE"));
  EXPECT_THAT(says("n=u32:7"), HasSubstr("the type is 'u32', wanted int, float, bool or str"));
  EXPECT_THAT(says("n=int:seven"), HasSubstr("'seven' is no int"));
  EXPECT_THAT(says("n=int:7x"), HasSubstr("'7x' is no int"));
  EXPECT_THAT(says("n=int:9223372036854775808"), HasSubstr("is no int"));
  EXPECT_THAT(says("new=float:nan"), HasSubstr("'nan' is no float"));
  EXPECT_THAT(says("new=bool:yes"), HasSubstr("'yes' is no bool: wanted true or false"));
  EXPECT_THAT(says("n=str:x"), HasSubstr("in m.gguf the key holds u32, which str cannot replace"));
  EXPECT_THAT(says("n=float:1.5"), HasSubstr("the key holds u32, which float cannot replace"));
  EXPECT_THAT(says("list=int:1"), HasSubstr("the key holds array of i32"));
  EXPECT_THAT(says("general.alignment=int:64"), HasSubstr("says how the file is laid out"));
  EXPECT_THAT(says("split.count=int:1"), HasSubstr("says how the file is laid out"));
}

// A tensor of two blocks, or of 64 elements, of zeros except for one little-endian number of `width` bytes.
Bytes with_number(const tensor::DTypeTraits& traits, std::size_t at, std::uint32_t bits, std::size_t width) {
  const std::uint64_t n = traits.block_size == 1 ? 64 : 2 * traits.block_size;
  std::string data(n / traits.block_size * traits.block_bytes, '\0');
  std::memcpy(data.data() + at, &bits, width);
  return FileBuilder().tensor("t", {n}, static_cast<std::uint32_t>(traits.type), 0).data(data).build();
}

TEST(CheckTensors, FindsNaNAndInfinitiesInPlainTypes) {
  struct Case {
    tensor::DType type;
    std::size_t width;
    std::uint32_t nan, infinity, largest;
  };
  for (const Case& c :
       {Case{tensor::DType::F32, 4, 0x7FC00000, 0xFF800000, 0x7F7FFFFF}, Case{tensor::DType::F16, 2, 0x7E00, 0xFC00, 0x7BFF},
        Case{tensor::DType::BF16, 2, 0x7FC0, 0xFF80, 0x7F7F}}) {
    const auto& traits = tensor::traits(c.type);
    const std::string wanted =
        "m.gguf: tensor 't' (" + std::string(traits.name) + ") has a value that is NaN or infinite in element 9";
    EXPECT_EQ(refusal(with_number(traits, 9 * c.width, c.nan, c.width), {.check_tensors = true}), wanted);
    EXPECT_EQ(refusal(with_number(traits, 9 * c.width, c.infinity, c.width), {.check_tensors = true}), wanted);
    EXPECT_EQ(refusal(with_number(traits, 9 * c.width, c.largest, c.width), {.check_tensors = true}), "");
    EXPECT_EQ(refusal(with_number(traits, 9 * c.width, c.nan, c.width)), "") << "only when asked";
  }
}

TEST(CheckTensors, FindsNaNInTheScalesOfEveryBlockTypeAndNowhereElse) {
  // Bytes of float16 scales in each block type, from the format: no table of the engine.
  const std::pair<tensor::DType, std::vector<std::size_t>> cases[] = {
      {tensor::DType::Q4_0, {0}},    {tensor::DType::Q4_1, {0, 2}},   {tensor::DType::Q5_0, {0}},   {tensor::DType::Q5_1, {0, 2}},
      {tensor::DType::Q8_0, {0}},    {tensor::DType::Q2_K, {80, 82}}, {tensor::DType::Q3_K, {108}}, {tensor::DType::Q4_K, {0, 2}},
      {tensor::DType::Q5_K, {0, 2}}, {tensor::DType::Q6_K, {208}},    {tensor::DType::IQ4_NL, {0}}, {tensor::DType::IQ4_XS, {0}}};
  for (const auto& [type, scales] : cases) {
    const auto& traits = tensor::traits(type);
    for (std::size_t at = 0; at + 2 <= traits.block_bytes; at += 2) {
      const bool is_scale = std::ranges::count(scales, at) > 0;
      const std::string message = refusal(with_number(traits, traits.block_bytes + at, 0x7E00, 2), {.check_tensors = true});
      EXPECT_EQ(message.ends_with("NaN or infinite in block 1"), is_scale) << traits.name << " byte " << at << ": " << message;
    }
  }
}

TEST(CheckTensors, NamesTheFirstBadTensorInFileOrder) {
  FileBuilder file;
  std::string data;
  for (int i = 0; i < 20; ++i) {
    file.tensor(fmt::format("t{}", i), {8}, kF32Tensor, data.size());
    data += i >= 5 ? std::string(32, '\xff') : std::string(32, '\0');
  }
  EXPECT_THAT(refusal(file.data(data).build(), {.check_tensors = true}), HasSubstr("tensor 't5'"));
}

std::string vocabulary_file(int n) {
  Bytes tokens, types, scores, merges;
  tokens.u32(kString).u64(n);
  merges.u32(kString).u64(n);
  types.u32(kI32).u64(n);
  scores.u32(kF32).u64(n);
  for (int i = 0; i < n; ++i) {
    const std::string word = "token" + std::to_string(i);
    tokens.text(word);
    merges.text(word + " b");
    types.u32(1);
    scores.number(static_cast<float>(-i));
  }
  return FileBuilder()
      .key("tokenizer.ggml.tokens", kArray, tokens)
      .key("tokenizer.ggml.token_type", kArray, types)
      .key("tokenizer.ggml.scores", kArray, scores)
      .key("tokenizer.ggml.merges", kArray, merges)
      .build()
      .str();
}

// Seconds to open the file and to look at its whole vocabulary, the best of five.
double open_seconds(const std::filesystem::path& path, std::size_t n) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();  // processor time: other programs may be busy
    const File file = File::open(path).value();
    EXPECT_EQ(file.get_strings("tokenizer.ggml.tokens").value()->size(), n);
    EXPECT_EQ(file.get_strings("tokenizer.ggml.merges").value()->size(), n);
    EXPECT_EQ(file.get_floats("tokenizer.ggml.scores").value()->size(), n);
    EXPECT_EQ(file.get_ints("tokenizer.ggml.token_type").value()->size(), n);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

TEST(Open, OpensALargeVocabularyInLinearTime) {
  TempDirectory directory;
  constexpr int kTokens = 150'000;
  const double once = open_seconds(directory.write("n.gguf", vocabulary_file(kTokens)), kTokens);
  const double twice = open_seconds(directory.write("2n.gguf", vocabulary_file(2 * kTokens)), 2 * kTokens);
  EXPECT_LT(once, 3.0) << "wanted 0.3 s on an idle machine";
  EXPECT_LT(twice, 4 * once + 0.01);
  RecordProperty("seconds_for_150000_tokens", std::to_string(once));
}

}  // namespace
}  // namespace puna::gguf::test
