// The sums Σ p · v of a chunk: lanes are values, one fma chain per value over the visible positions, ascending. Included
// inside the namespace of the set.

// Sums over some positions of a chunk, for the pairs of a tile.
struct ValueSums {
  const ChunkView& chunk;
  const float* p;      // [pairs][kScoreStride], by position within the chunk
  float* out;          // [pairs][width], added to
  std::int64_t width;  // head_dim in whole words
};

// The word of positions that memory is asked for while this one is added.
inline std::int64_t later_word(std::int64_t position, std::int64_t end) {
  const std::int64_t wanted = position / kWord + 2, last = (end - 1) / kWord;
  return wanted < last ? wanted : last;
}

// `D` words of the values from word `first_word` on, of `R` pairs.
template <class Element, int D, int R>
inline void add_value_words(const ValueSums& work, Span positions, std::int64_t first_word) {
  float* out = work.out + first_word * kWord;
  Vec sums[R][D];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int w = 0; w < D; ++w) sums[r][w] = load(out + r * work.width + w * kWord);
  for (std::int64_t position = positions.begin; position < positions.end;) {
    const std::int64_t place = position % kWord, left = positions.end - position;
    const std::int64_t n = kWord - place < left ? kWord - place : left;
    const RowReader<Element, D> reader(work.chunk.values[position / kWord], first_word);
    const float* p = work.p + position - place;
    const ValueRows& later = work.chunk.values[later_word(position, positions.end)];
    const std::byte* asked = later.rows + first_word * kWord * std::int64_t{sizeof(Element)};
    for (std::int64_t i = place; i < place + n; ++i) {
      if constexpr (!kIsSame<Element, Copied>)
        for (std::size_t at = 0; at < D * kWord * sizeof(Element); at += 64) __builtin_prefetch(asked + i * later.stride + at);
      Vec row[D];
#pragma GCC unroll 16
      for (int w = 0; w < D; ++w) row[w] = reader.word(i, w);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Vec weight = splat(p[r * kScoreStride + i]);
#pragma GCC unroll 16
        for (int w = 0; w < D; ++w) sums[r][w] = fma(weight, row[w], sums[r][w]);
      }
    }
    position += n;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int w = 0; w < D; ++w) store(out + r * work.width + w * kWord, sums[r][w]);
}

// The words [first, last) of values, D at a time while they last, then fewer.
template <class Element, int D, int R>
inline void add_values(const ValueSums& work, Span positions, std::int64_t first, std::int64_t last) {
  for (; first + D <= last; first += D) add_value_words<Element, D, R>(work, positions, first);
  if constexpr (D > 1)
    if (first < last) add_values<Element, D / 2, R>(work, positions, first, last);
}

// Words of a row of values: [first, last).
struct WordRange {
  std::int64_t first, last;
};

// Positions that all pairs of a tile see go through the tile; those before and behind, which only some see, by pair.
template <class Element, int R>
inline void add_tile(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, Tile tile, WordRange words) {
  constexpr int D = words_beside(R, 8), kSoloD = words_beside(1, 8);
  const float* p = pass.scores + tile.first * kScoreStride;
  float* out = pass.chunk_out + tile.first * pass.width;
  Span common = pass.seen_by_all(tile, chunk);
  if (common.empty()) common = {kChunk, kChunk};
  const auto add_alone = [&](std::int64_t r, Span limits) {
    const Span positions = both(pass.span_of(tile.first + r, chunk), limits);
    if (!positions.empty())
      add_values<Element, kSoloD, 1>({view, p + r * kScoreStride, out + r * pass.width, pass.width}, positions, words.first,
                                     words.last);
  };
  for (std::int64_t r = 0; r < tile.n; ++r) add_alone(r, {0, common.begin});
  if (!common.empty()) add_values<Element, D, R>({view, p, out, pass.width}, common, words.first, words.last);
  for (std::int64_t r = 0; r < tile.n; ++r) add_alone(r, {common.end, kChunk});
}

// Some words of the values at a time for all tiles, so that they stay in the first cache.
template <class Element>
inline void add_chunk_values(const AttendPass& pass, const ChunkView& view, std::int64_t chunk) {
  const std::int64_t n_words = pass.width / kWord, pairs = (pass.n_pairs() + kTilePairs - 1) / kTilePairs * kTilePairs;
  for (std::int64_t i = 0; i < pairs * pass.width; ++i) pass.chunk_out[i] = 0;
  const std::int64_t beside = pass.n_pairs() > kTilePairs ? kCopyWords : n_words;
  for (std::int64_t word = 0; word < n_words; word += beside)
    pass.for_tiles([&](Tile tile) {
      if (pass.seen_by_some(tile, chunk).empty()) return;
      const WordRange words{word, word + beside < n_words ? word + beside : n_words};
      with_tile(tile.n, [&](auto size) { add_tile<Element, decltype(size)::value>(pass, view, chunk, tile, words); });
    });
}
