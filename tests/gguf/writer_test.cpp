// What is written reads back; what was read and is written back is the same file.
#include "gguf/writer.h"

#include <gmock/gmock.h>

#include "base/check.h"
#include "bytes.h"

namespace puna::gguf::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string copied(const Bytes& bytes) {
  const File file = parse(bytes).value();
  return as_text(Writer::copy_of(file).bytes().value());
}

// The writer's output, parsed; the bytes live as long as this.
struct Written {
  std::vector<std::byte> bytes;
  File file;
};
Written written(const Writer& writer) {
  auto bytes = writer.bytes().value();
  File file = File::parse(bytes, "w.gguf").value();
  return {std::move(bytes), std::move(file)};
}

TEST(Writer, WritesBackWhatItRead) {
  const Bytes bytes = small_model().build();
  EXPECT_EQ(copied(bytes), bytes.str());
}

TEST(Writer, WritesBackEveryValueType) {
  FileBuilder builder;
  const std::uint32_t numbers[] = {kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kU64, kI64, kF64};
  for (const std::uint32_t type : numbers) {
    const std::size_t width = *gguf::width(static_cast<ValueType>(type));
    builder.key(fmt::format("scalar.{}", type), type, Bytes().zeros(width));
    builder.key(fmt::format("array.{}", type), kArray, Bytes().u32(type).u64(3).zeros(3 * width));
  }
  builder.string("text", "x").key("texts", kArray, Bytes().u32(kString).u64(2).text("").text("two"));
  const Bytes bytes = builder.build();
  EXPECT_EQ(copied(bytes), bytes.str());
}

TEST(Writer, WritesVersionTwoBackAsVersionTwo) {
  FileBuilder builder = small_model();
  builder.version = 2;
  const Bytes bytes = builder.build();
  EXPECT_EQ(copied(bytes), bytes.str());
}

TEST(Writer, KeepsOffsetsGapsPaddingAndTrailingBytes) {
  FileBuilder builder;
  builder.alignment = 1;
  builder.tensor("late", {2}, kF32Tensor, 96).tensor("early", {2}, kF32Tensor, 0).tensor("scalar", {}, kF32Tensor, 32);
  const Bytes header = builder.build();
  Bytes bytes;
  bytes.raw(header.str());
  while (bytes.size() % 32 != 0) bytes.raw("p");  // padding that is not zero
  for (int i = 0; i < 150; ++i) bytes.raw(std::string(1, static_cast<char>('A' + i % 26)));
  EXPECT_EQ(copied(bytes), bytes.str());
}

TEST(Writer, WritesBackAFileThatEndsBeforeItsDataSection) {
  FileBuilder builder;
  builder.alignment = 1;
  for (const char* text : {"", "a", "abcdefgh"}) {
    const Bytes bytes = FileBuilder(builder).string("k", text).build();
    EXPECT_EQ(copied(bytes), bytes.str());
  }
}

TEST(Writer, WritesEveryKindOfValue) {
  Writer writer;
  writer.set("u8", encode(std::uint8_t{1}));
  writer.set("i64", encode(std::int64_t{-7}));
  writer.set("f32", encode(1.5f));
  writer.set("f64", encode(0.1));
  writer.set("bool", encode(true));
  writer.set("text", encode("Grüße"));
  writer.set("strings", encode_strings(std::vector<std::string>{"a", "", "ccc"}));
  writer.set("views", encode_strings(std::vector<std::string_view>{"x", "yy"}));
  writer.set("ints", encode_ints(std::vector<std::int32_t>{1, -2}));
  writer.set("floats", encode_floats(std::vector<float>{0.5f, -3.0f}));
  writer.set("bytes", encode_bytes(std::vector<std::byte>{std::byte{9}}));
  const auto [bytes, file] = written(writer);
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.find("u8")->type(), ValueType::u8);
  EXPECT_EQ(file.get_int("i64").value(), -7);
  EXPECT_EQ(file.get_float("f32").value(), 1.5);
  EXPECT_EQ(file.get_float("f64").value(), 0.1);
  EXPECT_EQ(file.get_bool("bool").value(), true);
  EXPECT_EQ(file.get_string("text").value(), "Grüße");
  EXPECT_THAT(*file.get_strings("strings").value(), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(*file.get_strings("views").value(), ElementsAre("x", "yy"));
  EXPECT_THAT(*file.get_ints("ints").value(), ElementsAre(1, -2));
  EXPECT_THAT(*file.get_floats("floats").value(), ElementsAre(0.5f, -3.0f));
  EXPECT_THAT(*file.get_bytes("bytes").value(), ElementsAre(std::byte{9}));
}

TEST(Writer, ReplacesAKeyInItsPlaceAndRemovesKeys) {
  const Bytes bytes = FileBuilder().u32("a", 1).u32("b", 2).u32("c", 3).build();
  const File source = parse(bytes).value();
  Writer writer = Writer::copy_of(source);
  writer.set("b", encode("two"));
  EXPECT_TRUE(writer.remove("a"));
  EXPECT_FALSE(writer.remove("a"));
  writer.set("d", *source.find("c"));
  const auto [out, file] = written(writer);
  std::vector<std::string> keys;
  for (const Entry& entry : file.metadata()) keys.emplace_back(entry.key);
  EXPECT_THAT(keys, ElementsAre("b", "c", "d"));
  EXPECT_EQ(file.get_string("b").value(), "two");
  EXPECT_EQ(file.get_int("d").value(), 3);
}

