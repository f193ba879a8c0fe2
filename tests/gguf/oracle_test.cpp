// Files made by the Python package `gguf` (tools/make_gguf_cases.py), held against what that package reads in them.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/os.h"
#include "base/value.h"
#include "bytes.h"
#include "gguf/split.h"
#include "gguf/writer.h"

namespace puna::gguf::test {
namespace {

const std::filesystem::path kDirectory = std::filesystem::path(PUNA_TEST_DATA) / "gguf";

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string python_name(ValueType type) {
  switch (type) {
    case ValueType::boolean:
      return "bool";
    case ValueType::string:
    case ValueType::array:
      return std::string(name(type));
    default: {
      const std::string text(name(type));  // "u8" is "uint8" there
      return (text[0] == 'u' ? "uint" : text[0] == 'i' ? "int" : "float") + text.substr(1);
    }
  }
}

// A scalar as JSON data; a float as the double that equals it.
Value scalar(const MetaValue& value) {
  if (auto text = value.as_string()) return *text;
  if (auto truth = value.as_bool()) return *truth;
  if (auto integer = value.as_int()) return *integer;
  if (value.type() != ValueType::u64) return value.as_float().value();
  std::uint64_t natural;
  std::memcpy(&natural, value.payload().data(), sizeof natural);
  return natural;
}

template <class Element, class List>
Value list(const List& items) {
  Value result = Value::array();
  for (const auto item : items) result.push_back(static_cast<Element>(item));
  return result;
}

Value content(const MetaValue& value) {
  if (value.type() != ValueType::array) return scalar(value);
  switch (value.element_type()) {
    case ValueType::string:
      return list<std::string_view>(*value.as_strings());
    case ValueType::f32:
    case ValueType::f64:
      return list<double>(*value.as_floats());
    case ValueType::boolean:
      return list<bool>(*value.as_bools());
    case ValueType::u8:
      return list<int>(*value.as_bytes());
    case ValueType::i8:
      return list<std::int8_t>(*value.as_bytes());
    default:
      return list<std::int64_t>(*value.as_ints());
  }
}

std::string fnv1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
  return fmt::format("{:016x}", hash);
}

Value metadata_of(const File& file) {
  Value result = Value::array();
  for (const Entry& entry : file.metadata()) {
    Value types = Value::array({python_name(entry.value.type())});
    if (entry.value.type() == ValueType::array) types.push_back(python_name(entry.value.element_type()));
    result.push_back(Value::object({{"key", entry.key}, {"types", types}, {"value", content(entry.value)}}));
  }
  return result;
}

Value tensors_of(const File& file) {
  Value result = Value::array();
  for (const TensorInfo& tensor : file.tensors()) {
    Value shape = Value::array();
    for (int i = 0; i < tensor.n_dims; ++i) shape.push_back(tensor.ne[static_cast<std::size_t>(i)]);
    const std::uint64_t position = file.shards()[0].data_start + tensor.offset;
    result.push_back(Value::object({{"name", tensor.name},
                                    {"type", tensor::name(tensor.dtype)},
                                    {"shape", shape},
                                    {"bytes", static_cast<std::int64_t>(tensor.bytes)},
                                    {"position", static_cast<std::int64_t>(position)},
                                    {"fnv1a", fnv1a({tensor.data, tensor.bytes})}}));
  }
  return result;
}

class Oracle : public ::testing::TestWithParam<std::string> {};

TEST_P(Oracle, ReadsTheSame) {
  const Value wanted = json::parse(os::read_file(kDirectory / (GetParam() + ".json")).value()).value();
  const std::string bytes = read_all(kDirectory / (GetParam() + ".gguf"));
  const auto file = File::parse(std::as_bytes(std::span(bytes)), GetParam());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*wanted.find("version")->if_int(), file->version());
  EXPECT_EQ(*wanted.find("alignment")->if_int(), static_cast<std::int64_t>(file->alignment()));
  EXPECT_EQ(json::write(*wanted.find("metadata"), {1}), json::write(metadata_of(*file), {1}));
  EXPECT_EQ(json::write(*wanted.find("tensors"), {1}), json::write(tensors_of(*file), {1}));
}

TEST_P(Oracle, WritesTheSameBytes) {
  const std::string bytes = read_all(kDirectory / (GetParam() + ".gguf"));
  const File file = File::parse(std::as_bytes(std::span(bytes)), GetParam()).value();
  EXPECT_EQ(as_text(Writer::copy_of(file).bytes().value()), bytes);
}

// The writer lays a file out as the package does, so that laying out anew changes nothing either.
TEST_P(Oracle, LaysOutTheSameBytes) {
  const std::string bytes = read_all(kDirectory / (GetParam() + ".gguf"));
  const File file = File::parse(std::as_bytes(std::span(bytes)), GetParam()).value();
  Writer writer(file.version());
  for (const Entry& entry : file.metadata()) writer.set(entry.key, entry.value);
  for (const TensorInfo& tensor : file.tensors())
    writer.add_tensor({std::string(tensor.name), tensor.dtype, tensor.n_dims, tensor.ne, {}}, {tensor.data, tensor.bytes});
  EXPECT_EQ(as_text(writer.bytes().value()), bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, Oracle, ::testing::ValuesIn(cases()), [](const auto& file) {
  std::string name = file.param;
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(OracleSplit, HoldsTheTensorsOfTheWholeFile) {
  const File whole = File::open(kDirectory / "everything.gguf").value();
  const File set = File::open(kDirectory / shard_name("split", 3, 4)).value();
  EXPECT_EQ(set.get_string("general.name").value(), "in parts");
  ASSERT_EQ(set.tensors().size(), whole.tensors().size());
  for (const TensorInfo& tensor : whole.tensors()) {
    const TensorInfo* part = set.find_tensor(tensor.name);
    ASSERT_NE(part, nullptr) << tensor.name;
    EXPECT_EQ(as_text({part->data, part->bytes}), as_text({tensor.data, tensor.bytes})) << tensor.name;
  }
}

}  // namespace
}  // namespace puna::gguf::test
