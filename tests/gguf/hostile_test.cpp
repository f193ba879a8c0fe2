// Files that broke other engines, and their kin: each is refused with one line that names the thing.
#include <gmock/gmock.h>

#include <chrono>

#include "base/os.h"
#include "bytes.h"

namespace puna::gguf::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

FileBuilder one_tensor(std::vector<std::uint64_t> ne, std::uint32_t type = kF32Tensor, std::uint64_t offset = 0) {
  return FileBuilder().tensor("t", std::move(ne), type, offset).data(std::string(256, '\0'));
}
FileBuilder one_key(std::string_view name, std::uint32_t type, const Bytes& value) {
  return FileBuilder().key(name, type, value);
}

TEST(Hostile, RefusesAZeroDimension) {  // a division by zero in an overflow check
  EXPECT_EQ(refusal(one_tensor({4, 0}).build()), "m.gguf: tensor 't': dimension 1 is 0, wanted 1 or more and below 2^63");
  EXPECT_THAT(refusal(one_tensor({0}).build()), HasSubstr("dimension 0 is 0"));
}

TEST(Hostile, RefusesANegativeDimension) {
  EXPECT_THAT(refusal(one_tensor({UINT64_MAX}).build()), HasSubstr("tensor 't': dimension 0"));
  EXPECT_THAT(refusal(one_tensor({4, kHuge}).build()), HasSubstr("tensor 't': dimension 1"));
}

TEST(Hostile, RefusesAnEmptyKeyAndAnEmptyTensorName) {
  EXPECT_EQ(refusal(one_key("", kU32, Bytes().u32(1)).build()), "m.gguf: key number 1: has an empty name");
  EXPECT_EQ(refusal(FileBuilder().tensor("", {1}, kF32Tensor, 0).data("abcd").build()),
            "m.gguf: tensor number 1: has an empty name");
}

TEST(Hostile, RefusesATensorWhoseSizeWrapsAround) {
  EXPECT_THAT(refusal(one_tensor({1152, (std::uint64_t{1} << 42) + 1}).build()), HasSubstr("tensor 't'"));
  EXPECT_THAT(refusal(one_tensor({1152, std::uint64_t{1} << 62}).build()), HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(refusal(one_tensor({std::uint64_t{1} << 32, std::uint64_t{1} << 32}).build()),
              HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(refusal(one_tensor({1u << 16, 1u << 16, 1u << 16, 1u << 16}).build()), HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(refusal(one_tensor({std::uint64_t{1} << 62}).build()), HasSubstr("more than 2^63 bytes"));
  EXPECT_THAT(refusal(one_tensor({std::uint64_t{1} << 62}, kQ8_0Tensor).build()), HasSubstr("tensor 't'"));
}

TEST(Hostile, RefusesTensorsWhoseSizesWrapOnlyInTheirSum) {
  FileBuilder file;
  for (int i = 0; i < 4; ++i)
    file.tensor(fmt::format("t{}", i), {std::uint64_t{1} << 60}, kF32Tensor, i * (std::uint64_t{1} << 62));
  EXPECT_THAT(refusal(file.data(std::string(256, '\0')).build()), HasSubstr("tensor 't0' needs 4611686018427387904 bytes"));
}

TEST(Hostile, RefusesAnOffsetThatWrapsAround) {
  EXPECT_THAT(refusal(one_tensor({64}, kF32Tensor, UINT64_MAX - 31).build()),
              AllOf(HasSubstr("tensor 't' needs 256 bytes"), HasSubstr("has 256")));
}

TEST(Hostile, RefusesLengthsBeyondTheFile) {
  EXPECT_THAT(refusal(Bytes().raw("GGUF").u32(3).u64(0).u64(1).u64(kHuge)),
              HasSubstr("claims 1 keys, but has only 8 bytes left"));
  Bytes long_key;
  long_key.raw("GGUF").u32(3).u64(0).u64(1).u64(kHuge).zeros(64);
  EXPECT_THAT(refusal(long_key), HasSubstr("key number 1: its name needs 9223372036854775808 bytes, 64 are left"));
  EXPECT_THAT(refusal(one_key("k", kString, Bytes().u64(UINT64_MAX).raw("abc")).build()), HasSubstr("key 'k': its value needs"));
}

TEST(Hostile, RefusesArraysLongerThanTheFile) {
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kArray).u64(kHuge)).build()), HasSubstr("key 'k': is an array of arrays"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kString).u64(kHuge)).build()),
              HasSubstr("key 'k': claims 9223372036854775808 elements"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kU64).u64((std::uint64_t{1} << 61) + 1)).build()),
              HasSubstr("key 'k': claims"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kBool).u64(kHuge)).build()), HasSubstr("key 'k': its value needs"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kString).u64(2).text("a").u64(1000)).build()),
              HasSubstr("key 'k': a string in it needs 1000 bytes"));
}

