#include "backend/cpu/ceiling.h"

#include <array>
#include <cmath>

#include "backend/kernel_tables.h"

namespace puna::backend::cpu {
namespace {

class Ceiling : public OnEveryTable {};
PUNA_ON_EVERY_TABLE(Ceiling);

TEST_P(Ceiling, counts_the_operations_of_its_rounds) {
  std::array<float, 16> sink{};
  const std::int64_t one = table().int8_peak(1, sink.data());
  EXPECT_GT(one, 0);
  EXPECT_EQ(table().int8_peak(100, sink.data()), 100 * one);
}

TEST_P(Ceiling, multiplies_every_round) {
  std::array<float, 16> once{}, twice{};
  table().int8_peak(1, once.data());
  table().int8_peak(2, twice.data());
  EXPECT_NE(once, twice);
}

TEST_P(Ceiling, reads_every_byte) {
  std::vector<std::byte> storage(4096 + 64);
  std::byte* bytes = storage.data() + 64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64;
  alignas(64) std::array<std::uint8_t, 512> sink;
  for (const std::size_t place : {0u, 63u, 511u, 512u, 3000u, 4095u}) {
    bytes[place] = std::byte{0x40};
    table().read_bytes(bytes, 4096, sink.data());
    for (std::size_t i = 0; i < sink.size(); ++i) EXPECT_EQ(sink[i], i == place % 512 ? 0x40 : 0) << place << " at " << i;
    bytes[place] = std::byte{0};
  }
}

TEST(Ceilings, are_measured_with_all_threads_of_the_pool) {
  ThreadPool pool(2);
  const Ceilings found = measure_ceilings(*runnable_tables().back(), pool);
  EXPECT_GT(found.read_bytes_per_second, 1e8);
  EXPECT_GT(found.int8_ops_per_second, 1e8);
  EXPECT_TRUE(std::isfinite(found.read_bytes_per_second) && std::isfinite(found.int8_ops_per_second));
}

}  // namespace
}  // namespace puna::backend::cpu
