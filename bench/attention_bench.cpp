// Attention of one sequence, all its KV heads one after the other on one thread, by table, shape, type and depth. One row
// (decode): bytes of keys and values read per second, beside "read", a plain sum over as many bytes; many rows (prefill):
// products and sums of score and value per second (2 · 2 · head_dim for each pair and visible position).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "backend/cpu/kernel_table.h"
#include "base/os.h"

namespace puna::backend::cpu {
namespace {

struct Shape {
  const char* name;
  std::int64_t head_dim, kv_heads, group, window;
};
constexpr Shape kShapes[] = {
    {"smollm2-135m", 64, 3, 3, 0}, {"qwen2.5-1.5b", 128, 2, 6, 0}, {"gemma3-270m", 256, 1, 4, 512}, {"no-groups", 128, 2, 1, 0}};

struct Work {
  Shape shape;
  tensor::DType type;
  std::int64_t depth, rows;
  std::int64_t layers = 1;  // as many stores, one after the other: more than the caches hold
};

class Layers {
 public:
  Layers(const KernelTable& table, const Work& work) : work_(work) {
    const Shape& shape = work.shape;
    const std::int64_t length = work.depth + work.rows, n_blocks = (length + kBlockTokens - 1) / kBlockTokens;
    blocks_.resize(static_cast<std::size_t>(n_blocks));
    std::iota(blocks_.begin(), blocks_.end(), 0u);
    view_ = kv_view({shape.kv_heads, shape.head_dim, kBlockTokens}, work.type, work.type);
    const auto bytes = static_cast<std::size_t>(n_blocks * (view_.k_block_bytes() + view_.v_block_bytes()));
    for (std::int64_t layer = 0; layer < work.layers; ++layer) memory_.push_back(*os::Reservation::make(bytes));
    numbers_.resize(
        static_cast<std::size_t>(std::max(length + shape.head_dim * shape.kv_heads, row_floats()) + work.rows * row_floats()));
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = std::sin(static_cast<float>(i));
    out_.resize(static_cast<std::size_t>(work.rows * row_floats()));
    for (std::int64_t layer = 0; layer < work.layers; ++layer)
      for (std::int64_t p = 0; p < length; ++p)
        table.kv_write(view(layer), static_cast<std::uint32_t>(p / kBlockTokens), p % kBlockTokens,
                       &numbers_[static_cast<std::size_t>(p)], &numbers_[static_cast<std::size_t>(length - p)]);
    scratch_.resize(attend_scratch(shape.head_dim, shape.group) / sizeof(Line) + 1);
  }

  void attend(const KernelTable& table, std::int64_t layer) {
    for (std::int64_t head = 0; head < work_.shape.kv_heads; ++head)
      table.attend({.store = view(layer),
                    .blocks = blocks_.data(),
                    .rows = {0, work_.rows, work_.depth},
                    .kv_head = head,
                    .group = work_.shape.group,
                    .q = numbers_.data(),
                    .out = out_.data(),
                    .row_floats = row_floats(),
                    .scale = 1 / std::sqrt(static_cast<float>(work_.shape.head_dim)),
                    .soft_cap = 0,
                    .window = work_.shape.window,
                    .scratch = scratch_[0].bytes});
  }

  // Of one layer, what a pass over everything reads.
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_[0].size()); }
  const std::byte* data(std::int64_t layer) const { return memory_[static_cast<std::size_t>(layer)].data(); }

 private:
  static constexpr std::int64_t kBlockTokens = 32;
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::int64_t row_floats() const { return work_.shape.kv_heads * work_.shape.group * work_.shape.head_dim; }
  KvView view(std::int64_t layer) const {
    KvView view = view_;
    view.k = memory_[static_cast<std::size_t>(layer)].data();
    view.v = view.k + static_cast<std::int64_t>(blocks_.size()) * view.k_block_bytes();
    return view;
  }

  Work work_;
  KvView view_;
  std::vector<os::Reservation> memory_;
  std::vector<std::uint32_t> blocks_;
  std::vector<float> numbers_, out_;
  std::vector<Line> scratch_;
};

void attend(benchmark::State& state, const KernelTable& table, const Work& work) {
  Layers layers(table, work);
  for (auto _ : state)
    for (std::int64_t layer = 0; layer < work.layers; ++layer) {
      layers.attend(table, layer);
      benchmark::ClobberMemory();
    }
  double positions = 0;
  for (std::int64_t row = work.depth; row < work.depth + work.rows; ++row)
    positions += static_cast<double>(work.shape.window > 0 ? std::min(row + 1, work.shape.window) : row + 1);
  const double flops =
      positions * static_cast<double>(work.layers * work.shape.kv_heads * work.shape.group * work.shape.head_dim * 4);
  using benchmark::Counter;
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  if (work.rows == 1 && work.shape.window == 0)
    state.counters["bytes/s"] =
        Counter(static_cast<double>(work.layers * layers.bytes()), Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

// The roof of decoding: the same bytes, only added up.
void read_only(benchmark::State& state, const Work& work) {
  const Layers layers(*runnable_tables().back(), work);
  for (auto _ : state) {
    std::uint64_t sums[8] = {};
    for (std::int64_t layer = 0; layer < work.layers; ++layer) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(layers.data(layer));
      for (std::int64_t i = 0; i + 8 <= layers.bytes() / 8; i += 8)
        for (int lane = 0; lane < 8; ++lane) sums[lane] += words[i + lane];
    }
    benchmark::DoNotOptimize(sums);
  }
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(work.layers * layers.bytes()),
                                                 benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

const int kRegistered = [] {
  constexpr std::int64_t kFarLayers = 24;  // of Qwen's shape in f16: 200 MB
  for (const Shape& shape : kShapes) {
    const Work far{shape, tensor::DType::F16, 4095, 1, kFarLayers};
    benchmark::RegisterBenchmark((std::string("read/") + shape.name).c_str(),
                                 [far](benchmark::State& state) { read_only(state, far); });
    for (const KernelTable* table : runnable_tables())
      for (const tensor::DType type : kKvTypes)
        for (const Work& work :
             {Work{shape, type, 4095, 1, kFarLayers}, Work{shape, type, 0, 512}, Work{shape, type, 4096, 96}}) {
          if (table->name == "scalar") continue;
          const std::string name = std::string("attend/") + std::string(table->name) + "/" + shape.name + "/" +
                                   std::string(tensor::name(type)) + "/depth:" + std::to_string(work.depth) +
                                   "/rows:" + std::to_string(work.rows);
          benchmark::RegisterBenchmark(name.c_str(), [table, work](benchmark::State& state) { attend(state, *table, work); });
        }
  }
  return 0;
}();

}  // namespace
}  // namespace puna::backend::cpu