TEST(Hostile, RefusesCountsBeyondTheFile) {
  FileBuilder file = small_model();
  file.n_keys = kHuge;
  EXPECT_THAT(refusal(file.build()), HasSubstr("claims 9223372036854775808 keys"));
  file.n_keys.reset();
  file.n_tensors = UINT64_MAX / 64;
  EXPECT_THAT(refusal(file.build()), HasSubstr("claims 288230376151711743 tensors"));
  file.n_tensors = 3;
  EXPECT_THAT(refusal(file.build()), HasSubstr("tensor number 3"));
}

TEST(Hostile, RefusesAnArrayInsideAnArray) {
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kArray).u64(1).u32(kU8).u64(1).raw("x")).build()),
              HasSubstr("key 'k': is an array of arrays"));
}

TEST(Hostile, RefusesValueTypesThatDoNotExist) {
  EXPECT_THAT(refusal(one_key("k", 13, Bytes().u64(0)).build()),
              HasSubstr("key 'k': its type is 13, which the format does not have"));
  EXPECT_THAT(refusal(one_key("k", UINT32_MAX, Bytes().u64(0)).build()), HasSubstr("key 'k': its type is 4294967295"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(99).u64(0)).build()), HasSubstr("key 'k': the element type is 99"));
}

TEST(Hostile, RefusesABoolThatIsNeitherTrueNorFalse) {
  EXPECT_THAT(refusal(one_key("k", kBool, Bytes().raw("\x02")).build()), HasSubstr("key 'k': holds 2 where a bool is 0 or 1"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kBool).u64(2).raw("\x01\xff")).build()), HasSubstr("key 'k': holds 255"));
}

TEST(Hostile, RefusesRepeatedNames) {
  EXPECT_EQ(refusal(FileBuilder().u32("k", 1).u32("k", 2).build()), "m.gguf: key 'k': is there twice");
  EXPECT_EQ(
      refusal(FileBuilder().tensor("t", {1}, kF32Tensor, 0).tensor("t", {1}, kF32Tensor, 32).data(std::string(64, 'x')).build()),
      "m.gguf: tensor 't': is there twice");
}

TEST(Hostile, RefusesMoreThanFourDimensions) {
  EXPECT_THAT(refusal(one_tensor({1, 1, 1, 1, 1}).build()), HasSubstr("tensor 't': has 5 dimensions"));
  Bytes many;
  many.raw("GGUF").u32(3).u64(1).u64(0).text("t").u32(UINT32_MAX).zeros(64);
  EXPECT_THAT(refusal(many), HasSubstr("tensor 't': has 4294967295 dimensions"));
}

TEST(Hostile, NamesTensorTypesThatItDoesNotHave) {
  const Bytes bytes = one_tensor({256}, kIQ2_XXSTensor).build();
  const auto file = parse(bytes);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(file.error().message, "m.gguf: tensor 't': its type is IQ2_XXS (16), which puna does not compute with");
  EXPECT_THAT(file.error().hint, HasSubstr("Q4_K"));
  EXPECT_THAT(refusal(one_tensor({256}, 4).build()), HasSubstr("tensor 't': its type is Q4_2 (4)"));
  EXPECT_THAT(refusal(one_tensor({256}, 0x7FFFFFFF).build()), HasSubstr("tensor 't': its type is unknown (2147483647)"));
  EXPECT_THAT(refusal(one_tensor({256}, UINT32_MAX).build()), HasSubstr("tensor 't': its type is unknown (4294967295)"));
}

