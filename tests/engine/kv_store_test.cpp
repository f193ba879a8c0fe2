#include "engine/kv_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace puna::engine {
namespace {

constexpr std::uint32_t kBlocks = 5;

// Two layers with full attention, one of them wider, and between them one of another group.
const std::vector<graph::StoreInfo> kStores = {{.name = "blk.0", .group = 0, .n_kv_heads = 2, .head_dim = 64},
                                               {.name = "blk.1", .group = 1, .n_kv_heads = 1, .head_dim = 32},
                                               {.name = "blk.2", .group = 0, .n_kv_heads = 3, .head_dim = 80}};
const kv::Spec kSpec = {.block_tokens = 32, .groups = {{"full", 0, kBlocks}, {"window", 64, kBlocks}}};

// All heads of a layer in a block, keys and values: `fill` into them, or whether they are filled with it.
void fill(const backend::KvView& view, std::uint32_t block, int fill) {
  std::memset(view.k_head(block, 0), fill, static_cast<std::size_t>(view.k_block_bytes()));
  std::memset(view.v_head(block, 0), fill, static_cast<std::size_t>(view.v_block_bytes()));
}
bool is_filled(const backend::KvView& view, std::uint32_t block, int fill) {
  const auto all = [&](const std::byte* first, std::int64_t bytes) {
    return std::all_of(first, first + bytes, [&](std::byte b) { return b == std::byte(fill); });
  };
  return all(view.k_head(block, 0), view.k_block_bytes()) && all(view.v_head(block, 0), view.v_block_bytes());
}

int number_of(std::size_t layer, std::uint32_t block) { return static_cast<int>(10 * layer + block + 1); }

class KvStoreTest : public testing::TestWithParam<tensor::DType> {
 protected:
  void SetUp() override {
    store_ = KvStore::make(kStores, kSpec, {GetParam(), tensor::DType::F16}).value();
    for (std::size_t layer = 0; layer < kStores.size(); ++layer)
      for (std::uint32_t block = 0; block < kBlocks; ++block) fill(store_.views()[layer], block, number_of(layer, block));
  }
  KvStore store_;
};

TEST_P(KvStoreTest, NoTwoBlocksOfAnyLayersShareMemory) {
  for (std::size_t layer = 0; layer < kStores.size(); ++layer)
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      EXPECT_TRUE(is_filled(store_.views()[layer], block, number_of(layer, block))) << "layer " << layer << ", block " << block;
}

TEST_P(KvStoreTest, ACopyTakesTheBlockOfEveryLayerOfItsGroup) {
  const kv::Copy copies[] = {{.group = 0, .from = 1, .to = 4, .n_tokens = 3}};
  store_.run(copies);
  EXPECT_TRUE(is_filled(store_.views()[0], 4, number_of(0, 1)));
  EXPECT_TRUE(is_filled(store_.views()[2], 4, number_of(2, 1)));
  EXPECT_TRUE(is_filled(store_.views()[1], 4, number_of(1, 4)));
  EXPECT_TRUE(is_filled(store_.views()[0], 1, number_of(0, 1)));
}

TEST_P(KvStoreTest, CopiesRunInTheirOrder) {
  const kv::Copy copies[] = {{.group = 1, .from = 0, .to = 1, .n_tokens = 1}, {.group = 1, .from = 1, .to = 2, .n_tokens = 1}};
  store_.run(copies);
  EXPECT_TRUE(is_filled(store_.views()[1], 2, number_of(1, 0)));
}

INSTANTIATE_TEST_SUITE_P(KeyTypes, KvStoreTest, testing::Values(tensor::DType::F32, tensor::DType::F16, tensor::DType::Q8_0),
                         [](const auto& test) { return cache_type_name(test.param); });

}  // namespace
}  // namespace puna::engine
