// Attention of one sequence for one KV head, by table, shape and depth. decode: bytes of keys and values read per second;
// prefill: products and sums of score and value per second (2 · 2 · head_dim for each pair and visible position).
#include <benchmark/benchmark.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "backend/cpu/kernel_table.h"

namespace puna::backend::cpu {
namespace {

struct Shape {
  const char* name;
  std::int64_t head_dim, group;
};
constexpr Shape kShapes[] = {{"smollm2-135m", 64, 3}, {"qwen2.5-1.5b", 128, 6}, {"gemma3-270m", 256, 4}, {"no-groups", 128, 1}};

struct Work {
  Shape shape;
  std::int64_t depth, rows;
};

void run(benchmark::State& state, const KernelTable& table, Work work) {
  const std::int64_t head_dim = work.shape.head_dim, block_tokens = 32, length = work.depth + work.rows;
  const std::int64_t n_blocks = (length + block_tokens - 1) / block_tokens;
  KvView view{.type = tensor::DType::F16, .n_kv_heads = 1, .head_dim = head_dim, .block_tokens = block_tokens};
  std::vector<std::uint16_t> keys(static_cast<std::size_t>(n_blocks * view.block_elements())), values(keys.size());
  view.k = reinterpret_cast<std::byte*>(keys.data());
  view.v = reinterpret_cast<std::byte*>(values.data());
  std::vector<float> q(static_cast<std::size_t>(length * work.shape.group * head_dim)), out(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::sin(static_cast<float>(i));
  std::vector<std::uint32_t> blocks(static_cast<std::size_t>(n_blocks));
  std::iota(blocks.begin(), blocks.end(), 0u);
  for (std::int64_t p = 0; p < length; ++p)
    table.kv_write(view, blocks[static_cast<std::size_t>(p / block_tokens)], p % block_tokens,
                   &q[static_cast<std::size_t>(p * head_dim)], &q[static_cast<std::size_t>(p)]);
  std::vector<std::byte> scratch(attend_scratch(head_dim, work.shape.group));
  for (auto _ : state) {
    table.attend({.store = view,
                  .blocks = blocks.data(),
                  .rows = {0, work.rows, work.depth},
                  .kv_head = 0,
                  .group = work.shape.group,
                  .q = q.data(),
                  .out = out.data(),
                  .row_floats = work.shape.group * head_dim,
                  .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
                  .soft_cap = 0,
                  .window = 0,
                  .scratch = scratch.data()});
    benchmark::ClobberMemory();
  }
  const double positions =
      static_cast<double>(work.rows) * (static_cast<double>(work.depth) + static_cast<double>(work.rows + 1) / 2);
  const double flops = positions * static_cast<double>(work.shape.group * head_dim * 4);
  using benchmark::Counter;
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  if (work.rows == 1)
    state.counters["bytes/s"] =
        Counter(positions * static_cast<double>(head_dim * 4), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

const int kRegistered = [] {
  for (const KernelTable* table : runnable_tables())
    for (const Shape& shape : kShapes)
      for (const Work& work : {Work{shape, 4095, 1}, Work{shape, 0, 512}, Work{shape, 4096, 64}}) {
        if (table->name == "scalar" && work.depth > 0) continue;
        const std::string name = std::string("attend/") + std::string(table->name) + "/" + shape.name +
                                 "/depth:" + std::to_string(work.depth) + "/rows:" + std::to_string(work.rows);
        benchmark::RegisterBenchmark(name.c_str(), [table, work](benchmark::State& state) { run(state, *table, work); });
      }
  return 0;
}();

}  // namespace
}  // namespace puna::backend::cpu
