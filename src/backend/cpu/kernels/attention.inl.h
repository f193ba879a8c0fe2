// Attention over the paged store. One order of arithmetic for one row and for many, whatever the blocks:
//   score        one fma chain over head_dim, ascending; · scale; soft cap
//   chunk        256 positions, counted from position 0: the largest visible score m; p = e^(s - m);
//                l: 16 sums by position mod 16, ascending, then the tree of sum(); o: per value one fma chain of p · v
//                over the visible positions, ascending
//   merge        chunks left to right; the first visible one is taken as it is, then with M = max(m, m'):
//                l = fma(l, e^(m-M), l' · e^(m'-M)), o = fma(o, e^(m-M), o' · e^(m'-M)), m = M; in the end o / l
// Positions that a row can't see take no part (their memory may hold anything), so skipping them changes no bit.
//
// The work goes by tiles of (row, head) pairs, which share every load of a key or a value. Few pairs read the store
// itself; many read a float32 copy of the chunk, made once per pass. Block sizes are multiples of 16.

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

// A chunk's keys and values of one head, by words of 16 positions.
template <class Element>
struct ChunkView {
  const Element* keys[kChunk / kWord + 3];  // [head_dim][16], rows key_stride apart; beyond the last: the last again
  const Element* values[kChunk / kWord];    // [16][head_dim], rows value_stride apart
  std::int64_t key_stride, value_stride;
};

inline Vec load_word(const float* p) { return load(p); }
inline Vec load_word(const std::uint16_t* p) { return load_f16(p); }

