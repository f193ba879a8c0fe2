// Models in several files: any of them opens all.
#include "gguf/split.h"

#include <gmock/gmock.h>

#include "bytes.h"
#include "gguf/writer.h"

namespace puna::gguf::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Part `number` of three, as splitters write them: the first has the metadata and no tensor, the others one each.
FileBuilder part(int number, int count = 3, std::int32_t n_tensors = 2) {
  FileBuilder file;
  if (number == 1) file.string("general.architecture", "llama");
  file.u16("split.no", static_cast<std::uint16_t>(number - 1)).u16("split.count", static_cast<std::uint16_t>(count));
  file.key("split.tensors.count", kI32, Bytes().number(n_tensors));
  if (number > 1) {
    file.tensor(fmt::format("t{}", number), {8}, kF32Tensor, 0);
    file.data(std::string(32, static_cast<char>('a' + number)));
  }
  return file;
}

void write_set(const TempDirectory& directory) {
  for (int number = 1; number <= 3; ++number) directory.write(shard_name("m", number, 3), part(number).build().str());
}

TEST(ShardName, IsReadAndWritten) {
  EXPECT_EQ(shard_name("model", 2, 12), "model-00002-of-00012.gguf");
  const auto name = parse_shard_name("my-model-00002-of-00012.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "my-model");
  EXPECT_EQ(name->number, 2);
  EXPECT_EQ(name->count, 12);
}

TEST(ShardName, IsNotSeenInOtherNames) {
  for (const char* name :
       {"", "model.gguf", "-00001-of-00003.gguf", "m-00001-of-00003.bin", "m-00000-of-00003.gguf", "m-00004-of-00003.gguf",
        "m-1-of-3.gguf", "m-0000x-of-00003.gguf", "m_00001-of-00003.gguf", "m-00001_of-00003.gguf", "m--0001-of-00003.gguf"})
    EXPECT_FALSE(parse_shard_name(name)) << name;
}

TEST(Split, OpensTheSetFromAnyPart) {
  TempDirectory directory;
  write_set(directory);
  for (int number = 1; number <= 3; ++number) {
    const auto file = File::open(directory.path() / shard_name("m", number, 3));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->get_string("general.architecture").value(), "llama") << "metadata come from the first part";
    ASSERT_EQ(file->tensors().size(), 2u);
    EXPECT_EQ(file->tensors()[0].name, "t2");
    EXPECT_EQ(file->tensors()[0].shard, 1u);
    EXPECT_EQ(as_text({file->find_tensor("t3")->data, 32}), std::string(32, 'd'));
    EXPECT_EQ(file->shards().size(), 3u);
  }
}

TEST(Split, OpensTheSetByARelativeNameAndWithoutMmap) {
  TempDirectory directory;
  write_set(directory);
  const auto old = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto file = File::open("m-00003-of-00003.gguf", {.use_mmap = false});
  std::filesystem::current_path(old);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->tensors().size(), 2u);
}

TEST(Split, NamesTheMissingParts) {
  TempDirectory directory;
  write_set(directory);
  std::filesystem::remove(directory.path() / "m-00002-of-00003.gguf");
  for (int number : {1, 3}) {
    const auto file = File::open(directory.path() / shard_name("m", number, 3));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::not_found);
    EXPECT_THAT(file.error().message,
                AllOf(HasSubstr("1 of the 3 files"), HasSubstr("m-00002-of-00003.gguf"), Not(HasSubstr("00001-of"))));
  }
}

TEST(Split, NamesAFewOfManyMissingParts) {
  TempDirectory directory;
  const auto path = directory.write(shard_name("m", 1, 60000), part(1, 60000).build().str());
  const auto file = File::open(path);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, AllOf(HasSubstr("59999 of the 60000"), HasSubstr("m-00009-of-60000.gguf, …")));
  EXPECT_LT(file.error().message.size(), 500u);
}

TEST(Split, NeedsOnlyTheFirstPartForTheMetadata) {
  TempDirectory directory;
  write_set(directory);
  std::filesystem::remove(directory.path() / "m-00002-of-00003.gguf");
  const auto file = File::open(directory.path() / "m-00003-of-00003.gguf", {.metadata_only = true});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->get_string("general.architecture").value(), "llama");
}

