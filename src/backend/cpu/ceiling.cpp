#include "backend/cpu/ceiling.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "base/os.h"

namespace puna::backend::cpu {
namespace {

// More than a processor's caches hold, where the memory allows it.
constexpr std::size_t kReadBytes = std::size_t{512} << 20;
constexpr std::size_t kLeastReadBytes = std::size_t{16} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr double kSeconds = 0.15;  // of each measurement, and at least so many passes
constexpr int kLeastPasses = 5;

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The shortest of several passes: whatever disturbs one makes it longer.
double best_seconds(const auto& pass) {
  double best = seconds_of(pass), all = best;
  for (int n = 1; n < kLeastPasses || all < kSeconds; ++n) {
    const double found = seconds_of(pass);
    best = std::min(best, found);
    all += found;
  }
  return best;
}

double read_speed(ThreadPool& pool) {
  const KernelTable& table = *runnable_tables().back();  // memory is as fast for everyone
  const std::size_t wanted = std::min<std::uint64_t>(kReadBytes, os::available_memory() / 4);
  const std::size_t bytes = std::max(kLeastReadBytes, wanted / kPieceBytes * kPieceBytes);
  Result<os::Reservation> memory = os::Reservation::make(bytes, os::Reservation::Pages::huge);  // as weights lie
  if (!memory) return 0;
  std::byte* data = memory->data();
  const auto n_pieces = static_cast<std::int64_t>(bytes / kPieceBytes);
  // Mixed content: some machines keep pages of one value apart and read them faster.
  pool.parallel_for(n_pieces, [&](int, std::int64_t piece) {
    std::uint64_t state = static_cast<std::uint64_t>(piece) + 1;
    auto* words = reinterpret_cast<std::uint64_t*>(data + static_cast<std::size_t>(piece) * kPieceBytes);
    for (std::size_t i = 0; i < kPieceBytes / sizeof(*words); ++i)
      words[i] = state = state * 6364136223846793005u + 1442695040888963407u;
  });
  return static_cast<double>(bytes) / best_seconds([&] {
           pool.parallel_for(n_pieces, [&](int, std::int64_t piece) {
             alignas(64) std::array<std::uint8_t, 512> sink;
             table.read_bytes(data + static_cast<std::size_t>(piece) * kPieceBytes, kPieceBytes, sink.data());
           });
         });
}

double int8_speed(const KernelTable& table, ThreadPool& pool) {
  const auto run = [&](std::int64_t rounds) {
    std::array<float, 16> sink;
    return table.int8_peak(rounds, sink.data());
  };
  // Rounds of about a millisecond, so that threads which start late or run slower get fewer of them.
  std::int64_t rounds = 256;
  while (rounds < std::int64_t{1} << 24 && seconds_of([&] { run(rounds); }) < 1e-3) rounds *= 2;
  const std::int64_t n_items = 16 * pool.size();
  std::int64_t operations = 0;
  const double seconds = best_seconds([&] {
    std::vector<std::int64_t> done(static_cast<std::size_t>(n_items));
    pool.parallel_for(n_items, [&](int, std::int64_t item) { done[static_cast<std::size_t>(item)] = run(rounds); });
    operations = done.front() * n_items;
  });
  return static_cast<double>(operations) / seconds;
}

}  // namespace

Ceilings measure_ceilings(const KernelTable& table, ThreadPool& pool) {
  return {.read_bytes_per_second = read_speed(pool), .int8_ops_per_second = int8_speed(table, pool)};
}

}  // namespace puna::backend::cpu