// A file can be looked at although this engine cannot compute with it; all that is not its types is checked as ever.
TEST(Hostile, ListsTensorTypesThatItDoesNotHaveWhenAsked) {
  FileBuilder builder;
  builder.tensor("a", {4}, kF32Tensor, 0).tensor("b", {256, 2}, kIQ2_XXSTensor, 32).tensor("c", {8}, 12345, 64);
  const Bytes bytes = builder.data(std::string(256, '\0')).build();
  const File file = parse(bytes, {.check_tensors = true, .any_type = true}).value();
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.find_tensor("a")->foreign_type, std::nullopt);
  EXPECT_EQ(file.find_tensor("b")->foreign_type, 16u);
  EXPECT_EQ(file.find_tensor("b")->data, nullptr);
  EXPECT_EQ(file.find_tensor("b")->ne[1], 2);
  EXPECT_EQ(file.find_tensor("c")->foreign_type, 12345u);

  const auto refused = [](const FileBuilder& wrong) { return refusal(wrong.build(), {.any_type = true}); };
  EXPECT_THAT(refused(one_tensor({4, 0}, kIQ2_XXSTensor)), HasSubstr("dimension 1 is 0"));
  EXPECT_THAT(refused(one_tensor({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, kIQ2_XXSTensor)), HasSubstr("2^63 elements"));
  EXPECT_THAT(refused(one_tensor({256}, kIQ2_XXSTensor, 7)), HasSubstr("no multiple of the alignment"));
  EXPECT_THAT(refused(one_tensor({256}, kIQ2_XXSTensor, 1u << 20)), HasSubstr("tensor 't' needs 0 bytes at offset 1048576"));
  EXPECT_THAT(refused(FileBuilder().tensor("a", {64}, kF32Tensor, 0).tensor("b", {256}, 16, 32).data(std::string(256, '\0'))),
              HasSubstr("overlap"));
}

TEST(Hostile, RefusesRowsThatAreNoWholeBlocks) {
  EXPECT_EQ(refusal(one_tensor({48}, kQ4_0Tensor).build()),
            "m.gguf: tensor 't': a row of 48 elements is no whole number of Q4_0 blocks of 32");
  EXPECT_THAT(refusal(one_tensor({128, 2}, kQ4_KTensor).build()), HasSubstr("tensor 't': a row of 128"));
  EXPECT_THAT(refusal(one_tensor({}, kQ4_0Tensor).build()), HasSubstr("tensor 't': a row of 1"));
}

TEST(Hostile, RefusesDataPastTheEndOfTheFile) {  // the read beyond it once leaked memory into a written model
  const Bytes whole = small_model().build();
  Bytes cut;
  cut.raw(std::string_view(whole.str()).substr(0, whole.size() - 1));
  const auto file = parse(cut);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "m.gguf: tensor 'b.bias' needs 16 bytes at offset 32 of the data, which has 47");
  EXPECT_THAT(file.error().hint, HasSubstr("cut short"));
  EXPECT_THAT(refusal(one_tensor({1}, kF32Tensor, 1u << 20).build()), HasSubstr("tensor 't' needs 4 bytes at offset 1048576"));
}

TEST(Hostile, RefusesEveryTruncationOfARightFile) {
  const Bytes whole = small_model().build();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    Bytes cut;
    cut.raw(std::string_view(whole.str()).substr(0, n));
    EXPECT_THAT(refusal(cut), Not("")) << "cut to " << n << " bytes";
  }
}

TEST(Hostile, RefusesAnOffsetThatIsNotAligned) {
  EXPECT_EQ(refusal(one_tensor({1}, kF32Tensor, 4).build()),
            "m.gguf: tensor 't': its offset 4 is no multiple of the alignment 32");
}

TEST(Hostile, RefusesTensorsThatOverlap) {
  const Bytes bytes =
      FileBuilder().tensor("a", {16}, kF32Tensor, 0).tensor("b", {1}, kF32Tensor, 32).data(std::string(64, '\0')).build();
  EXPECT_EQ(refusal(bytes), "m.gguf: tensors 'a' and 'b' overlap: the first ends at offset 64, the second begins at 32");
  EXPECT_THAT(refusal(FileBuilder().tensor("a", {1}, kF32Tensor, 0).tensor("b", {1}, kF32Tensor, 0).data("abcd").build()),
              HasSubstr("overlap"));
}

