// Bytes of 16 rows as one AVX-512 register: the interface that kernels/quads.inl.h describes, but for what a panel holds,
// which is panel_avx512.inl.h's or panel_amx.inl.h's. Included inside the namespace of the set.

struct Quads {
  __m512i zmm;
};
struct FourQuads {
  Quads part[4];
};
struct Ints {
  __m512i zmm;
};

constexpr int kTileColumns = 8;
constexpr int kDirectColumns = 16, kAtOnceColumns = 8;
constexpr int kFloatTileRows = 4, kFloatTileColumns = 6;

inline Quads load_quads(const std::uint8_t* p) { return {_mm512_loadu_si512(p)}; }
inline void store_quads(std::uint8_t* p, Quads q) { _mm512_storeu_si512(p, q.zmm); }

// 16 bytes of the rows at `p` and 4, 8 and 12 rows further, as the four parts of a register.
inline __m512i four_rows(const std::byte* p, std::size_t stride) {
  const auto row = [=](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 4 * i * stride)); };
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(row(0)), row(1), 1);
  return _mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi256_si512(low), row(2), 2), row(3), 3);
}
inline FourQuads gather_quads(const std::byte* p, std::size_t stride) {
  const __m512i a = four_rows(p, stride), b = four_rows(p + stride, stride);
  const __m512i c = four_rows(p + 2 * stride, stride), d = four_rows(p + 3 * stride, stride);
  const __m512i ab_low = _mm512_unpacklo_epi32(a, b), ab_high = _mm512_unpackhi_epi32(a, b);
  const __m512i cd_low = _mm512_unpacklo_epi32(c, d), cd_high = _mm512_unpackhi_epi32(c, d);
  return {{{_mm512_unpacklo_epi64(ab_low, cd_low)},
           {_mm512_unpackhi_epi64(ab_low, cd_low)},
           {_mm512_unpacklo_epi64(ab_high, cd_high)},
           {_mm512_unpackhi_epi64(ab_high, cd_high)}}};
}

template <int kShift>
inline Quads bits(Quads q, int mask) {
  const __m512i m = _mm512_set1_epi8(static_cast<char>(mask));
  if constexpr (kShift < 0)
    return {_mm512_and_si512(_mm512_slli_epi16(q.zmm, -kShift), m)};
  else if constexpr (kShift > 0)
    return {_mm512_and_si512(_mm512_srli_epi16(q.zmm, kShift), m)};
  else
    return {_mm512_and_si512(q.zmm, m)};
}
inline Quads either(Quads a, Quads b) { return {_mm512_or_si512(a.zmm, b.zmm)}; }
inline Quads looked_up(Quads q, const std::int8_t* table) {
  const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_xor_si128(values, _mm_set1_epi8(static_cast<char>(0x80)))), q.zmm)};
}
// The permutation looks at four bits of each row's word and fetches the four bytes that they stand for.
template <int kBit>
inline Quads spread(Ints words, int value) {
  const __m512i four_bytes =
      _mm512_set_epi32(0x01010101, 0x01010100, 0x01010001, 0x01010000, 0x01000101, 0x01000100, 0x01000001, 0x01000000, 0x00010101,
                       0x00010100, 0x00010001, 0x00010000, 0x00000101, 0x00000100, 0x00000001, 0x00000000);
  const __m512i table = _mm512_mullo_epi32(four_bytes, _mm512_set1_epi32(value));
  return {_mm512_permutexvar_epi32(_mm512_srli_epi32(words.zmm, kBit), table)};
}

inline Ints as_ints(Quads q) { return {q.zmm}; }
inline Ints masked(Ints i, std::uint32_t mask) { return {_mm512_and_si512(i.zmm, _mm512_set1_epi32(static_cast<int>(mask)))}; }
template <int kShift>
inline Ints shifted_right(Ints i) {
  return {_mm512_srli_epi32(i.zmm, kShift)};
}
template <int kShift>
inline Ints shifted_left(Ints i) {
  return {_mm512_slli_epi32(i.zmm, kShift)};
}
template <int kByte>
inline Ints byte_of(Ints i) {
  return masked(shifted_right<8 * kByte>(i), 0xff);
}
template <int kByte>
inline Ints signed_byte_of(Ints i) {
  return {_mm512_srai_epi32(_mm512_slli_epi32(i.zmm, 24 - 8 * kByte), 24)};
}
inline Ints either(Ints a, Ints b) { return {_mm512_or_si512(a.zmm, b.zmm)}; }
inline Ints plus(Ints a, Ints b) { return {_mm512_add_epi32(a.zmm, b.zmm)}; }
inline Vec to_floats(Ints i) { return {_mm512_cvtepi32_ps(i.zmm)}; }
inline Vec low_f16(Ints i) { return {_mm512_cvtph_ps(_mm512_cvtepi32_epi16(i.zmm))}; }
inline Vec high_f16(Ints i) { return low_f16(shifted_right<16>(i)); }

// vpdpbusd wants unsigned weights: every type with a zero is weight + 128, so that the group's offset, the start of its sum,
// serves them all.
template <class F>
using Unsigned = Kind<F::kGroup, F::kForm == Form::minimum ? Form::minimum : Form::wide, 0, 0>;
template <class F>
inline Quads as_unsigned(Quads q) {
  if constexpr (F::kForm == Form::wide)
    if constexpr (!F::kLookedUp) return {_mm512_xor_si512(q.zmm, _mm512_set1_epi8(static_cast<char>(0x80)))};
  if constexpr (F::kForm == Form::zero_point)
    return {_mm512_add_epi8(q.zmm, _mm512_set1_epi8(static_cast<char>(128 - F::kZero)))};
  return q;
}
// For a few columns another start of the sum is less work than other weights.
template <class F>
inline Quads at_once(Quads q) {
  if constexpr (F::kForm == Form::wide) return as_unsigned<F>(q);
  return q;
}

template <class K>
struct Dot {
  void start(std::int32_t offset) {
    sum.zmm = _mm512_set1_epi32(K::kForm == Form::minimum ? 0 : offset);
    if constexpr (K::kForm == Form::zero_point) sum.zmm = _mm512_srai_epi32(sum.zmm, __builtin_ctz(128 / K::kZero));
  }
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    sum.zmm = _mm512_dpbusd_epi32(sum.zmm, w.zmm, _mm512_set1_epi32(load_i32x1(x)));
  }
  template <int kSteps>
  Ints total() const {
    return sum;
  }
  Ints sum;
};
