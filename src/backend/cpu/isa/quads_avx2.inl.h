// Bytes of 16 rows as two AVX2 registers: the interface that kernels/quads.inl.h describes, but for the products, which
// are dot_avx2.inl.h's or dot_avxvnni.inl.h's. Included inside the namespace of the set.

struct Quads {
  __m256i lo, hi;  // rows 0–7, 8–15
};
struct FourQuads {
  Quads part[4];
};
struct Ints {
  __m256i lo, hi;
};

constexpr int kTileColumns = 4;
constexpr int kDirectColumns = 4, kAtOnceColumns = 2;
constexpr int kFloatTileRows = 2, kFloatTileColumns = 2;

inline Quads load_quads(const std::uint8_t* p) {
  const auto* q = reinterpret_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
}
inline void store_quads(std::uint8_t* p, Quads q) {
  auto* out = reinterpret_cast<__m256i*>(p);
  _mm256_storeu_si256(out, q.lo);
  _mm256_storeu_si256(out + 1, q.hi);
}

// 16 bytes of the rows at `p` and four rows further, as the two halves of a register.
inline __m256i two_rows(const std::byte* p, std::size_t stride) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 4 * stride)),
                                 1);
}
// Four registers of [row i | row i + 4], i < 4, as four of [word j of rows 0–3 | word j of rows 4–7].
struct FourWords {
  __m256i word[4];
};
inline FourWords transposed(const std::byte* p, std::size_t stride) {
  const __m256i a = two_rows(p, stride), b = two_rows(p + stride, stride);
  const __m256i c = two_rows(p + 2 * stride, stride), d = two_rows(p + 3 * stride, stride);
  const __m256i ab_low = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
  const __m256i cd_low = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
  return {{_mm256_unpacklo_epi64(ab_low, cd_low), _mm256_unpackhi_epi64(ab_low, cd_low), _mm256_unpacklo_epi64(ab_high, cd_high),
           _mm256_unpackhi_epi64(ab_high, cd_high)}};
}
inline FourQuads gather_quads(const std::byte* p, std::size_t stride) {
  const FourWords lo = transposed(p, stride), hi = transposed(p + 8 * stride, stride);
  return {{{lo.word[0], hi.word[0]}, {lo.word[1], hi.word[1]}, {lo.word[2], hi.word[2]}, {lo.word[3], hi.word[3]}}};
}

template <int kShift>
inline __m256i shifted_words(__m256i v) {
  if constexpr (kShift < 0)
    return _mm256_slli_epi16(v, -kShift);
  else if constexpr (kShift > 0)
    return _mm256_srli_epi16(v, kShift);
  else
    return v;
}
template <int kShift>
inline Quads bits(Quads q, int mask) {
  const __m256i m = _mm256_set1_epi8(static_cast<char>(mask));
  return {_mm256_and_si256(shifted_words<kShift>(q.lo), m), _mm256_and_si256(shifted_words<kShift>(q.hi), m)};
}
inline Quads either(Quads a, Quads b) { return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)}; }
inline Quads looked_up(Quads q, const std::int8_t* table) {
  const __m256i t = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {_mm256_shuffle_epi8(t, q.lo), _mm256_shuffle_epi8(t, q.hi)};
}
// Every byte of a row gets the word's byte that holds its bit, then keeps `value` where the bit is set.
template <int kBit>
inline __m256i spread_half(__m256i words, __m256i value) {
  const __m256i copies = _mm256_add_epi8(
      _mm256_set1_epi8(kBit / 8), _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0));
  const __m256i bit = _mm256_set1_epi32(static_cast<int>(0x08040201u << kBit % 8));
  const __m256i chosen = _mm256_and_si256(_mm256_shuffle_epi8(words, copies), bit);
  return _mm256_and_si256(_mm256_cmpeq_epi8(chosen, bit), value);
}
template <int kBit>
inline Quads spread(Ints words, int value) {
  const __m256i v = _mm256_set1_epi8(static_cast<char>(value));
  return {spread_half<kBit>(words.lo, v), spread_half<kBit>(words.hi, v)};
}

inline Ints as_ints(Quads q) { return {q.lo, q.hi}; }
inline Ints masked(Ints i, std::uint32_t mask) {
  const __m256i m = _mm256_set1_epi32(static_cast<int>(mask));
  return {_mm256_and_si256(i.lo, m), _mm256_and_si256(i.hi, m)};
}
template <int kShift>
inline Ints shifted_right(Ints i) {
  return {_mm256_srli_epi32(i.lo, kShift), _mm256_srli_epi32(i.hi, kShift)};
}
template <int kShift>
inline Ints shifted_left(Ints i) {
  return {_mm256_slli_epi32(i.lo, kShift), _mm256_slli_epi32(i.hi, kShift)};
}
template <int kByte>
inline Ints byte_of(Ints i) {
  return masked(shifted_right<8 * kByte>(i), 0xff);
}
template <int kByte>
inline Ints signed_byte_of(Ints i) {
  constexpr int kUp = 24 - 8 * kByte;
  return {_mm256_srai_epi32(_mm256_slli_epi32(i.lo, kUp), 24), _mm256_srai_epi32(_mm256_slli_epi32(i.hi, kUp), 24)};
}
inline Ints either(Ints a, Ints b) { return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)}; }
inline Ints plus(Ints a, Ints b) { return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)}; }
inline Vec to_floats(Ints i) { return {_mm256_cvtepi32_ps(i.lo), _mm256_cvtepi32_ps(i.hi)}; }
inline __m256 half_floats(__m256i words) {  // of words below 2^16
  const __m256i in_order = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), _MM_SHUFFLE(3, 1, 2, 0));
  return _mm256_cvtph_ps(_mm256_castsi256_si128(in_order));
}
inline Vec low_f16(Ints i) {
  const Ints low = masked(i, 0xffff);
  return {half_floats(low.lo), half_floats(low.hi)};
}
inline Vec high_f16(Ints i) {
  const Ints high = shifted_right<16>(i);
  return {half_floats(high.lo), half_floats(high.hi)};
}