TEST(Split, RefusesAPartThatLostItsName) {
  TempDirectory directory;
  const auto path = directory.write("renamed.gguf", part(2).build().str());
  const auto file = File::open(path);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("renamed.gguf: is a part of a split model"));
  EXPECT_THAT(file.error().hint, HasSubstr("-00002-of-00003.gguf"));
}

TEST(Split, RefusesAPartInTheNameOfAnother) {
  TempDirectory directory;
  write_set(directory);
  directory.write(shard_name("m", 2, 3), part(3).build().str());
  EXPECT_THAT(File::open(directory.path() / shard_name("m", 1, 3)).error().message,
              HasSubstr("m-00002-of-00003.gguf: wanted split.no 1 and split.count 3, found 2 and 3"));
  directory.write(shard_name("m", 2, 3), small_model().build().str());
  EXPECT_THAT(File::open(directory.path() / shard_name("m", 1, 3)).error().message, HasSubstr("found no number and no number"));
}

TEST(Split, RefusesASetWithTheWrongNumberOfTensors) {
  TempDirectory directory;
  write_set(directory);
  directory.write(shard_name("m", 1, 3), part(1, 3, 5).build().str());
  EXPECT_THAT(File::open(directory.path() / shard_name("m", 1, 3)).error().message,
              HasSubstr("'split.tensors.count' is 5, but the 3 parts hold 2 tensors"));
}

TEST(Split, RefusesATensorThatTwoPartsHold) {
  TempDirectory directory;
  write_set(directory);
  FileBuilder third;
  third.u16("split.no", 2).u16("split.count", 3).tensor("t2", {1}, kF32Tensor, 0).data("abcd");
  directory.write(shard_name("m", 3, 3), third.build().str());
  EXPECT_THAT(File::open(directory.path() / shard_name("m", 1, 3)).error().message,
              HasSubstr("m-00003-of-00003.gguf: tensor 't2' is there twice"));
}

TEST(Split, NamesTheBrokenPart) {
  TempDirectory directory;
  write_set(directory);
  directory.write(shard_name("m", 3, 3), "<html>404</html>");
  EXPECT_THAT(File::open(directory.path() / shard_name("m", 1, 3)).error().message,
              HasSubstr("m-00003-of-00003.gguf: is not a GGUF file; it looks like a web page"));
}

TEST(Split, PointsFromTheWholeNameToTheParts) {
  TempDirectory directory;
  write_set(directory);
  const auto file = File::open(directory.path() / "m.gguf");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::not_found);
  EXPECT_THAT(file.error().hint, HasSubstr("'m-00001-of-00003.gguf', 'm-00002-of-00003.gguf'"));
}

TEST(Split, SaysThatPartsWereJoinedWithCat) {
  TempDirectory directory;
  const std::string all = part(1).build().str() + part(2).build().str() + part(3).build().str();
  const auto file = File::open(directory.write("joined.gguf", all));
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("joined with `cat`"));
  EXPECT_THAT(file.error().hint, HasSubstr("--merge"));
}

TEST(Split, TakesASetOfOneByAnyName) {
  TempDirectory directory;
  const auto path = directory.write("one.gguf", part(1, 1, 0).build().str());
  EXPECT_TRUE(File::open(path));
}

TEST(Split, IsWrittenAsOneFile) {
  TempDirectory directory;
  write_set(directory);
  const File set = File::open(directory.path() / shard_name("m", 1, 3)).value();
  ASSERT_TRUE(Writer::copy_of(set).write(directory.path() / "whole.gguf"));
  const File whole = File::open(directory.path() / "whole.gguf").value();
  EXPECT_EQ(whole.metadata().size(), 1u) << "the split.* keys are gone";
  EXPECT_EQ(whole.tensors().size(), 2u);
  EXPECT_EQ(as_text({whole.find_tensor("t3")->data, 32}), std::string(32, 'd'));
}

}  // namespace
}  // namespace puna::gguf::test
