// The scores q · k of a chunk. Float keys meet the query as it is, the lanes 16 positions. Integer keys meet it as int8 with
// a scale per 32 values (quantize_row.inl.h), by exact integer sums. Included inside the namespace of the set.

constexpr int kQueryPlanes = 1;  // int8 rows that a query becomes

// The scores of `P` words of positions for `R` pairs.
//   queries: [head_dim][R]   scores: [R][kScoreStride], from the first word's place
template <class Element, int P, int R>
inline void score_words(const std::byte* const* key_bytes, std::int64_t key_stride, std::int64_t head_dim, const float* queries,
                        float* scores) {
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
    for (int w = 0; w < P; ++w) key[w] = load_word(keys[w] + d * key_stride);
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
                                       pass.scores + tile.first * kScoreStride + word * kWord);
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
constexpr int kDotPairs = kDotWords / kDotBeside / kQueryPlanes;

// Queries of a tile of R pairs as integers. Of each group of 32 values: [8][rows] words of four int8, [rows] scales, [rows]
// offsets (ActivationGroup), with the planes of a pair as neighbouring rows. `rows` of them: R · kQueryPlanes.
template <int R>
struct QueryGroup {
  static constexpr int kRows = R * kQueryPlanes;
  std::int32_t q[8][kRows];
  float scale[kRows];
  std::int32_t offset[kRows];
};

// Pairs are cut into tiles of kDotPairs and, what is left, of fewer: body(Index<R>, first pair).
template <int R = kDotPairs, class Body>
inline void for_dot_tiles(std::int64_t first, std::int64_t end, Body body) {
  for (; end - first >= R; first += R) body(Index<R>{}, first);
  if constexpr (R > 1)
    if (first < end) for_dot_tiles<R / 2>(first, end, body);
}

// score += Σ over the groups' 32 values, ascending, of each plane: fma(float(Σ q · k) · k_scale, q_scale, score)
template <class Keys, int P, int R>
inline void score_dots(const ChunkView& view, std::int64_t word, std::int64_t n_groups, const QueryGroup<R>* queries,
                       float* scores) {
  using K = Stored<typename Keys::Format>;
  constexpr int kRows = R * kQueryPlanes;
  const std::int64_t stride = view.key_stride * 4;
  for (std::int64_t g = 0; g < n_groups; ++g) {
    const QueryGroup<R>& query = queries[g];
    Dot<K> dots[kRows][P];
    repeat<kRows>([&](auto r) { repeat<P>([&](auto w) { dots[r.value][w.value].start(query.offset[r.value]); }); });
    repeat<8>([&](auto j) {
      Quads key[P];
      repeat<P>([&](auto w) {
        const auto* group = reinterpret_cast<const std::uint8_t*>(view.keys[word + w.value]) + g * Keys::kRows * stride;
        key[w.value] = Keys::template quads<j.value>(group, stride);
      });
      repeat<kRows>([&](auto r) {
        const auto* four = reinterpret_cast<const std::int8_t*>(&query.q[j.value][r.value]);
        repeat<P>([&](auto w) { dots[r.value][w.value].template add<j.value>(key[w.value], four); });
      });
    });
    repeat<P>([&](auto w) {
      const Vec scale = load_f16(view.key_scales[word + w.value] + g * view.key_stride);
      repeat<R>([&](auto r) {
        float* out = scores + r.value * kScoreStride + w.value * kWord;
        Vec score = g == 0 ? zero() : load(out);
        repeat<kQueryPlanes>([&](auto plane) {
          constexpr int kRow = r.value * kQueryPlanes + plane.value;
          const Vec dot = to_floats(dots[kRow][w.value].template total<8>());
          score = fma(mul(dot, scale), splat(query.scale[kRow]), score);
        });
        store(out, score);
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
      quantize_planes<kQueryPlanes>(padded, width, row);
      for (int plane = 0; plane < kQueryPlanes; ++plane) {
        const std::byte* integers = row + static_cast<std::size_t>(plane) * activation_row_bytes(width);
        const auto* groups = reinterpret_cast<const ActivationGroup*>(integers + width);
        for (std::int64_t g = 0; g < n_groups; ++g) {
          const int place = r * kQueryPlanes + plane;
          for (int j = 0; j < 8; ++j)
            queries[g].q[j][place] = load_i32x1(reinterpret_cast<const std::int8_t*>(integers) + g * kActivationGroup + 4 * j);
          queries[g].scale[place] = groups[g].scale;
          queries[g].offset[place] = groups[g].offset;
        }
      }
    }
  });
}
