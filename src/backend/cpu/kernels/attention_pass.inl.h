// Some rows of one sequence for one KV head, on their way through the chunks: who sees what, and where a chunk's keys and
// values lie. Included inside the namespace of the set.

#include "backend/cpu/kernels/attention_scratch.inl.h"

// Words that a register tile accumulates: three quarters of the registers.
constexpr int kTileWords = kVecRegisters * 3 / 4;
constexpr int kTilePairs = kTileWords < kTilePairsMax ? kTileWords : static_cast<int>(kTilePairsMax);

// How many words beside each other go with a tile of `pairs`: a power of two, at most `most`.
constexpr int words_beside(int pairs, int most) {
  int words = 1;
  while (words * 2 <= most && words * 2 * pairs <= kTileWords) words *= 2;
  return words;
}

// The smallest tile that holds n pairs.
constexpr int tile_pairs(std::int64_t n) {
  constexpr int kSizes[] = {1, 2, 3, 4, 6, 8, 12};
  for (int size : kSizes)
    if (n <= size && size <= kTilePairs) return size;
  return kTilePairs;
}

// body(Index<R>) with R the smallest tile that holds n ≤ kTilePairs pairs.
template <int R = 1, class Body>
inline void with_tile(std::int64_t n, Body body) {
  if (n <= R) return body(Index<R>{});
  if constexpr (R < kTilePairs) with_tile<tile_pairs(R + 1)>(n, body);
}

// Positions of a chunk: [begin, end), within [0, kChunk].
struct Span {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

inline Span both(Span a, Span b) { return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end}; }

// Pairs that go through the registers together.
struct Tile {
  std::int64_t first, n;
};

// A chunk's keys and values of one head, by words of 16 positions.
struct ChunkView {
  const std::byte* keys[kChunkWords + 3];            // their first position; beyond the last word: the last again
  const std::uint16_t* key_scales[kChunkWords + 3];  // the same
  std::int64_t key_stride;                           // positions from one d to the next
  ValueRows values[kChunkWords];
};

struct AttendPass {
  const AttendArgs& args;
  std::int64_t first_row, n_rows;                                                                   // within args.rows
  std::int64_t width;                                                                               // head_dim in whole words
  float *maxima, *sums, *chunk_maxima, *chunk_sums, *queries, *scores, *chunk_out, *keys, *values;  // AttendScratch

  AttendPass(const AttendArgs& all, std::int64_t first, std::int64_t n) : args(all), first_row(first), n_rows(n) {
    const AttendScratch at = attend_scratch_layout(args.store.head_dim, args.group);
    auto* scratch = reinterpret_cast<float*>(args.scratch);
    width = round_to_words(args.store.head_dim);
    maxima = scratch + at.maxima;
    sums = scratch + at.sums;
    chunk_maxima = scratch + at.chunk_maxima;
    chunk_sums = scratch + at.chunk_sums;
    queries = scratch + at.queries;
    scores = scratch + at.scores;
    chunk_out = scratch + at.chunk_out;
    keys = scratch + at.keys;
    values = scratch + at.values;
  }

  std::int64_t n_pairs() const { return n_rows * args.group; }
  std::int64_t position_of(std::int64_t pair) const { return args.rows.start + first_row + pair / args.group; }
  std::int64_t first_seen(std::int64_t pair) const {
    const std::int64_t position = position_of(pair);
    return args.window > 0 && position >= args.window ? position - args.window + 1 : 0;
  }
  // Where the pair's head lies in q and out.
  std::int64_t head_offset(std::int64_t pair) const {
    const std::int64_t row = args.rows.first_row + first_row + pair / args.group;
    return row * args.row_floats + (args.kv_head * args.group + pair % args.group) * args.store.head_dim;
  }
  Span span_of(std::int64_t pair, std::int64_t chunk) const {
    const std::int64_t origin = chunk * kChunk, begin = first_seen(pair) - origin, end = position_of(pair) + 1 - origin;
    return {begin > 0 ? begin : 0, end < kChunk ? end : kChunk};
  }
  // What some pairs of a tile see, and what all of them see: a later row begins and ends no earlier.
  Span seen_by_some(Tile tile, std::int64_t chunk) const {
    return {span_of(tile.first, chunk).begin, span_of(tile.first + tile.n - 1, chunk).end};
  }
  Span seen_by_all(Tile tile, std::int64_t chunk) const {
    return {span_of(tile.first + tile.n - 1, chunk).begin, span_of(tile.first, chunk).end};
  }
  template <class Body>
  void for_tiles(Body body) const {
    for (std::int64_t pair = 0; pair < n_pairs(); pair += kTilePairs)
      body(Tile{pair, n_pairs() - pair < kTilePairs ? n_pairs() - pair : kTilePairs});
  }
};

// The words of a chunk that the pass sees.
struct Words {
  std::int64_t first, last;
};

// Bytes of n values of a position.
inline std::int64_t row_bytes_of(tensor::DType type, std::int64_t n) {
  switch (type) {
    case tensor::DType::F32:
      return 4 * n;
    case tensor::DType::Q8_0:
      return round_to_groups(n);
    case tensor::DType::Q4_0:
      return round_to_groups(n) / 2;
    default:
      return 2 * n;
  }
}

