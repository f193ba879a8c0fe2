// Who computes what of a step's attention can't be seen in the bits.
#include "backend/cpu/attend_step.h"

#include <numeric>

#include "backend/paged_store.h"

namespace puna::backend::cpu {
namespace {

// Some sequences in one store, with a step of each.
struct Step {
  static constexpr std::int64_t kHeadDim = 32, kKvHeads = 2, kBlockTokens = 32;
  std::int64_t group, window;
  std::vector<SequenceRows> sequences;
  std::vector<std::vector<std::uint32_t>> tables;
  PagedStore store;
  std::vector<float> q;

  Step(std::int64_t group_size, std::int64_t window_size, const std::vector<SequenceRows>& lengths)
      : group(group_size),
        window(window_size),
        sequences(lengths),
        store({kKvHeads, kHeadDim, kBlockTokens}, tensor::DType::F16, tensor::DType::Q8_0, n_blocks(lengths)) {
    Numbers numbers(3);
    std::uint32_t block = 0;
    std::int64_t n_rows = 0;
    for (const SequenceRows& own : sequences) {
      auto& table = tables.emplace_back();
      for (std::int64_t p = 0; p < own.start + own.n_rows; ++p) {
        if (p % kBlockTokens == 0) table.push_back(block++);
        const std::vector<float> k = numbers.take(kKvHeads * kHeadDim, 2.0f), v = numbers.take(kKvHeads * kHeadDim);
        plain_table().kv_write(store.view, table.back(), p % kBlockTokens, k.data(), v.data());
      }
      n_rows += own.n_rows;
    }
    q = numbers.take(n_rows * row_floats(), 2.0f);
  }

  static std::int64_t n_blocks(const std::vector<SequenceRows>& lengths) {
    std::int64_t n = 0;
    for (const SequenceRows& own : lengths) n += (own.start + own.n_rows + kBlockTokens - 1) / kBlockTokens;
    return n;
  }
  std::int64_t row_floats() const { return kKvHeads * group * kHeadDim; }

  // `room`: partial sums of so many (row, head) pairs for every tile that could be; 0: what the program would take.
  std::vector<float> run(int n_threads, std::size_t room) const {
    ThreadPool pool(n_threads);
    std::vector<float> out(q.size());
    std::vector<const std::uint32_t*> blocks;
    for (const auto& table : tables) blocks.push_back(table.data());
    const std::size_t scratch_bytes = (attend_scratch(kHeadDim, group) + 63) / 64 * 64;
    const Memory scratch(static_cast<std::int64_t>(scratch_bytes) * n_threads, std::byte{0xFF});
    std::vector<float> partials(room > 0 ? room * static_cast<std::size_t>(attend_partial_floats(kHeadDim))
                                         : attend_partials_floats(kHeadDim, group, n_threads));
    attend({.kernels = *runnable_tables().back(),
            .pool = pool,
            .sequences = sequences,
            .block_tables = blocks.data(),
            .shared = {.store = store.view,
                       .blocks = nullptr,
                       .rows = {},
                       .kv_head = 0,
                       .group = group,
                       .q = q.data(),
                       .out = out.data(),
                       .row_floats = row_floats(),
                       .scale = 0.2f,
                       .soft_cap = 0,
                       .window = window,
                       .scratch = nullptr},
            .scratch = scratch.data(),
            .scratch_bytes = scratch_bytes,
            .partials = partials});
    return out;
  }
};

TEST(AttendStep, ThreadsAndRoomCannotBeSeen) {
  const Step steps[] = {
      {3, 0, {{0, 1, 2900}}},                                 // one row far into its text
      {3, 0, {{0, 1, 0}, {1, 1, 700}, {2, 1, 1300}}},         // rows of three sequences
      {3, 0, {{0, 8, 0}, {8, 1, 1300}}},                      // many short rows before a long one
      {6, 0, {{0, 20, 1500}}},                                // some rows
      {2, 300, {{0, 5, 1400}, {5, 1, 255}, {6, 1, 256}}},     // a window, over the edges of chunks
      {30, 0, {{0, 2, 800}}},                                 // a group wider than a tile
      {3, 0, {{0, 200, 100}, {200, 1, 1000}, {201, 33, 0}}},  // enough to be dealt whole
  };
  for (const Step& step : steps) {
    const std::vector<float> expected = step.run(1, 0);
    for (const int n_threads : {2, 3}) EXPECT_TRUE(same_bits(expected, step.run(n_threads, 0))) << n_threads << " threads";
    // Two places for each of as many tiles as are ever cut: one chunk a round.
    EXPECT_TRUE(
        same_bits(expected, step.run(3, std::size_t{12 * 2} * static_cast<std::size_t>(std::max<std::int64_t>(24, step.group)))));
  }
}

}  // namespace
}  // namespace puna::backend::cpu