TEST(Hostile, RefusesAnAlignmentThatIsNone) {
  for (const std::uint32_t alignment : {0u, 1u, 3u, 4u, 48u, 131072u, 1u << 31, UINT32_MAX})
    EXPECT_THAT(refusal(FileBuilder().u32("general.alignment", alignment).build()),
                HasSubstr("key 'general.alignment' is " + std::to_string(alignment) + ", wanted a power of two"));
}

TEST(Hostile, RefusesAnAlignmentOfAnotherType) {
  EXPECT_EQ(refusal(one_key("general.alignment", kI32, Bytes().u32(32)).build()),
            "m.gguf: key 'general.alignment' is i32, wanted u32");
  EXPECT_THAT(refusal(one_key("general.alignment", kString, Bytes().text("32")).build()),
              HasSubstr("'general.alignment' is string"));
  EXPECT_THAT(refusal(one_key("general.alignment", kArray, Bytes().u32(kU32).u64(1).u32(32)).build()),
              HasSubstr("is array of u32"));
}

TEST(Hostile, NamesTheKeyOfAVocabularyListOfAnotherType) {  // scores read as floats ran three times past the buffer
  const Bytes bytes = FileBuilder()
                          .key("tokenizer.ggml.scores", kArray, Bytes().u32(kU8).u64(4).raw("abcd"))
                          .key("tokenizer.ggml.token_type", kArray, Bytes().u32(kU8).u64(4).raw("\1\1\1\1"))
                          .build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.get_floats("tokenizer.ggml.scores").error().message,
            "m.gguf: key 'tokenizer.ggml.scores' holds array of u8, wanted an array of floats");
  EXPECT_THAT(file.get_ints("tokenizer.ggml.token_type").error().message,
              HasSubstr("key 'tokenizer.ggml.token_type' holds array of u8"));
  EXPECT_THAT(file.get_strings("tokenizer.ggml.scores").error().message, HasSubstr("wanted an array of strings"));
}

TEST(Hostile, RefusesVersionsAndByteOrdersThatItDoesNotRead) {
  FileBuilder file = small_model();
  file.version = 1;
  EXPECT_EQ(refusal(file.build()), "m.gguf: is a GGUF file of version 1, which is no longer in use; wanted 2 or 3");
  file.version = 4;
  EXPECT_EQ(refusal(file.build()), "m.gguf: is a GGUF file of version 4, wanted 2 or 3");
  file.version = 0;
  EXPECT_EQ(refusal(file.build()), "m.gguf: is a GGUF file of version 0, wanted 2 or 3");
  file.version = 0x03000000;
  EXPECT_THAT(refusal(file.build()), HasSubstr("byte-swapped"));
  EXPECT_THAT(refusal(Bytes().raw("FUGG").zeros(64)), HasSubstr("big-endian"));
}

TEST(Hostile, RefusesAVersionOneFileWithAnEmptyString) {  // which once went round for ever
  Bytes bytes;
  bytes.raw("GGUF").u32(1).u32(0).u32(1).u32(0).zeros(23);
  EXPECT_THAT(refusal(bytes), HasSubstr("version 1"));
}

TEST(Hostile, SaysWhatAnotherFileLooksLike) {
  const auto says = [](std::string_view content) { return refusal(Bytes().raw(content)); };
  EXPECT_EQ(says(""), "m.gguf: is not a GGUF file; it looks like an empty file");
  EXPECT_THAT(says("PK\x03\x04 and so on"), HasSubstr("zip archive, such as a PyTorch checkpoint"));
  EXPECT_THAT(refusal(Bytes().u64(20).raw("{\"__metadata__\":{}   }")), HasSubstr("safetensors"));
  EXPECT_THAT(says("tjgg\1\0\0\0"), HasSubstr("GGJT"));
  EXPECT_THAT(says("lmgg\1\0\0\0"), HasSubstr("GGML"));
  EXPECT_THAT(says("<!DOCTYPE html><html>"), HasSubstr("web page"));
  EXPECT_THAT(says("\n <HTML>"), HasSubstr("web page"));
  EXPECT_THAT(says("version https://git-lfs.github.com/spec/v1\noid sha256:00"), HasSubstr("Git LFS pointer"));
  EXPECT_THAT(says("{\"error\": \"Repository not found\"}"), HasSubstr("JSON"));
  EXPECT_EQ(says("something else"), "m.gguf: is not a GGUF file");
  EXPECT_EQ(says("GG"), "m.gguf: is not a GGUF file");
}

