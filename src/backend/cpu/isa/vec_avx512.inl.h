// Sixteen floats as one AVX-512 register (F, BW, DQ, VL): the interface that kernels/simd.inl.h describes.
// Included inside the namespace of the set.

struct Vec {
  __m512 zmm;
};
constexpr int kVecRegisters = 32;

inline Vec splat(float x) { return {_mm512_set1_ps(x)}; }
inline Vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
inline __m256i load_16x16(const std::uint16_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline Vec load_f16(const std::uint16_t* p) { return {_mm512_cvtph_ps(load_16x16(p))}; }
inline Vec load_bf16(const std::uint16_t* p) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_16x16(p)), 16))};
}
inline Vec load_i8(const std::int8_t* p) {
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))))};
}
inline Vec load_i4(const std::uint8_t* p, bool high) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i four_bits = _mm_and_si128(high ? _mm_srli_epi16(bytes, 4) : bytes, _mm_set1_epi8(15));
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_sub_epi8(four_bits, _mm_set1_epi8(8))))};
}
inline float f16_value(std::uint16_t bits) { return _cvtsh_ss(bits); }
inline Vec load_i32(const std::int32_t* p) { return {_mm512_cvtepi32_ps(_mm512_loadu_si512(p))}; }
inline void store(float* p, Vec v) { _mm512_storeu_ps(p, v.zmm); }
inline void store_f16(std::uint16_t* p, Vec v) {
  const __m256i halves = _mm512_cvtps_ph(v.zmm, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), halves);
}
inline void store_i8(std::int8_t* p, Vec v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(v.zmm)));
}

inline Vec add(Vec a, Vec b) { return {_mm512_add_ps(a.zmm, b.zmm)}; }
inline Vec sub(Vec a, Vec b) { return {_mm512_sub_ps(a.zmm, b.zmm)}; }
inline Vec mul(Vec a, Vec b) { return {_mm512_mul_ps(a.zmm, b.zmm)}; }
inline Vec div(Vec a, Vec b) { return {_mm512_div_ps(a.zmm, b.zmm)}; }
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm512_fmadd_ps(a.zmm, b.zmm, c.zmm)}; }
inline Vec max(Vec a, Vec b) { return {_mm512_max_ps(a.zmm, b.zmm)}; }
inline Vec min(Vec a, Vec b) { return {_mm512_min_ps(a.zmm, b.zmm)}; }
inline Vec abs(Vec a) { return {_mm512_abs_ps(a.zmm)}; }
inline Vec sqrt(Vec a) { return {_mm512_sqrt_ps(a.zmm)}; }
inline Vec round_even(Vec a) { return {_mm512_roundscale_ps(a.zmm, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
inline Vec exp2_int(Vec n) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n.zmm), _mm512_set1_epi32(127)), 23))};
}
inline Vec select_less(Vec a, Vec b, Vec yes, Vec no) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.zmm, b.zmm, _CMP_LT_OQ), no.zmm, yes.zmm)};
}

inline float sum(Vec v) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v.zmm), _mm512_extractf32x8_ps(v.zmm, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
inline float max_lane(Vec v) {
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(v.zmm), _mm512_extractf32x8_ps(v.zmm, 1));
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
// sum() of each of 16 words at once: the same additions, of two words' halves, four words' quarters, … in one register.
inline Vec sums_of(const float (&words)[16][16]) {
  __m512 halves[8], quarters[4], pairs[2];
  for (int i = 0; i < 8; ++i) {
    const __m512 a = _mm512_loadu_ps(words[i]), b = _mm512_loadu_ps(words[i + 8]);
    halves[i] = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
  }
  for (int i = 0; i < 4; ++i)  // of words i, i + 8, i + 4, i + 12
    quarters[i] =
        _mm512_add_ps(_mm512_shuffle_f32x4(halves[i], halves[i + 4], 0x88), _mm512_shuffle_f32x4(halves[i], halves[i + 4], 0xdd));
  for (int i = 0; i < 2; ++i)  // in each four lanes of words i, i, i + 2, i + 2
    pairs[i] = _mm512_add_ps(_mm512_shuffle_ps(quarters[i], quarters[i + 2], 0x44),
                             _mm512_shuffle_ps(quarters[i], quarters[i + 2], 0xee));
  const __m512 sums = _mm512_add_ps(_mm512_shuffle_ps(pairs[0], pairs[1], 0x88), _mm512_shuffle_ps(pairs[0], pairs[1], 0xdd));
  const __m512i order = _mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15);
  return {_mm512_permutexvar_ps(order, sums)};
}
