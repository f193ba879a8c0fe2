// Attention over the paged store. One order of arithmetic for one row and for many, whatever the blocks:
//   score        f32 f16 bf16 keys: one fma chain over head_dim, ascending; q8_0 q4_0: the query as int8 with a scale per 32
//                values, groups of 32 ascending, fma(float(exact integer sum) · k_scale, q_scale, score); · scale; soft cap
//   chunk        256 positions, counted from position 0: the largest visible score m; p = e^(s - m);
//                l: 16 sums by position mod 16, ascending, then the tree of sum(); o: per value one fma chain of p · v
//                over the visible positions, ascending; v as a float, exactly
//   merge        chunks left to right; the first visible one is taken as it is, then with M = max(m, m'):
//                l = fma(l, e^(m-M), l' · e^(m'-M)), o = fma(o, e^(m-M), o' · e^(m'-M)), m = M; in the end o / l
// Positions that a row can't see take no part (their memory may hold anything), so skipping them changes no bit. Chunks may
// be computed apart, on several threads, and merged afterwards: the same steps.
//
// The work goes by tiles of (row, head) pairs, which share every load of a key or a value. Few pairs read the store
// itself; many read a float32 copy of the chunk, made once per pass. Block sizes are multiples of 16.

#include "backend/cpu/kernels/kv_elements.inl.h"

#include "backend/cpu/kernels/attention_pass.inl.h"

#include "backend/cpu/kernels/attention_scores.inl.h"
#include "backend/cpu/kernels/attention_values.inl.h"

struct SoftmaxPart {
  float maximum, sum;
};

// Scaled, capped, and minus infinity outside the span, up to whole words: in place. The largest.
inline float finish_scores(float* scores, Span span, float scale, float cap) {
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
  return max_lane(largest);
}