// The chunk's words as they lie in the store.
inline ChunkView stored_chunk(const AttendArgs& args, std::int64_t chunk, Words words) {
  const KvView& kv = args.store;
  const std::int64_t tokens = kv.block_tokens;
  const std::int64_t key_bytes = row_bytes_of(kv.k_type, kv.head_dim), value_bytes = row_bytes_of(kv.v_type, kv.head_dim);
  // Of a position in a row of keys: a value, or the bytes of four or eight of its values.
  const std::int64_t key_place = kv.k_type == tensor::DType::F16 || kv.k_type == tensor::DType::BF16 ? 2 : 4;
  ChunkView view;
  view.key_stride = tokens;
  for (std::int64_t word = words.first; word <= words.last; ++word) {
    const std::int64_t position = chunk * kChunk + word * kWord, place = position % tokens;
    const std::uint32_t block = args.blocks[position / tokens];
    const std::byte *k = kv.k_head(block, args.kv_head), *v = kv.v_head(block, args.kv_head);
    view.keys[word] = k + place * key_place;
    view.key_scales[word] = reinterpret_cast<const std::uint16_t*>(k + key_bytes * tokens) + place;
    view.values[word] = {v + place * value_bytes, reinterpret_cast<const std::uint16_t*>(v + value_bytes * tokens) + place,
                         value_bytes, tokens};
  }
  for (int i = 1; i <= 3; ++i) {
    view.keys[words.last + i] = view.keys[words.last];
    view.key_scales[words.last + i] = view.key_scales[words.last];
  }
  return view;
}

// Words beside each other in the copies of a chunk: as many as the widest tile takes at once, so that what it walks along
// is dense and stays in the first cache for all tiles.
constexpr int kCopyWords = words_beside(kTilePairs, 4);

// The keys as float32 in the pass's scratch: [words / kCopyWords][head_dim][kCopyWords][16].
template <class Element>
inline void copy_keys(const AttendPass& pass, ChunkView& view, Words words) {
  constexpr std::int64_t kGroup = kCopyWords * kWord;
  const std::int64_t head_dim = pass.args.store.head_dim;
  for (std::int64_t word = words.first; word <= words.last; ++word) {
    float* keys = pass.keys + word / kCopyWords * head_dim * kGroup + word % kCopyWords * kWord;
    const auto* from = reinterpret_cast<const Element*>(view.keys[word]);
    for (std::int64_t d = 0; d < head_dim; ++d) store(keys + d * kGroup, load_word(from + d * view.key_stride));
    view.keys[word] = reinterpret_cast<const std::byte*>(keys);
  }
  for (int i = 1; i <= 3; ++i) view.keys[words.last + i] = view.keys[words.last];
  view.key_stride = kGroup;
}

// The values as float32 in the pass's scratch: [head_dim / kCopyWords, in whole words][256][kCopyWords][16].
template <class Element>
inline void copy_values(const AttendPass& pass, ChunkView& view, Words words) {
  const std::int64_t head_dim = pass.args.store.head_dim, whole = kIsScaled<Element> ? pass.width : head_dim / kWord * kWord;
  for (std::int64_t word = words.first; word <= words.last; ++word) {
    float* values = pass.values + word * kWord * kCopyWords * kWord;
    const auto copied = [&](std::int64_t i, std::int64_t d) {
      return values + d / kWord / kCopyWords * kChunk * kCopyWords * kWord + i * kCopyWords * kWord +
             d / kWord % kCopyWords * kWord;
    };
    for (std::int64_t d = 0; d < whole; d += kWord) {
      const RowReader<Element, 1> reader(view.values[word], d / kWord);
      for (std::int64_t i = 0; i < kWord; ++i) store(copied(i, d), reader.word(i, 0));
    }
    if constexpr (!kIsScaled<Element>) {
      for (std::int64_t i = 0; whole < head_dim && i < kWord; ++i) {
        const auto* row = reinterpret_cast<const Element*>(view.values[word].rows + i * view.values[word].stride);
        Element rest[kWord] = {};
        for (std::int64_t d = whole; d < head_dim; ++d) rest[d - whole] = row[d];
        store(copied(i, whole), load_word(rest));
      }
    }
    view.values[word] = {reinterpret_cast<const std::byte*>(values), nullptr, 0, 0};
  }
}

// Reads the copy.
struct Copied {
  float value;
};
template <int D>
struct RowReader<Copied, D> {
  RowReader(const ValueRows& at, std::int64_t first)
      : row(reinterpret_cast<const float*>(at.rows) + first / kCopyWords * kChunk * kCopyWords * kWord +
            first % kCopyWords * kWord) {}
  Vec word(std::int64_t i, int w) const {
    return load(row + i * kCopyWords * kWord + w / kCopyWords * (kChunk * kCopyWords * kWord) + w % kCopyWords * kWord);
  }

  const float* row;
};
