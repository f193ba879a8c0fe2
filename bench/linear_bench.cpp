// One thread's matrix products by table, type and columns: bytes of weights read and operations (2 · rows · k · columns)
// per second, and bytes per cycle. The weights are many times a cache, walked through in turn, so that few columns show what
// memory gives. of_read: what of the bytes that a plain read gets; of_peak: what of the set's best int8 instruction's
// operations, of float products a quarter of those, which is what multiplying and adding floats reaches beside it.
#include <benchmark/benchmark.h>

#ifdef PUNA_OPENBLAS
#include <cblas.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "backend/cpu/ceiling.h"
#include "backend/cpu/dispatch.h"
#include "backend/cpu/kernel_table.h"
#include "base/os.h"
#include "tensor/dtype.h"

namespace puna::backend::cpu {
namespace {

using tensor::DType;

constexpr std::int64_t kRows = 1536, kWidth = 1536;
constexpr std::size_t kWeightBytes = std::size_t{256} << 20;

// Mixed content, since some machines read constant pages faster; floats of every width that are normal wherever they may lie.
// On the pages that packed weights have.
const std::byte* weight_bytes() {
  static const os::Reservation kMemory = [] {
    os::Reservation memory = os::Reservation::make(kWeightBytes, os::Reservation::Pages::huge).value();
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < kWeightBytes; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      memory.data()[i] = static_cast<std::byte>((state >> 56 & 0x8b) | 0x30);
    }
    return memory;
  }();
  return kMemory.data();
}

std::byte* aligned(std::vector<std::byte>& storage) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64);
}