TEST(Hostile, SaysThatFilesWereJoinedWithCat) {
  const Bytes one = small_model().build();
  Bytes unpadded;
  unpadded.raw(one.str()).raw(one.str());
  EXPECT_THAT(refusal(unpadded), AllOf(HasSubstr("a second GGUF file begins at byte"), HasSubstr("joined with `cat`")));
  Bytes padded;
  padded.raw(one.str()).pad_to(32).raw(one.str());
  EXPECT_THAT(refusal(padded), HasSubstr("joined with `cat`"));
  const Bytes no_tensors = FileBuilder().u32("a", 1).build();
  Bytes after_metadata;
  after_metadata.raw(no_tensors.str()).raw(one.str());
  EXPECT_THAT(refusal(after_metadata), HasSubstr("joined with `cat`"));
}

TEST(Hostile, WritesNamesWithoutControlCharactersAndOfBoundedLength) {
  const std::string message = refusal(one_key("a\x1b[2J\n\xff", 99, Bytes().u64(0)).build());
  EXPECT_THAT(message, HasSubstr("key 'a\\x1b[2J\\x0a\\xff'"));
  EXPECT_LT(refusal(one_key(std::string(60000, 'k'), 99, Bytes().u64(0)).build()).size(), 200u);
}

TEST(Hostile, RefusesNamesBeyondTheirLimit) {
  EXPECT_THAT(refusal(one_key(std::string(65536, 'k'), kU8, Bytes().raw("x")).build()), HasSubstr("its name has 65536 bytes"));
  EXPECT_THAT(refusal(FileBuilder().tensor(std::string(1024, 't'), {1}, kF32Tensor, 0).data("abcd").build()),
              HasSubstr("its name has 1024 bytes"));
}

TEST(Hostile, RefusesMoreKeysTensorsOrTextThanAnyModelHas) {
  Bytes keys;
  keys.raw("GGUF").u32(3).u64(0).u64(65537).zeros(65537 * 14);
  EXPECT_THAT(refusal(keys), HasSubstr("at most 65536 keys are allowed"));
  Bytes tensors;
  tensors.raw("GGUF").u32(3).u64((1u << 20) + 1).u64(0).zeros(((1u << 20) + 1) * 25);
  EXPECT_THAT(refusal(tensors), HasSubstr("at most 1048576 tensors are allowed"));
  const std::string text((64u << 20) + 1, 'x');
  EXPECT_THAT(refusal(one_key("k", kString, Bytes().text(text)).build()),
              HasSubstr("key 'k': its value has 67108865 bytes, at most 67108864 are allowed"));
  EXPECT_THAT(refusal(one_key("k", kArray, Bytes().u32(kString).u64(1).text(text)).build()),
              HasSubstr("key 'k': a string in it has 67108865 bytes"));
}

TEST(Hostile, RefusesAHugeClaimInMillisecondsAndWithoutMemory) {
  const std::uint64_t before = os::peak_resident();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    FileBuilder file = small_model();
    file.n_tensors = std::uint64_t{1} << (i % 50 + 10);
    file.n_keys = std::uint64_t{1} << (i % 50 + 8);
    EXPECT_NE(refusal(file.build()), "");
    EXPECT_NE(refusal(one_key("k", kArray, Bytes().u32(kString).u64(std::uint64_t{1} << (i % 50 + 10))).build()), "");
    EXPECT_NE(refusal(one_key("k", kString, Bytes().u64(std::uint64_t{1} << (i % 50 + 10))).build()), "");
  }
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took, std::chrono::seconds(3)) << "300 files, each in less than 10 ms";
  EXPECT_LT(os::peak_resident() - before, 64u << 20);
}

}  // namespace
}  // namespace puna::gguf::test
