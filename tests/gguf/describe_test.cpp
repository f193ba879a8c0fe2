// The data behind `puna gguf info --json`.
#include "gguf/describe.h"

#include <gmock/gmock.h>

#include "bytes.h"
#include "gguf/split.h"

namespace puna::gguf::test {
namespace {

TEST(Describe, TellsAllOfASmallFile) {
  const Bytes bytes = small_model().build();
  const File file = parse(bytes).value();
  EXPECT_EQ(json::write(describe(file)), R"({"path":"m.gguf","version":3,"alignment":32,"size":240,)"
                                         R"("metadata":{"general.architecture":"llama","llama.block_count":2},)"
                                         R"("tensors":[{"name":"a.weight","type":"F32","shape":[4,2],"bytes":32,"offset":0},)"
                                         R"({"name":"b.bias","type":"F32","shape":[4],"bytes":16,"offset":32}],)"
                                         R"("types":[{"type":"F32","tensors":2,"bytes":48}],"parameters":12})");
}

TEST(Describe, CountsBytesAndTensorsOfEachTypeLargestFirst) {
  const Bytes bytes = FileBuilder()
                          .tensor("a", {4}, kF32Tensor, 0)
                          .tensor("b", {32, 4}, kQ8_0Tensor, 32)
                          .tensor("c", {4}, kF32Tensor, 192)
                          .data(std::string(208, '\0'))
                          .build();
  const Value value = describe(parse(bytes).value());
  EXPECT_EQ(json::write(*value.find("types")),
            R"([{"type":"Q8_0","tensors":1,"bytes":136},{"type":"F32","tensors":2,"bytes":32}])");
  EXPECT_EQ(*value.find("parameters"), Value(136));
}

TEST(Describe, NamesTypesThatTheEngineDoesNotHaveByNumber) {
  const Bytes bytes = FileBuilder()
                          .tensor("a", {256}, kIQ2_XXSTensor, 0)
                          .tensor("b", {4}, kF32Tensor, 96)
                          .tensor("c", {2}, 12345, 128)
                          .data(std::string(160, '\0'))
                          .build();
  const Value value = describe(parse(bytes, {.any_type = true}).value());
  EXPECT_EQ(json::write(*value.find("tensors")), R"j([{"name":"a","type":"IQ2_XXS (16)","shape":[256],"offset":0},)j"
                                                 R"j({"name":"b","type":"F32","shape":[4],"bytes":16,"offset":96},)j"
                                                 R"j({"name":"c","type":"unknown (12345)","shape":[2],"offset":128}])j");
  EXPECT_EQ(json::write(*value.find("types")),
            R"j([{"type":"F32","tensors":1,"bytes":16},)j"
            R"j({"type":"IQ2_XXS (16)","tensors":1},{"type":"unknown (12345)","tensors":1}])j");
  EXPECT_EQ(*value.find("parameters"), Value(262));
}

TEST(Describe, AbbreviatesLongArrays) {
  Bytes nine, eight;
  nine.u32(kString).u64(9);
  eight.u32(kU8).u64(8).raw("abcdefgh");
  for (int i = 0; i < 9; ++i) nine.text(fmt::format("t{}", i));
  const Bytes bytes = FileBuilder().key("nine", kArray, nine).key("eight", kArray, eight).build();
  const File file = parse(bytes).value();
  EXPECT_EQ(json::write(describe(*file.find("nine"))),
            R"({"type":"string","count":9,"first":["t0","t1","t2","t3","t4","t5","t6","t7"]})");
  EXPECT_EQ(json::write(describe(*file.find("eight"))), "[97,98,99,100,101,102,103,104]");
}

TEST(Describe, WritesNumbersAsTheyAre) {
  const Bytes bytes = FileBuilder()
                          .key("eps", kF32, Bytes().number(1e-5f))
                          .key("base", kF32, Bytes().number(10000.0f))
                          .key("precise", kF64, Bytes().number(0.1))
                          .key("huge", kU64, Bytes().number(UINT64_MAX))
                          .key("negative", kI8, Bytes().number(std::int8_t{-1}))
                          .key("floats", kArray, Bytes().u32(kF32).u64(2).number(0.1f).number(-3.0f))
                          .key("bools", kArray, Bytes().u32(kBool).u64(2).raw(std::string_view("\1\0", 2)))
                          .build();
  const File file = parse(bytes).value();
  EXPECT_EQ(json::write(*describe(file).find("metadata")),
            R"({"eps":1e-05,"base":10000.0,"precise":0.1,"huge":18446744073709551615,"negative":-1,)"
            R"("floats":[0.1,-3.0],"bools":[true,false]})");
}

TEST(Describe, NamesThePartsOfASplitModel) {
  const File set = File::open(std::filesystem::path(PUNA_TEST_DATA) / "gguf" / shard_name("split", 2, 4)).value();
  const Value value = describe(set);
  EXPECT_EQ(value.find("shards")->if_array()->size(), 4u);
  EXPECT_EQ(*value.find("tensors")->if_array()->front().find("shard"), Value(1));
}

}  // namespace
}  // namespace puna::gguf::test
