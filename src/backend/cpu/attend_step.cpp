#include "backend/cpu/attend_step.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace puna::backend::cpu {
namespace {

#include "backend/cpu/kernels/attention_scratch.inl.h"

constexpr std::int64_t kTilesPerThread = 4;  // from so many on, tiles are dealt whole
constexpr std::int64_t kSplitPairs = 24;     // (row, head) pairs of a tile that is cut: its partial sums take little room
constexpr std::int64_t kSplitChunks = 4;     // chunks of such tiles that there is room for at least

struct Tile {
  std::int64_t sequence, kv_head, first, n;  // rows first … first + n - 1 of the sequence
  std::int64_t first_chunk, n_chunks;        // that any of them sees
};

std::vector<Tile> tiles_of(const AttendStep& step, std::int64_t pairs) {
  const std::int64_t rows = std::max<std::int64_t>(1, pairs / step.shared.group), window = step.shared.window;
  std::vector<Tile> tiles;
  for (std::size_t s = 0; s < step.sequences.size(); ++s)
    for (std::int64_t first = 0; first < step.sequences[s].n_rows; first += rows) {
      const std::int64_t n = std::min(rows, step.sequences[s].n_rows - first), start = step.sequences[s].start + first;
      const std::int64_t first_chunk = window > 0 ? std::max<std::int64_t>(0, start - window + 1) / kChunk : 0;
      for (std::int64_t head = 0; head < step.shared.store.n_kv_heads; ++head)
        tiles.push_back({static_cast<std::int64_t>(s), head, first, n, first_chunk, (start + n - 1) / kChunk + 1 - first_chunk});
    }
  // The longest first, so that no thread begins one when the others are done.
  std::ranges::sort(tiles, std::greater(), [](const Tile& tile) { return tile.n * tile.n_chunks; });
  return tiles;
}

AttendArgs args_of(const AttendStep& step, const Tile& tile, int thread) {
  const SequenceRows& own = step.sequences[static_cast<std::size_t>(tile.sequence)];
  AttendArgs args = step.shared;
  args.blocks = step.block_tables[tile.sequence];
  args.rows = {own.first_row + tile.first, tile.n, own.start + tile.first};
  args.kv_head = tile.kv_head;
  args.scratch = step.scratch + static_cast<std::size_t>(thread) * step.scratch_bytes;
  return args;
}

// A tile's way through the rounds. Its partial sums: [places][rows · group][attend_partial_floats].
struct Share {
  const Tile* tile;
  float* partials;
  std::int64_t n_floats;            // of one place
  std::int64_t done = 0, used = 0;  // chunks so far; places of this round
};

void merge(const AttendStep& step, const Share& share) {
  const AttendArgs args = args_of(step, *share.tile, 0);
  const std::int64_t head_dim = args.store.head_dim, stride = attend_partial_floats(head_dim);
  for (std::int64_t pair = 0; pair < share.tile->n * args.group; ++pair) {
    float* out = args.out + (args.rows.first_row + pair / args.group) * args.row_floats +
                 (args.kv_head * args.group + pair % args.group) * head_dim;
    step.kernels.attend_merge({.partials = share.partials + pair * stride,
                               .n = share.used,
                               .stride = share.n_floats,
                               .head_dim = head_dim,
                               .out = share.done == share.tile->n_chunks ? out : nullptr});
  }
}

// Chunk by chunk, in rounds of as many as there is room for; from the second round on, a tile's first place holds the sum so
// far.
void attend_apart(const AttendStep& step, std::span<const Tile> tiles) {
  struct Part {
    const Tile* tile;
    std::int64_t chunk;
    float* partials;
  };
  const std::size_t room = step.partials.size() / tiles.size();
  std::vector<Share> shares;
  for (std::size_t t = 0; t < tiles.size(); ++t)
    shares.push_back({&tiles[t], step.partials.data() + t * room,
                      tiles[t].n * step.shared.group * attend_partial_floats(step.shared.store.head_dim)});
  for (std::vector<Part> parts;; parts.clear()) {
    for (Share& share : shares) {
      const std::int64_t first = share.done > 0 ? 1 : 0, places = static_cast<std::int64_t>(room) / share.n_floats - first;
      const std::int64_t n = std::min(places, share.tile->n_chunks - share.done);
      for (std::int64_t i = 0; i < n; ++i)
        parts.push_back({share.tile, share.tile->first_chunk + share.done + i, share.partials + (first + i) * share.n_floats});
      share.done += n;
      share.used = n > 0 ? first + n : 0;
    }
    if (parts.empty()) return;
    step.pool.parallel_for(static_cast<std::int64_t>(parts.size()), [&](int thread, std::int64_t i) {
      const Part& part = parts[static_cast<std::size_t>(i)];
      AttendArgs args = args_of(step, *part.tile, thread);
      args.partials = part.partials;
      args.first_chunk = part.chunk;
      args.n_chunks = 1;
      step.kernels.attend(args);
    });
    for (const Share& share : shares)
      if (share.used > 0) merge(step, share);
  }
}

}  // namespace

std::size_t attend_scratch(std::int64_t head_dim, std::int64_t group) {
  return static_cast<std::size_t>(attend_scratch_layout(head_dim, group).end) * sizeof(float);
}

std::size_t attend_partials_floats(std::int64_t head_dim, std::int64_t group, int n_threads) {
  return static_cast<std::size_t>(kTilesPerThread * n_threads * kSplitChunks * std::max(kSplitPairs, group) *
                                  attend_partial_floats(head_dim));
}

void attend(const AttendStep& step) {
  const std::int64_t enough = kTilesPerThread * step.pool.size();
  std::vector<Tile> tiles = tiles_of(step, kPassPairs);
  if (static_cast<std::int64_t>(tiles.size()) < enough) tiles = tiles_of(step, kSplitPairs);
  const auto n_tiles = static_cast<std::int64_t>(tiles.size());
  const bool is_long = std::ranges::any_of(tiles, [](const Tile& tile) { return tile.n_chunks > 1; });
  if (step.pool.size() > 1 && n_tiles < enough && is_long) return attend_apart(step, tiles);
  step.pool.parallel_for(n_tiles, [&](int thread, std::int64_t i) {
    step.kernels.attend(args_of(step, tiles[static_cast<std::size_t>(i)], thread));
  });
}

}  // namespace puna::backend::cpu