// The scores of `P` words of positions for `R` pairs.
//   queries: [head_dim][R]   scores: [R][kScoreStride], from the first word's place
template <class Element, int P, int R>
inline void score_words(const Element* const* keys, std::int64_t key_stride, std::int64_t head_dim, const float* queries,
                        float* scores) {
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

// Positions of a chunk that a pair sees: [begin, end), within [0, kChunk].
struct Span {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

// Sums of p · v over some positions of a chunk, for the pairs of a tile.
template <class Element>
struct ValueSums {
  const ChunkView<Element>& chunk;
  Span positions;
  const float* p;      // [pairs][kScoreStride], by position within the chunk
  float* out;          // [pairs][width], added to
  std::int64_t width;  // head_dim in whole words
};

// `D` words of the values from `first_value` on, of `R` pairs.
template <class Element, int D, int R>
inline void add_value_words(const ValueSums<Element>& work, std::int64_t first_value) {
  const std::int64_t stride = work.chunk.value_stride;
  float* out = work.out + first_value;
  Vec sums[R][D];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (int w = 0; w < D; ++w) sums[r][w] = load(out + r * work.width + w * kWord);
  for (std::int64_t position = work.positions.begin; position < work.positions.end;) {
    const std::int64_t place = position % kWord, left = work.positions.end - position;
    const std::int64_t n = kWord - place < left ? kWord - place : left;
    const Element* value = work.chunk.values[position / kWord] + place * stride + first_value;
    const float* p = work.p + position;
    for (std::int64_t i = 0; i < n; ++i, value += stride) {
      Vec row[D];
#pragma GCC unroll 16
      for (int w = 0; w < D; ++w) row[w] = load_word(value + w * kWord);
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

// All values from `first_value` on, in tiles of D words while they last, then in smaller ones.
template <class Element, int D, int R>
inline void add_values(const ValueSums<Element>& work, std::int64_t first_value = 0) {
  for (; first_value + D * kWord <= work.width; first_value += D * kWord) add_value_words<Element, D, R>(work, first_value);
  if constexpr (D > 1)
    if (first_value < work.width) add_values<Element, D / 2, R>(work, first_value);
}

struct SoftmaxPart {
  float maximum, sum;
};

// Scores to probabilities, in place: zero outside the span, up to whole words.
inline SoftmaxPart chunk_softmax(float* scores, Span span, float scale, float cap) {
  constexpr float kIndex[kWord] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Vec index = load(kIndex), factor = splat(scale);
  const Vec hidden = splat(-__builtin_inff());
  const Vec caps = splat(cap), inverse_cap = splat(cap != 0 ? 1.0f / cap : 0.0f);
  const std::int64_t first = span.begin / kWord, last = (span.end - 1) / kWord;
  Vec largest = hidden;
  for (std::int64_t word = first; word <= last; ++word) {
    Vec s = mul(load(scores + word * kWord), factor);
    if (cap != 0) s = soft_cap(s, caps, inverse_cap);
    if (word == first) s = select_less(index, splat(static_cast<float>(span.begin - word * kWord)), hidden, s);
    if (word == last) s = select_less(index, splat(static_cast<float>(span.end - word * kWord)), s, hidden);
    store(scores + word * kWord, s);
    largest = max(largest, s);
  }
  const float maximum = max_lane(largest);
  const Vec shift = splat(maximum);
  Vec sums = zero();
  for (std::int64_t word = first; word <= last; ++word) {
    const Vec p = exp_negative(sub(load(scores + word * kWord), shift));
    store(scores + word * kWord, p);
    sums = add(sums, p);
  }
  return {maximum, sum(sums)};
}

// Joins a chunk to what the chunks before it gave.  out, chunk_out: [head_dim]
inline void merge_chunk(SoftmaxPart& total, float* out, SoftmaxPart chunk, const float* chunk_out, std::int64_t head_dim) {
  const float larger = total.maximum > chunk.maximum ? total.maximum : chunk.maximum;
  float shifts[kWord] = {total.maximum - larger, chunk.maximum - larger};
  store(shifts, exp_negative(load(shifts)));
  total = {larger, __builtin_fmaf(total.sum, shifts[0], chunk.sum * shifts[1])};
  const Vec before = splat(shifts[0]), now = splat(shifts[1]);
  std::int64_t d = 0;
  for (; d + kWord <= head_dim; d += kWord) store(out + d, fma(load(out + d), before, mul(load(chunk_out + d), now)));
  for (; d < head_dim; ++d) out[d] = __builtin_fmaf(out[d], shifts[0], chunk_out[d] * shifts[1]);
}

// Some rows of one sequence for one KV head, on their way through the chunks.
struct AttendPass {
  const AttendArgs& args;
  std::int64_t first_row, n_rows;                                       // within args.rows
  std::int64_t width;                                                   // head_dim in whole words
  float *maxima, *sums, *queries, *scores, *chunk_out, *keys, *values;  // AttendScratch

  AttendPass(const AttendArgs& all, std::int64_t first, std::int64_t n) : args(all), first_row(first), n_rows(n) {
    const AttendScratch at = attend_scratch_layout(args.store.head_dim, args.group);
    auto* scratch = reinterpret_cast<float*>(args.scratch);
    width = round_to_words(args.store.head_dim);
    maxima = scratch + at.maxima;
    sums = scratch + at.sums;
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
};

// The whole way of `n` ≤ R pairs through one chunk.
template <class Element, int R>
void attend_tile(const AttendPass& pass, const ChunkView<Element>& view, std::int64_t chunk, std::int64_t first_pair,
                 std::int64_t n) {
  constexpr int P = words_beside(R, 4), D = words_beside(R, 8), kSoloD = words_beside(1, 8);
  const AttendArgs& args = pass.args;
  Span spans[R], all{kChunk, 0}, common{0, kChunk};
  for (std::int64_t r = 0; r < n; ++r) {
    spans[r] = pass.span_of(first_pair + r, chunk);
    if (spans[r].empty()) continue;
    all = {spans[r].begin < all.begin ? spans[r].begin : all.begin, spans[r].end > all.end ? spans[r].end : all.end};
    common = {spans[r].begin > common.begin ? spans[r].begin : common.begin,
              spans[r].end < common.end ? spans[r].end : common.end};
  }
  if (all.empty()) return;
  const std::int64_t head_dim = args.store.head_dim, width = pass.width;
  for (std::int64_t word = all.begin / kWord; word * kWord < all.end; word += P)
    score_words<Element, P, R>(view.keys + word, view.key_stride, head_dim, pass.queries + first_pair * head_dim,
                               pass.scores + word * kWord);
  SoftmaxPart parts[R] = {};
  for (std::int64_t r = 0; r < n; ++r)
    if (!spans[r].empty()) parts[r] = chunk_softmax(pass.scores + r * kScoreStride, spans[r], args.scale, args.soft_cap);

  // Positions that all pairs see go through the tile; those before and behind, which only some see, by pair.
  for (std::int64_t i = 0; i < R * width; ++i) pass.chunk_out[i] = 0;
  const auto add_alone = [&](std::int64_t r, Span positions) {
    if (!positions.empty())
      add_values<Element, kSoloD, 1>({view, positions, pass.scores + r * kScoreStride, pass.chunk_out + r * width, width});
  };
  if (common.empty()) common = {kChunk, kChunk};
  for (std::int64_t r = 0; r < n; ++r) add_alone(r, {spans[r].begin, spans[r].end < common.begin ? spans[r].end : common.begin});
  if (!common.empty()) add_values<Element, D, R>({view, common, pass.scores, pass.chunk_out, width});
  for (std::int64_t r = 0; r < n; ++r)
    if (!spans[r].empty()) add_alone(r, {common.end, spans[r].end});

  for (std::int64_t r = 0; r < n; ++r) {
    const std::int64_t pair = first_pair + r;
    if (spans[r].empty()) continue;
    const bool first_chunk = pass.first_seen(pair) / kChunk == chunk;
    float* out = args.out + pass.head_offset(pair);
    SoftmaxPart total = parts[r];
    if (first_chunk) {
      for (std::int64_t d = 0; d < head_dim; ++d) out[d] = pass.chunk_out[r * width + d];
    } else {
      total = {pass.maxima[pair], pass.sums[pair]};
      merge_chunk(total, out, parts[r], pass.chunk_out + r * width, head_dim);
    }
    pass.maxima[pair] = total.maximum;
    pass.sums[pair] = total.sum;
  }
}

// The smallest tile that holds n pairs.
constexpr int tile_pairs(std::int64_t n) {
  constexpr int kSizes[] = {1, 2, 3, 4, 6, 8, 12};
  for (int size : kSizes)
    if (n <= size && size <= kTilePairs) return size;
  return kTilePairs;
}

template <class Element, int R = 1>
void attend_tile_of(const AttendPass& pass, const ChunkView<Element>& view, std::int64_t chunk, std::int64_t first_pair,
                    std::int64_t n) {
  if (n <= R) return attend_tile<Element, R>(pass, view, chunk, first_pair, n);
  if constexpr (R < kTilePairs) attend_tile_of<Element, tile_pairs(R + 1)>(pass, view, chunk, first_pair, n);
}

template <class Element>
void attend_tiles(const AttendPass& pass, const ChunkView<Element>& view, std::int64_t chunk) {
  for (std::int64_t pair = 0; pair < pass.n_pairs(); pair += kTilePairs) {
    const std::int64_t left = pass.n_pairs() - pair;
    attend_tile_of<Element>(pass, view, chunk, pair, left < kTilePairs ? left : kTilePairs);
  }
}

// The words [first, last] of a chunk as they lie in the store.
template <class Element>
ChunkView<Element> stored_chunk(const AttendArgs& args, std::int64_t chunk, std::int64_t first, std::int64_t last) {
  const KvView& store_view = args.store;
  const std::int64_t head_dim = store_view.head_dim, block_tokens = store_view.block_tokens;
  ChunkView<Element> view;
  view.key_stride = block_tokens;
  view.value_stride = head_dim;
  for (std::int64_t word = first; word <= last; ++word) {
    const std::int64_t position = chunk * kChunk + word * kWord, place = position % block_tokens;
    const std::int64_t head =
        (static_cast<std::int64_t>(args.blocks[position / block_tokens]) * store_view.n_kv_heads + args.kv_head) * head_dim *
        block_tokens;
    view.keys[word] = reinterpret_cast<const Element*>(store_view.k) + head + place;
    view.values[word] = reinterpret_cast<const Element*>(store_view.v) + head + place * head_dim;
  }
  for (int i = 1; i <= 3; ++i) view.keys[last + i] = view.keys[last];
  return view;
}

// The same words as float32, in the pass's scratch.
template <class Element>
ChunkView<float> copied_chunk(const AttendPass& pass, const ChunkView<Element>& from, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kGroup = 4 * kWord;  // positions beside each other in the copy of the keys
  const std::int64_t head_dim = pass.args.store.head_dim;
  ChunkView<float> view;
  view.key_stride = kGroup;
  view.value_stride = pass.width;
  for (std::int64_t word = first; word <= last; ++word) {
    float* keys = pass.keys + word / 4 * head_dim * kGroup + word % 4 * kWord;
    for (std::int64_t d = 0; d < head_dim; ++d) store(keys + d * kGroup, load_word(from.keys[word] + d * from.key_stride));
    float* values = pass.values + word * kWord * pass.width;
    for (std::int64_t i = 0; i < kWord; ++i) {
      const Element* value = from.values[word] + i * from.value_stride;
      std::int64_t d = 0;
      for (; d + kWord <= head_dim; d += kWord) store(values + i * pass.width + d, load_word(value + d));
      if (d < head_dim) {
        Element rest[kWord] = {};
        for (std::int64_t j = 0; d + j < head_dim; ++j) rest[j] = value[d + j];
        store(values + i * pass.width + d, load_word(rest));
      }
    }
    view.keys[word] = keys;
    view.values[word] = values;
  }
  for (int i = 1; i <= 3; ++i) view.keys[last + i] = view.keys[last];
  return view;
}

// Queries by tile, the pairs of one value beside each other; missing pairs of the last tile are zero.
inline void pack_queries(const AttendPass& pass) {
  const std::int64_t head_dim = pass.args.store.head_dim;
  for (std::int64_t first = 0; first < pass.n_pairs(); first += kTilePairs) {
    const std::int64_t left = pass.n_pairs() - first, size = tile_pairs(left);
    float* tile = pass.queries + first * head_dim;
    for (std::int64_t r = 0; r < size; ++r) {
      const float* q = pass.args.q + (r < left ? pass.head_offset(first + r) : 0);
      for (std::int64_t d = 0; d < head_dim; ++d) tile[d * size + r] = r < left ? q[d] : 0.0f;
    }
  }
  // What the missing pairs find as probabilities must be numbers.
  for (std::int64_t i = 0; i < kTilePairsMax * kScoreStride; ++i) pass.scores[i] = 0;
}

template <class Element>
void attend_rows(const AttendPass& pass) {
  const AttendArgs& args = pass.args;
  pack_queries(pass);
  // With this many tiles a copy pays for itself; a row that is no whole number of words can't be read in place.
  const bool many = sizeof(Element) == 2 && pass.n_pairs() > 2 * kTilePairs;
  const bool copied = many || pass.width != args.store.head_dim;
  const std::int64_t begin = pass.first_seen(0), end = pass.position_of(pass.n_pairs() - 1) + 1;
  for (std::int64_t chunk = begin / kChunk; chunk * kChunk < end; ++chunk) {
    const std::int64_t origin = chunk * kChunk;
    const std::int64_t first = begin > origin ? (begin - origin) / kWord : 0;
    const std::int64_t last = end - origin < kChunk ? (end - 1 - origin) / kWord : kChunk / kWord - 1;
    const ChunkView<Element> view = stored_chunk<Element>(args, chunk, first, last);
    if (copied)
      attend_tiles(pass, copied_chunk(pass, view, first, last), chunk);
    else
      attend_tiles(pass, view, chunk);
  }
  for (std::int64_t pair = 0; pair < pass.n_pairs(); ++pair) {
    float* out = args.out + pass.head_offset(pair);
    const float total = pass.sums[pair];
    for (std::int64_t d = 0; d < args.store.head_dim; ++d) out[d] /= total;
  }
}

void attend(const AttendArgs& args) {
  const std::int64_t step = rows_per_pass(args.group);
  for (std::int64_t row = 0; row < args.rows.n_rows; row += step) {
    const std::int64_t left = args.rows.n_rows - row;
    const AttendPass pass(args, row, left < step ? left : step);
    if (args.store.type == tensor::DType::F16)
      attend_rows<std::uint16_t>(pass);
    else
      attend_rows<float>(pass);
  }
}
