// The sums Σ p · v of a chunk: lanes are values, one fma chain per value over the visible positions, ascending. Included
// inside the namespace of the set.

// Sums over some positions of a chunk, for the pairs of a tile.
struct ValueSums {
  const ChunkView& chunk;
  const float* p;      // [pairs][kScoreStride], by position within the chunk
  float* out;          // [pairs][width], added to
  std::int64_t width;  // head_dim in whole words
};

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
    for (std::int64_t i = place; i < place + n; ++i) {
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

// Positions that all pairs of a tile see go through the tile; those before and behind, which only some see, by pair.
template <class Element, int R>
inline void add_tile(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, std::int64_t first_pair, std::int64_t n,
                     std::int64_t first_word, std::int64_t last_word) {
  constexpr int D = words_beside(R, 8), kSoloD = words_beside(1, 8);
  const float* p = pass.scores + first_pair * kScoreStride;
  float* out = pass.chunk_out + first_pair * pass.width;
  Span common = pass.seen_by_all(first_pair, n, chunk);
  if (common.empty()) common = {kChunk, kChunk};
  const auto add_alone = [&](std::int64_t r, Span positions) {
    if (!positions.empty())
      add_values<Element, kSoloD, 1>({view, p + r * kScoreStride, out + r * pass.width, pass.width}, positions, first_word,
                                     last_word);
  };
  for (std::int64_t r = 0; r < n; ++r) {
    const Span own = pass.span_of(first_pair + r, chunk);
    add_alone(r, {own.begin, own.end < common.begin ? own.end : common.begin});
  }
  if (!common.empty()) add_values<Element, D, R>({view, p, out, pass.width}, common, first_word, last_word);
  for (std::int64_t r = 0; r < n; ++r) {
    const Span own = pass.span_of(first_pair + r, chunk);
    add_alone(r, {common.end > own.begin ? common.end : own.begin, own.end});
  }
}

// Some words of the values at a time for all tiles, so that they stay in the first cache.
template <class Element>
inline void add_chunk_values(const AttendPass& pass, const ChunkView& view, std::int64_t chunk) {
  const std::int64_t n_words = pass.width / kWord, pairs = (pass.n_pairs() + kTilePairs - 1) / kTilePairs * kTilePairs;
  for (std::int64_t i = 0; i < pairs * pass.width; ++i) pass.chunk_out[i] = 0;
  const std::int64_t beside = pass.n_pairs() > kTilePairs ? words_beside(kTilePairs, 8) : n_words;
  for (std::int64_t first = 0; first < n_words; first += beside)
    pass.for_tiles([&](std::int64_t pair, std::int64_t n) {
      if (pass.seen_by_some(pair, n, chunk).empty()) return;
      const std::int64_t last = first + beside < n_words ? first + beside : n_words;
      with_tile(n, [&](auto size) { add_tile<Element, decltype(size)::value>(pass, view, chunk, pair, n, first, last); });
    });
}