// Of several runs the quickest.
template <class Work>
double least_seconds(Work work) {
  double least = 1e9;
  for (int i = 0; i < 8; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

// A chain of additions, one cycle each.
double cycles_per_second() {
  static const double kSpeed = [] {
    constexpr std::int64_t kAdditions = 20'000'000;
    return static_cast<double>(kAdditions) / least_seconds([] {
             std::int64_t sum = 0;
             for (std::int64_t i = 0; i < kAdditions; ++i) {
               sum += i;
               benchmark::DoNotOptimize(sum);
             }
           });
  }();
  return kSpeed;
}

const Ceilings& ceilings(const KernelTable& table) {
  static std::map<std::string_view, Ceilings> known;
  static ThreadPool alone(1);
  const auto found = known.find(table.name);
  return found != known.end() ? found->second : known.emplace(table.name, measure_ceilings(table, alone)).first->second;
}

void report(benchmark::State& state, double bytes, double operations, double peak = 0) {
  using benchmark::Counter;
  const auto rate = [](double amount) { return Counter(amount, Counter::kIsIterationInvariantRate); };
  state.counters["GB/s"] = rate(bytes / 1e9);
  state.counters["B/cycle"] = rate(bytes / cycles_per_second());
  state.counters["of_read"] = rate(bytes / ceilings(*runnable_tables().back()).read_bytes_per_second);
  if (operations > 0) state.counters["GOPS"] = rate(operations / 1e9);
  if (peak > 0) state.counters["of_peak"] = rate(operations / peak);
}

void run(benchmark::State& state, const KernelTable& table, DType type, bool in_float) {
  const std::int64_t n_cols = state.range(0);
  const std::vector<float> x(static_cast<std::size_t>(n_cols * kWidth), 0.25f);
  const std::size_t stride = in_float ? kWidth * sizeof(float) : activation_row_bytes(kWidth);
  std::vector<std::byte> x_storage(static_cast<std::size_t>(n_cols) * stride + 64), scratch(linear_scratch(kWidth) + 64);
  for (std::int64_t t = 0; t < n_cols; ++t) {
    std::byte* row = aligned(x_storage) + static_cast<std::size_t>(t) * stride;
    if (in_float)
      std::memcpy(row, &x[static_cast<std::size_t>(t * kWidth)], stride);
    else
      table.quantize_row(&x[static_cast<std::size_t>(t * kWidth)], kWidth, row);
  }
  std::vector<float> y(static_cast<std::size_t>(n_cols * kRows));
  const std::size_t matrix_bytes = tensor::row_bytes(type, kWidth) * kRows;
  const std::size_t n_matrices = kWeightBytes / matrix_bytes;
  std::size_t matrix = 0;
  weight_bytes();
  for (auto _ : state) {
    (in_float ? table.linear_float : table.linear_int8)({.type = type,
                                                         .weight = weight_bytes() + matrix * matrix_bytes,
                                                         .k = kWidth,
                                                         .row_begin = 0,
                                                         .row_end = kRows,
                                                         .x = aligned(x_storage),
                                                         .x_stride = stride,
                                                         .n_cols = n_cols,
                                                         .y = y.data(),
                                                         .y_stride = kRows,
                                                         .bias = nullptr,
                                                         .scratch = aligned(scratch)});
    benchmark::ClobberMemory();
    matrix = (matrix + 1) % n_matrices;
  }
  report(state, static_cast<double>(matrix_bytes), 2.0 * kRows * kWidth * static_cast<double>(n_cols),
         ceilings(table).int8_ops_per_second / (in_float ? 4 : 1));
}

void quantize(benchmark::State& state, const KernelTable& table) {
  std::vector<float> x(kWidth);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) - 48.0f;
  std::vector<std::byte> out(activation_row_bytes(kWidth) + 64);
  for (auto _ : state) {
    table.quantize_row(x.data(), kWidth, aligned(out));
    benchmark::ClobberMemory();
  }
  report(state, kWidth * sizeof(float), 0);
}

#ifdef PUNA_OPENBLAS
void openblas(benchmark::State& state) {
  const auto n_cols = static_cast<int>(state.range(0));
  openblas_set_num_threads(1);
  const std::vector<float> x(static_cast<std::size_t>(n_cols) * kWidth, 0.25f);
  std::vector<float> y(static_cast<std::size_t>(n_cols) * kRows);
  const auto* weights = reinterpret_cast<const float*>(weight_bytes());
  constexpr std::size_t kMatrices = kWeightBytes / (kRows * kWidth * sizeof(float));
  std::size_t matrix = 0;
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n_cols, kRows, kWidth, 1.0f, x.data(), kWidth,
                weights + matrix * (kRows * kWidth), kWidth, 0.0f, y.data(), kRows);
    benchmark::ClobberMemory();
    matrix = (matrix + 1) % kMatrices;
  }
  report(state, kRows * kWidth * sizeof(float), 2.0 * kRows * kWidth * n_cols);
}
#endif

const bool kRegistered = [] {
#ifdef PUNA_OPENBLAS
  benchmark::RegisterBenchmark("openblas/float/F32", openblas)->ArgName("columns")->Arg(64)->Arg(512);
#endif
  for (const KernelTable* table : runnable_tables()) {
    const std::string prefix = std::string(table->name) + "/";
    benchmark::RegisterBenchmark((prefix + "quantize_row").c_str(), quantize, *table);
    for (const tensor::DTypeTraits& type : tensor::all_dtypes()) {
      const std::string name(type.name);
      if (type.block_size > 1)
        benchmark::RegisterBenchmark((prefix + "int8/" + name).c_str(), run, *table, type.type, false)
            ->ArgName("columns")
            ->Arg(1)
            ->Arg(2)
            ->Arg(4)
            ->Arg(8)
            ->Arg(16)
            ->Arg(64)
            ->Arg(512);
      benchmark::RegisterBenchmark((prefix + "float/" + name).c_str(), run, *table, type.type, true)
          ->ArgName("columns")
          ->Arg(1)
          ->Arg(4)
          ->Arg(64)
          ->Arg(512);
    }
  }
  return true;
}();

}  // namespace
}  // namespace puna::backend::cpu