TEST(Writer, KeepsTheDataOfACopyWhoseKeysChanged) {
  const Bytes bytes = small_model().build();
  const File source = parse(bytes).value();
  Writer writer = Writer::copy_of(source);
  writer.set("general.name", encode("a name that moves everything behind it"));
  const auto [out, file] = written(writer);
  for (const TensorInfo& tensor : source.tensors()) {
    const TensorInfo* copy = file.find_tensor(tensor.name);
    EXPECT_EQ(as_text({copy->data, copy->bytes}), as_text({tensor.data, tensor.bytes}));
  }
}

TEST(Writer, LaysOutNewTensorsAtTheAlignment) {
  const std::string a(40, 'a'), b(8, 'b');
  for (const std::uint32_t alignment : {8u, 32u, 4096u}) {
    Writer writer;
    writer.set("general.alignment", encode(alignment));
    writer.add_tensor({.name = "a", .n_dims = 2, .ne = {5, 2, 1, 1}}, std::as_bytes(std::span(a)));
    writer.add_tensor({.name = "b", .dtype = tensor::DType::F16, .ne = {4, 1, 1, 1}}, std::as_bytes(std::span(b)));
    const auto [bytes, file] = written(writer);
    EXPECT_EQ(file.alignment(), alignment);
    EXPECT_EQ(file.shards()[0].data_start % alignment, 0u);
    EXPECT_EQ(file.find_tensor("b")->offset % alignment, 0u);
    EXPECT_EQ(as_text({file.find_tensor("a")->data, 40}), a);
    EXPECT_EQ(as_text({file.find_tensor("b")->data, 8}), b);
    EXPECT_EQ(file.find_tensor("a")->n_dims, 2);
    EXPECT_EQ(bytes.size() % alignment, 0u);
  }
}

TEST(Writer, LaysOutACopyAnewWhenItsAlignmentChanges) {
  const Bytes bytes = small_model().build();
  const File source = parse(bytes).value();
  Writer writer = Writer::copy_of(source);
  writer.set("general.alignment", encode(std::uint32_t{64}));
  const auto [out, file] = written(writer);
  EXPECT_EQ(file.find_tensor("b.bias")->offset, 64u);
  EXPECT_EQ(as_text({file.find_tensor("b.bias")->data, 16}), std::string(16, '\x01'));
}

TEST(Writer, TakesATensorPieceByPiece) {
  TempDirectory directory;
  Writer writer;
  constexpr std::int64_t kRows = 1000, kRow = 1024;  // 4 MB: more than what is gathered before it is written
  writer.add_tensor({.name = "t", .n_dims = 2, .ne = {kRow, kRows, 1, 1}, .produce = [](const Put& put) -> Result<void> {
                       for (std::int64_t row = 0; row < kRows; ++row) {
                         const std::vector<float> values(kRow, static_cast<float>(row));
                         PUNA_TRY(put(std::as_bytes(std::span(values))));
                       }
                       return {};
                     }});
  ASSERT_TRUE(writer.write(directory.path() / "t.gguf"));
  const File file = File::open(directory.path() / "t.gguf").value();
  float value = 0;
  std::memcpy(&value, file.find_tensor("t")->data + (999 * kRow + 5) * sizeof(float), sizeof value);
  EXPECT_EQ(value, 999.0f);
}

TEST(Writer, LeavesTheOldFileWhereWritingFails) {
  TempDirectory directory;
  const auto path = directory.write("t.gguf", "old");
  Writer writer;
  writer.add_tensor({.name = "t", .produce = [](const Put&) -> Result<void> { return fail(ErrorKind::cancelled, "stopped"); }});
  const auto done = writer.write(path);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(read_all(path), "old");
  const auto n_files = std::distance(std::filesystem::directory_iterator(directory.path()), {});
  EXPECT_EQ(n_files, 1) << "no part of a file stays behind";
}

TEST(Writer, NamesThePathThatItCannotWrite) {
  const auto done = Writer().write("/no/such/directory/t.gguf");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("/no/such/directory/t.gguf: cannot write"));
}

TEST(Writer, HoldsAProducerToTheSizeOfItsTensor) {
  for (const std::size_t n : {3u, 5u}) {
    Writer writer;
    const std::vector<std::byte> bytes(n);
    writer.add_tensor({.name = "t"}, bytes);
    EXPECT_THROW((void)writer.bytes(), Bug) << n << " bytes for 4";
  }
}

TEST(Writer, RefusesWhatNoFileCanHold) {
  const auto refuses = [](const TensorSpec& spec) {
    Writer writer;
    writer.add_tensor(spec, {});
    const auto bytes = writer.bytes();
    return bytes ? std::string() : bytes.error().message;
  };
  EXPECT_THAT(refuses({.name = "t", .dtype = tensor::DType::Q4_0, .ne = {33, 1, 1, 1}}), HasSubstr("tensor 't': a row of 33"));
  EXPECT_THAT(refuses({.name = "t", .ne = {0, 1, 1, 1}}), HasSubstr("tensor 't': a dimension is 0"));
  EXPECT_THAT(refuses({.name = "", .ne = {1, 1, 1, 1}}), HasSubstr("its name is empty"));
  Writer writer;
  writer.set("", encode(true));
  EXPECT_THAT(writer.bytes().error().message, HasSubstr("key '' has 0 bytes"));
  Writer odd;
  odd.set("general.alignment", encode(std::uint32_t{12}));
  EXPECT_THAT(odd.bytes().error().message, HasSubstr("'general.alignment' is 12"));
}

TEST(Writer, CopiesAFileOpenedForItsMetadataWithoutItsTensors) {
  const Bytes bytes = small_model().build();
  const File source = parse(bytes, {.metadata_only = true}).value();
  const auto [out, file] = written(Writer::copy_of(source));
  EXPECT_EQ(file.get_int("llama.block_count").value(), 2);
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_LT(out.size(), bytes.size());
}

}  // namespace
}  // namespace puna::gguf::test
