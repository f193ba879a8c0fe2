// What a right file says is what a File says.
#include "gguf/reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "bytes.h"

namespace puna::gguf::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

FileBuilder all_value_types() {
  FileBuilder file;
  file.key("u8", kU8, Bytes().number(std::uint8_t{200}))
      .key("i8", kI8, Bytes().number(std::int8_t{-100}))
      .key("u16", kU16, Bytes().number(std::uint16_t{60000}))
      .key("i16", kI16, Bytes().number(std::int16_t{-30000}))
      .key("u32", kU32, Bytes().number(std::uint32_t{4'000'000'000}))
      .key("i32", kI32, Bytes().number(std::int32_t{-2'000'000'000}))
      .key("u64", kU64, Bytes().number(std::uint64_t{1} << 62))
      .key("huge", kU64, Bytes().number(UINT64_MAX))
      .key("i64", kI64, Bytes().number(std::int64_t{-5'000'000'000}))
      .key("f32", kF32, Bytes().number(0.5f))
      .key("f64", kF64, Bytes().number(0.1))
      .key("yes", kBool, Bytes().number(std::uint8_t{1}))
      .key("no", kBool, Bytes().number(std::uint8_t{0}))
      .key("text", kString, Bytes().text("Grüße"))
      .key("empty", kString, Bytes().text(""));
  file.key("strings", kArray, Bytes().u32(kString).u64(3).text("a").text("").text("ccc"))
      .key("i32s", kArray, Bytes().u32(kI32).u64(2).number(std::int32_t{-1}).number(std::int32_t{7}))
      .key("u16s", kArray, Bytes().u32(kU16).u64(1).number(std::uint16_t{65535}))
      .key("huge list", kArray, Bytes().u32(kU64).u64(1).number(UINT64_MAX))
      .key("f32s", kArray, Bytes().u32(kF32).u64(2).number(1.5f).number(-2.5f))
      .key("f64s", kArray, Bytes().u32(kF64).u64(1).number(0.25))
      .key("bools", kArray, Bytes().u32(kBool).u64(2).raw(std::string_view("\1\0", 2)))
      .key("bytes", kArray, Bytes().u32(kU8).u64(3).raw("xyz"))
      .key("nothing", kArray, Bytes().u32(kI32).u64(0));
  return file;
}

TEST(Reader, ReadsEveryScalarType) {
  const Bytes bytes = all_value_types().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.find("u8")->as_int(), 200);
  EXPECT_EQ(file.find("i8")->as_int(), -100);
  EXPECT_EQ(file.find("u16")->as_int(), 60000);
  EXPECT_EQ(file.find("i16")->as_int(), -30000);
  EXPECT_EQ(file.find("u32")->as_int(), 4'000'000'000);
  EXPECT_EQ(file.find("i32")->as_int(), -2'000'000'000);
  EXPECT_EQ(file.find("u64")->as_int(), std::int64_t{1} << 62);
  EXPECT_EQ(file.find("i64")->as_int(), -5'000'000'000);
  EXPECT_EQ(file.find("f32")->as_float(), 0.5);
  EXPECT_EQ(file.find("f64")->as_float(), 0.1);
  EXPECT_EQ(file.find("yes")->as_bool(), true);
  EXPECT_EQ(file.find("no")->as_bool(), false);
  EXPECT_EQ(file.find("text")->as_string(), "Grüße");
  EXPECT_EQ(file.find("empty")->as_string(), "");
}

TEST(Reader, ReadsEveryKindOfArray) {
  const Bytes bytes = all_value_types().build();
  const File file = parse(bytes).value();
  EXPECT_THAT(file.find("strings")->as_strings(), Optional(ElementsAre("a", "", "ccc")));
  EXPECT_THAT(file.find("strings")->as_strings(1), Optional(ElementsAre("a")));
  EXPECT_THAT(file.find("i32s")->as_ints(), Optional(ElementsAre(-1, 7)));
  EXPECT_THAT(file.find("u16s")->as_ints(), Optional(ElementsAre(65535)));
  EXPECT_THAT(file.find("f32s")->as_floats(), Optional(ElementsAre(1.5f, -2.5f)));
  EXPECT_THAT(file.find("f64s")->as_floats(), Optional(ElementsAre(0.25f)));
  EXPECT_THAT(file.find("bools")->as_bools(), Optional(ElementsAre(true, false)));
  EXPECT_EQ(as_text(file.find("bytes")->as_bytes().value()), "xyz");
  EXPECT_THAT(file.find("nothing")->as_ints(), Optional(ElementsAre()));
  EXPECT_EQ(file.find("strings")->count(), 3u);
  EXPECT_EQ(file.find("strings")->element_type(), ValueType::string);
  EXPECT_EQ(file.find("strings")->type_text(), "array of string");
}

TEST(Reader, ConvertsNothingThatWouldChangeItsMeaning) {
  const Bytes bytes = all_value_types().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.find("f32")->as_int(), std::nullopt);
  EXPECT_EQ(file.find("yes")->as_int(), std::nullopt);
  EXPECT_EQ(file.find("text")->as_int(), std::nullopt);
  EXPECT_EQ(file.find("huge")->as_int(), std::nullopt) << "2^64-1 is no int64";
  EXPECT_EQ(file.find("u8")->as_bool(), std::nullopt);
  EXPECT_EQ(file.find("text")->as_float(), std::nullopt);
  EXPECT_EQ(file.find("i32s")->as_int(), std::nullopt);
  EXPECT_EQ(file.find("i32s")->as_floats(), std::nullopt);
  EXPECT_EQ(file.find("f32s")->as_ints(), std::nullopt);
  EXPECT_EQ(file.find("bytes")->as_ints(), std::nullopt) << "8-bit arrays are bytes";
  EXPECT_EQ(file.find("huge list")->as_ints(), std::nullopt);
  EXPECT_EQ(file.find("i32s")->as_strings(), std::nullopt);
  EXPECT_EQ(file.find("i32s")->as_bytes(), std::nullopt);
  EXPECT_EQ(file.find("u8")->as_bytes(), std::nullopt);
}

TEST(Reader, TakesIntegersAsFloats) {
  const Bytes bytes = all_value_types().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.find("i8")->as_float(), -100.0);
  EXPECT_EQ(file.find("huge")->as_float(), std::pow(2.0, 64));
}

TEST(Reader, KeepsTheOrderOfKeys) {
  const Bytes bytes = FileBuilder().u32("z", 1).u32("a", 2).u32("m", 3).build();
  const File file = parse(bytes).value();
  std::vector<std::string> keys;
  for (const Entry& entry : file.metadata()) keys.emplace_back(entry.key);
  EXPECT_THAT(keys, ElementsAre("z", "a", "m"));
}

TEST(Reader, LooksUpAbsentKeysAsEmpty) {
  const Bytes bytes = small_model().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.find("no.such"), nullptr);
  EXPECT_EQ(file.get_int("no.such").value(), std::nullopt);
  EXPECT_EQ(file.get_strings("no.such").value(), std::nullopt);
}

TEST(Reader, NamesFileKeyWantedAndFoundTypeOfAWrongLookup) {
  const Bytes bytes = all_value_types().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.get_int("text").error().message, "m.gguf: key 'text' holds string, wanted an integer below 2^63");
  EXPECT_EQ(file.get_string("u8").error().message, "m.gguf: key 'u8' holds u8, wanted a string");
  EXPECT_EQ(file.get_floats("strings").error().message, "m.gguf: key 'strings' holds array of string, wanted an array of floats");
  EXPECT_EQ(file.get_bool("u8").error().message, "m.gguf: key 'u8' holds u8, wanted a bool");
  EXPECT_EQ(file.get_int("u8").value(), 200);
  EXPECT_EQ(file.get_float("f64").value(), 0.1);
  EXPECT_EQ(file.get_bool("yes").value(), true);
  EXPECT_EQ(file.get_bools("bools").value()->size(), 2u);
  EXPECT_EQ(file.get_bytes("bytes").value()->size(), 3u);
}

TEST(Reader, FindsTensorsByName) {
  const Bytes bytes = small_model().build();
  const File file = parse(bytes).value();
  ASSERT_EQ(file.tensors().size(), 2u);
  const TensorInfo* tensor = file.find_tensor("b.bias");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->dtype, tensor::DType::F32);
  EXPECT_EQ(tensor->n_dims, 1);
  EXPECT_THAT(tensor->ne, ElementsAre(4, 1, 1, 1));
  EXPECT_EQ(tensor->bytes, 16u);
  EXPECT_EQ(tensor->offset, 32u);
  EXPECT_EQ(tensor->data, bytes.span().data() + bytes.size() - 16) << "no copy is made";
  EXPECT_EQ(file.find_tensor("c"), nullptr);
}

TEST(Reader, ReadsVersionTwo) {
  FileBuilder builder = small_model();
  builder.version = 2;
  const Bytes bytes = builder.build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.version(), 2u);
  EXPECT_EQ(file.tensors().size(), 2u);
}

TEST(Reader, ReadsAnotherAlignment) {
  FileBuilder builder;
  builder.alignment = 128;
  builder.u32("general.alignment", 128).tensor("a", {1}, kF32Tensor, 0).tensor("b", {1}, kF32Tensor, 128);
  builder.data(std::string(132, '\x02'));
  const Bytes bytes = builder.build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.alignment(), 128u);
  EXPECT_EQ(file.shards()[0].data_start, 128u);
}

TEST(Reader, TakesTensorsInAnyOrderOfTheirData) {
  const Bytes bytes =
      FileBuilder().tensor("late", {2}, kF32Tensor, 32).tensor("early", {2}, kF32Tensor, 0).data(std::string(40, '\x03')).build();
  const File file = parse(bytes).value();
  EXPECT_EQ(file.tensors()[0].name, "late");
  EXPECT_LT(file.tensors()[1].data, file.tensors()[0].data);
}

TEST(Reader, TakesAFileOfMetadataAlone) {
  const Bytes bytes = FileBuilder().u32("a", 1).build();
  EXPECT_EQ(parse(bytes)->tensors().size(), 0u);
  FileBuilder unpadded;
  unpadded.alignment = 1;
  const Bytes no_padding = unpadded.u32("a", 1).build();
  EXPECT_EQ(parse(no_padding)->get_int("a").value(), 1);
}

TEST(Reader, LooksAtNoTensorWhenAskedForMetadataOnly) {
  const Bytes bytes = FileBuilder().u32("a", 1).tensor("t", {256}, kIQ2_XXSTensor, 0).build();
  EXPECT_THAT(refusal(bytes), HasSubstr("IQ2_XXS"));
  const auto file = parse(bytes, {.metadata_only = true});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->get_int("a").value(), 1);
  EXPECT_TRUE(file->tensors().empty());
}

TEST(Reader, KeepsItsViewsWhenMoved) {
  const Bytes bytes = all_value_types().tensor("t", {1}, kF32Tensor, 0).data("abcd").build();
  File first = parse(bytes, {.overrides = {"added=str:x", "text=str:y"}}).value();
  const std::string_view text = *first.find("text")->as_string();
  File second = std::move(first);
  File third = parse(bytes).value();
  third = std::move(second);
  EXPECT_EQ(text, "y");
  EXPECT_EQ(third.get_string("added").value(), "x");
  EXPECT_EQ(third.find_tensor("t")->name, "t");
}

}  // namespace
}  // namespace puna::gguf::test
