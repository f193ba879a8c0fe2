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

// Four words of positions at a time for all tiles, so that they stay in the first cache.
template <class Element>
inline void score_floats(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, Words words) {
  constexpr std::int64_t kBeside = 4;
  const std::int64_t head_dim = pass.args.store.head_dim;
  for (std::int64_t first = words.first; first <= words.last; first += kBeside)
    pass.for_tiles([&](std::int64_t pair, std::int64_t n) {
      const Span seen = pass.seen_by_some(pair, n, chunk);
      with_tile(n, [&](auto size) {
        constexpr int R = decltype(size)::value, P = words_beside(R, kBeside);
        for (std::int64_t word = first; word < first + kBeside && word <= words.last; word += P)
          if (word * kWord < seen.end && (word + P) * kWord > seen.begin)
            score_words<Element, P, R>(view.keys + word, view.key_stride, head_dim, pass.queries + pair * head_dim,
                                       pass.scores + pair * kScoreStride + word * kWord);
      });
    });
}

// Queries by tile, the pairs of one value beside each other; missing pairs of the last tile are zero.
inline void pack_float_queries(const AttendPass& pass) {
  const std::int64_t head_dim = pass.args.store.head_dim;
  pass.for_tiles([&](std::int64_t first, std::int64_t n) {
    const std::int64_t size = tile_pairs(n);
    float* tile = pass.queries + first * head_dim;
    for (std::int64_t r = 0; r < size; ++r) {
      const float* q = pass.args.q + (r < n ? pass.head_offset(first + r) : 0);
      for (std::int64_t d = 0; d < head_dim; ++d) tile[d * size + r] = r < n ? q[d] : 0.0f;
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
constexpr int kDotWords = kVecRegisters >= 32 ? 24 : 3;
constexpr int kDotBeside = kVecRegisters >= 32 ? 2 : 1;
constexpr int kDotPairs = kDotWords / kDotBeside / kQueryPlanes;

// score += Σ over the groups' 32 values, ascending, of each plane: fma(float(Σ q · k) · k_scale, q_scale, score)
template <class Keys, int P, int R>
inline void score_dots(const ChunkView& view, std::int64_t word, std::int64_t width, const std::byte* queries, float* scores) {
  using K = Stored<typename Keys::Format>;
  const std::int64_t stride = view.key_stride * 4;
  for (std::int64_t g = 0; g * kActivationGroup < width; ++g) {
    Dot<K> dots[R * kQueryPlanes][P];
    const std::int8_t* q[R * kQueryPlanes];
    const ActivationGroup* groups[R * kQueryPlanes];
    repeat<R * kQueryPlanes>([&](auto r) {
      const std::byte* row = queries + static_cast<std::size_t>(r.value) * activation_row_bytes(width);
      q[r.value] = reinterpret_cast<const std::int8_t*>(row) + g * kActivationGroup;
      groups[r.value] = reinterpret_cast<const ActivationGroup*>(row + width) + g;
      repeat<P>([&](auto w) { dots[r.value][w.value].start(groups[r.value]->offset); });
    });
    repeat<8>([&](auto j) {
      Quads key[P];
      repeat<P>([&](auto w) {
        const auto* group = reinterpret_cast<const std::uint8_t*>(view.keys[word + w.value]) + g * Keys::kRows * stride;
        key[w.value] = Keys::template quads<j.value>(group, stride);
      });
      repeat<R * kQueryPlanes>([&](auto r) {
        repeat<P>([&](auto w) { dots[r.value][w.value].template add<j.value>(key[w.value], q[r.value] + 4 * j.value); });
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
          score = fma(mul(dot, scale), splat(groups[kRow]->scale), score);
        });
        store(out, score);
      });
    });
  }
}

template <class Keys, int R = kDotPairs>
inline void score_some_dots(const ChunkView& view, std::int64_t word, std::int64_t width, const std::byte* queries, float* scores,
                            std::int64_t n) {
  const auto bytes = static_cast<std::int64_t>(kQueryPlanes * activation_row_bytes(width));
  for (; n >= R; n -= R, queries += R * bytes, scores += R * kScoreStride)
    score_dots<Keys, kDotBeside, R>(view, word, width, queries, scores);
  if constexpr (R > 1)
    if (n > 0) score_some_dots<Keys, R / 2>(view, word, width, queries, scores, n);
}

template <class Keys>
inline void score_integers(const AttendPass& pass, const ChunkView& view, std::int64_t chunk, Words words) {
  const std::int64_t width = round_to_groups(pass.args.store.head_dim);
  const auto* queries = reinterpret_cast<const std::byte*>(pass.queries);
  for (std::int64_t word = words.first; word <= words.last; word += kDotBeside)
    pass.for_tiles([&](std::int64_t pair, std::int64_t n) {
      const Span seen = pass.seen_by_some(pair, n, chunk);
      if (word * kWord >= seen.end || (word + kDotBeside) * kWord <= seen.begin) return;
      score_some_dots<Keys>(view, word, width, queries + pair * static_cast<std::int64_t>(kQueryPlanes * activation_row_bytes(width)),
                            pass.scores + pair * kScoreStride + word * kWord, n);
    });
}

inline void pack_integer_queries(const AttendPass& pass) {
  const std::int64_t head_dim = pass.args.store.head_dim, width = round_to_groups(head_dim);
  auto* out = reinterpret_cast<std::byte*>(pass.queries);
  float* padded = pass.chunk_out;  // not yet in use
  for (std::int64_t pair = 0; pair < pass.n_pairs(); ++pair) {
    const float* q = pass.args.q + pass.head_offset(pair);
    for (std::int64_t d = 0; d < width; ++d) padded[d] = d < head_dim ? q[d] : 0.0f;
    quantize_planes<kQueryPlanes>(padded, width, out + static_cast<std::size_t>(pair * kQueryPlanes) * activation_row_bytes(width));
  }
}