// Scores to probabilities, in place; their sum.
inline float exponentials(float* scores, Span span, float maximum) {
  const Vec shift = splat(maximum);
  Vec sums = zero();
  for (std::int64_t word = span.begin / kWord; word * kWord < span.end; ++word) {
    const Vec p = exp_negative(sub(load(scores + word * kWord), shift));
    store(scores + word * kWord, p);
    sums = add(sums, p);
  }
  return sum(sums);
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

// The probabilities of every pair that sees something of the chunk: a tile's maxima first, so that one pair's need not be
// waited for before the next one's can begin.
inline void softmax_pairs(const AttendPass& pass, std::int64_t chunk) {
  pass.for_tiles([&](Tile tile) {
    const auto each_seen = [&](auto body) {
      for (std::int64_t pair = tile.first; pair < tile.first + tile.n; ++pair)
        if (const Span seen = pass.span_of(pair, chunk); !seen.empty()) body(pair, pass.scores + pair * kScoreStride, seen);
    };
    each_seen([&](std::int64_t pair, float* scores, Span seen) {
      pass.chunk_maxima[pair] = finish_scores(scores, seen, pass.args.scale, pass.args.soft_cap);
    });
    each_seen([&](std::int64_t pair, float* scores, Span seen) {
      pass.chunk_sums[pair] = exponentials(scores, seen, pass.chunk_maxima[pair]);
    });
  });
}

// The chunk joins the ones before it, in `out`.
inline void merge_pairs(const AttendPass& pass, std::int64_t chunk) {
  for (std::int64_t pair = 0; pair < pass.n_pairs(); ++pair) {
    if (pass.span_of(pair, chunk).empty()) continue;
    const std::int64_t head_dim = pass.args.store.head_dim;
    const float* chunk_out = pass.chunk_out + pair * pass.width;
    float* out = pass.args.out + pass.head_offset(pair);
    SoftmaxPart total{pass.chunk_maxima[pair], pass.chunk_sums[pair]};
    if (pass.first_seen(pair) / kChunk == chunk) {
      std::memcpy(out, chunk_out, static_cast<std::size_t>(head_dim) * sizeof(float));
    } else {
      const SoftmaxPart part = total;
      total = {pass.maxima[pair], pass.sums[pair]};
      merge_chunk(total, out, part, chunk_out, head_dim);
    }
    pass.maxima[pair] = total.maximum;
    pass.sums[pair] = total.sum;
  }
}

// The chunk alone, for attend_merge: [pair] of sums, then maximum and sum; a sum of zero where nothing is visible.
inline void keep_pairs(const AttendPass& pass, std::int64_t chunk) {
  const std::int64_t stride = attend_partial_floats(pass.args.store.head_dim);
  float* partials =
      pass.args.partials + ((chunk - pass.args.first_chunk) * pass.args.rows.n_rows + pass.first_row) * pass.args.group * stride;
  for (std::int64_t pair = 0; pair < pass.n_pairs(); ++pair) {
    float* partial = partials + pair * stride;
    const bool visible = !pass.span_of(pair, chunk).empty();
    std::memcpy(partial, pass.chunk_out + pair * pass.width, static_cast<std::size_t>(pass.width) * sizeof(float));
    partial[pass.width] = pass.chunk_maxima[pair];
    partial[pass.width + 1] = visible ? pass.chunk_sums[pair] : 0.0f;
  }
}

inline void attend_chunk(const AttendPass& pass, std::int64_t chunk) {
  const KvView& kv = pass.args.store;
  const std::int64_t origin = chunk * kChunk, begin = pass.first_seen(0), end = pass.position_of(pass.n_pairs() - 1) + 1;
  if (begin >= origin + kChunk || end <= origin) {
    if (pass.args.partials != nullptr) keep_pairs(pass, chunk);
    return;
  }
  const Words words{begin > origin ? (begin - origin) / kWord : 0,
                    end - origin < kChunk ? (end - 1 - origin) / kWord : kChunkWords - 1};
  ChunkView view = stored_chunk(pass.args, chunk, words);
  // With this many tiles a copy pays for itself; a row that is no whole number of words can't be read in place.
  const bool many = pass.n_pairs() > 2 * kTilePairs;
  with_element(kv.k_type, [&](auto element) {
    using Element = decltype(element);
    if constexpr (kIsSame<Element, Eight>) {
      score_integers<KeysEight>(pass, view, chunk, words);
    } else if constexpr (kIsSame<Element, Four>) {
      score_integers<KeysFour>(pass, view, chunk, words);
    } else if (many) {
      copy_keys<Element>(pass, view, words);
      score_floats<float>(pass, view, chunk, words);
    } else {
      score_floats<Element>(pass, view, chunk, words);
    }
  });
  softmax_pairs(pass, chunk);
  with_element(kv.v_type, [&](auto element) {
    using Element = decltype(element);
    if (many || (!kIsScaled<Element> && pass.width != kv.head_dim)) {
      copy_values<Element>(pass, view, words);
      add_chunk_values<Copied>(pass, view, chunk);
    } else {
      add_chunk_values<Element>(pass, view, chunk);
    }
  });
  if (pass.args.partials != nullptr)
    keep_pairs(pass, chunk);
  else
    merge_pairs(pass, chunk);
}

inline void attend_pass(const AttendPass& pass) {
  const AttendArgs& args = pass.args;
  if (tensor::DType::Q8_0 == args.store.k_type || tensor::DType::Q4_0 == args.store.k_type)
    pack_integer_queries(pass);
  else
    pack_float_queries(pass);
  if (args.partials != nullptr) {
    for (std::int64_t chunk = args.first_chunk; chunk < args.first_chunk + args.n_chunks; ++chunk) attend_chunk(pass, chunk);
    return;
  }
  const std::int64_t last = pass.position_of(pass.n_pairs() - 1) / kChunk;
  for (std::int64_t chunk = pass.first_seen(0) / kChunk; chunk <= last; ++chunk) attend_chunk(pass, chunk);
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
    attend_pass(AttendPass(args, row, left < step ? left : step));
  }
}

void attend_merge(const AttendMergeArgs& args) {
  const std::int64_t width = round_to_words(args.head_dim);
  float* total = args.partials;
  for (std::int64_t i = 1; i < args.n; ++i) {
    const float* partial = args.partials + i * args.stride;
    if (partial[width + 1] == 0) continue;
    if (total[width + 1] == 0) {
      std::memcpy(total, partial, static_cast<std::size_t>(width + 2) * sizeof(float));
      continue;
    }
    SoftmaxPart sum{total[width], total[width + 1]};
    merge_chunk(sum, total, {partial[width], partial[width + 1]}, partial, args.head_dim);
    total[width] = sum.maximum;
    total[width + 1] = sum.sum;
  }
  if (args.out == nullptr) return;
  for (std::int64_t d = 0; d < args.head_dim; ++d) args.out[d] = total[d] / total[width + 1];
}
