// The scores q · k of a chunk. Float keys meet the query as it is, the lanes 16 positions. Integer keys meet it as int8 with
// a scale per 32 values (quantize_row.inl.h), by exact integer sums. Included inside the namespace of the set.

// What is read after the words at hand, a line of each for every value of the head: memory is asked for it meanwhile.
template <int P>
struct ReadNext {
  const std::byte* first[P] = {};
  std::int64_t stride = 0;  // bytes from a line to the next
};

// The scores of `P` words of positions for `R` pairs.
//   queries: [head_dim][R]   scores: [R][kScoreStride], from the first word's place
template <class Element, int P, int R>
inline void score_words(const std::byte* const* key_bytes, std::int64_t key_stride, std::int64_t head_dim, const float* queries,
                        float* scores, const ReadNext<P>& next) {
  const Element* keys[P];
#pragma GCC unroll 16
  for (int w = 0; w < P; ++w) keys[w] = reinterpret_cast<const Element*>(key_bytes[w]);
  Vec sums[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int w = 0; w < P; ++w) sums[r][w] = zero();
  for (std::int64_t d = 0; d < head_dim; ++d) {
    Vec key[P];
#pragma GCC unroll 16
    for (int w = 0; w < P; ++w) {
      key[w] = load_word(keys[w] + d * key_stride);
      __builtin_prefetch(next.first[w] + d * next.stride);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec query = splat(queries[d * R + r]);
#pragma GCC unroll 16
      for (int w = 0; w < P; ++w) sums[r][w] = fma(query, key[w], sums[r][w]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int w = 0; w < P; ++w) store(scores + r * kScoreStride + w * kWord, sums[r][w]);
}

// Behind the words from `word` on: the next keys or, after the last ones, the first values.
template <class Element, int P>
inline ReadNext<P> after_words(const ChunkView& view, std::int64_t word, Words words) {
  constexpr std::int64_t kLine = 64;
  const bool more = word + P <= words.last;
  ReadNext<P> next;
  next.stride = more ? view.key_stride * static_cast<std::int64_t>(sizeof(Element)) : kLine;
  for (int w = 0; w < P; ++w) {
    const std::int64_t key = word + P + w, value = words.first + w;
    next.first[w] =
        more ? view.keys[key < words.last ? key : words.last] : view.values[value < words.last ? value : words.last].rows;
  }
  return next;
}

// Some words of positions at a time for all tiles, so that they stay in the first cache.
template <class Element>
inline void score_floats(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, Words words) {
  const std::int64_t head_dim = pass.args.store.head_dim, beside = pass.n_pairs() > kTilePairs ? kCopyWords : kChunkWords;
  for (std::int64_t first = words.first; first <= words.last; first += beside)
    pass.for_tiles([&](Tile tile) {
      const Span seen = pass.seen_by_some(tile, chunk);
      with_tile(tile.n, [&](auto size) {
        constexpr int R = decltype(size)::value, P = words_beside(R, 4);
        for (std::int64_t word = first; word < first + beside && word <= words.last; word += P)
          if (word * kWord < seen.end && (word + P) * kWord > seen.begin)
            score_words<Element, P, R>(view.keys + word, view.key_stride, head_dim, pass.queries + tile.first * head_dim,
                                       pass.scores + tile.first * kScoreStride + word * kWord,
                                       after_words<Element, P>(view, word, words));
      });
    });
}

// Queries by tile, the pairs of one value beside each other; missing pairs of the last tile are zero.
inline void pack_float_queries(const AttendPass& pass) {
  const std::int64_t head_dim = pass.args.store.head_dim;
  pass.for_tiles([&](Tile tile) {
    const std::int64_t size = tile_pairs(tile.n);
    float* queries = pass.queries + tile.first * head_dim;
    for (std::int64_t r = 0; r < size; ++r) {
      const float* q = pass.args.q + (r < tile.n ? pass.head_offset(tile.first + r) : 0);
      for (std::int64_t d = 0; d < head_dim; ++d) queries[d * size + r] = r < tile.n ? q[d] : 0.0f;
    }
  });
}

// How a type's integers become Quads of 16 positions: quads(key, j, stride), the j-th four values of a group.
struct KeysEight {
  using Format = FormatQ8_0;
  static constexpr std::int64_t kRows = 8;  // of four bytes per position in a group
  template <int kQuad>
  static Quads quads(const std::uint8_t* group, std::int64_t stride) {
    return stored<Format>(load_quads(group + kQuad * stride));
  }
};
struct KeysFour {
  using Format = FormatQ4_0;
  static constexpr std::int64_t kRows = 4;
  template <int kQuad>
  static Quads quads(const std::uint8_t* group, std::int64_t stride) {
    return stored<Format>(bits<kQuad % 2 * 4>(load_quads(group + kQuad / 2 * stride), 15));
  }
};

// Sums of a register tile of integers, by instruction set: each takes one register or, where a sum is wide, four.
constexpr int kDotWords = kVecRegisters >= 32 ? 12 : 3;
constexpr int kDotBeside = kVecRegisters >= 32 ? 2 : 1;
constexpr int kDotPairs = kDotWords / kDotBeside;

// 32 values of the queries of a tile of R pairs, as integers: words of four int8, scales and offsets (ActivationGroup).
template <int R>
struct QueryGroup {
  std::int32_t q[8][R];
  float scale[R];
  std::int32_t offset[R];
};

// Pairs are cut into tiles of kDotPairs and, what is left, of fewer: body(Index<R>, first pair).
template <int R = kDotPairs, class Body>
inline void for_dot_tiles(std::int64_t first, std::int64_t end, Body body) {
  for (; end - first >= R; first += R) body(Index<R>{}, first);
  if constexpr (R > 1)
    if (first < end) for_dot_tiles<R / 2>(first, end, body);
}

// Groups of 32 values, ascending: score = fma(float(Σ q · k) · k_scale, q_scale, score)
template <class Keys, int P, int R>
inline void score_dots(const ChunkView& view, std::int64_t word, std::int64_t n_groups, const QueryGroup<R>* queries,
                       float* scores) {
  using K = Stored<typename Keys::Format>;
  const std::int64_t stride = view.key_stride * 4;
  for (std::int64_t g = 0; g < n_groups; ++g) {
    const QueryGroup<R>& query = queries[g];
    Dot<K> dots[R][P];
    repeat<R>([&](auto r) { repeat<P>([&](auto w) { dots[r.value][w.value].start(query.offset[r.value]); }); });
    repeat<8>([&](auto j) {
      Quads key[P];
      repeat<P>([&](auto w) {
        const auto* group = reinterpret_cast<const std::uint8_t*>(view.keys[word + w.value]) + g * Keys::kRows * stride;
        key[w.value] = Keys::template quads<j.value>(group, stride);
      });
      repeat<R>([&](auto r) {
        const auto* four = reinterpret_cast<const std::int8_t*>(&query.q[j.value][r.value]);
        repeat<P>([&](auto w) { dots[r.value][w.value].template add<j.value>(key[w.value], four); });
      });
    });
    repeat<P>([&](auto w) {
      const Vec scale = load_f16(view.key_scales[word + w.value] + g * view.key_stride);
      repeat<R>([&](auto r) {
        float* out = scores + r.value * kScoreStride + w.value * kWord;
        const Vec score = g == 0 ? zero() : load(out);
        const Vec dot = to_floats(dots[r.value][w.value].template total<8>());
        store(out, fma(mul(dot, scale), splat(query.scale[r.value]), score));
      });
    });
  }
}

// Floats from one pair's query to the next: a tile's begins at its first pair's place.
inline std::int64_t query_stride(std::int64_t n_groups) {
  return n_groups * static_cast<std::int64_t>(sizeof(QueryGroup<1>) / 4);
}

template <class Keys>
inline void score_integers(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, Words words) {
  const std::int64_t n_groups = round_to_groups(pass.args.store.head_dim) / kActivationGroup;
  for (std::int64_t word = words.first; word <= words.last; word += kDotBeside)
    for_dot_tiles(0, pass.n_pairs(), [&](auto size, std::int64_t pair) {
      constexpr int R = decltype(size)::value;
      const Span seen = pass.seen_by_some({pair, R}, chunk);
      if (word * kWord >= seen.end || (word + kDotBeside) * kWord <= seen.begin) return;
      const auto* queries = reinterpret_cast<const QueryGroup<R>*>(pass.queries + pair * query_stride(n_groups));
      score_dots<Keys, kDotBeside, R>(view, word, n_groups, queries, pass.scores + pair * kScoreStride + word * kWord);
    });
}

inline void pack_integer_queries(const AttendPass& pass) {
  const std::int64_t head_dim = pass.args.store.head_dim, width = round_to_groups(head_dim), n_groups = width / kActivationGroup;
  float* padded = pass.scores;  // not yet in use
  auto* row = reinterpret_cast<std::byte*>(pass.chunk_out);
  for_dot_tiles(0, pass.n_pairs(), [&](auto size, std::int64_t first) {
    constexpr int R = decltype(size)::value;
    auto* queries = reinterpret_cast<QueryGroup<R>*>(pass.queries + first * query_stride(n_groups));
    for (int r = 0; r < R; ++r) {
      const float* q = pass.args.q + pass.head_offset(first + r);
      for (std::int64_t d = 0; d < width; ++d) padded[d] = d < head_dim ? q[d] : 0.0f;
      quantize_row(padded, width, row);
      const auto* groups = reinterpret_cast<const ActivationGroup*>(row + width);
      for (std::int64_t g = 0; g < n_groups; ++g) {
        for (int j = 0; j < 8; ++j)
          queries[g].q[j][r] = load_i32x1(reinterpret_cast<const std::int8_t*>(row) + g * kActivationGroup + 4 * j);
        queries[g].scale[r] = groups[g].scale;
        queries[g].offset[r] = groups[g].offset;
      }
    }
  });
}
