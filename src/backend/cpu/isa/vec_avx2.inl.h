// Sixteen floats as two AVX registers (AVX2, FMA, F16C): the interface that kernels/simd.inl.h describes.
// Included inside the namespace of the set.

struct Vec {
  __m256 lo, hi;  // lanes 0–7, 8–15
};
constexpr int kVecRegisters = 8;

inline Vec splat(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline Vec load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline __m128i load_8x16(const std::uint16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline Vec load_f16(const std::uint16_t* p) { return {_mm256_cvtph_ps(load_8x16(p)), _mm256_cvtph_ps(load_8x16(p + 8))}; }
inline __m256 widen_bf16(__m128i x) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16)); }
inline Vec load_bf16(const std::uint16_t* p) { return {widen_bf16(load_8x16(p)), widen_bf16(load_8x16(p + 8))}; }
inline __m256 widen_i8(const std::int8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline Vec load_i8(const std::int8_t* p) { return {widen_i8(p), widen_i8(p + 8)}; }
inline Vec load_i4(const std::uint8_t* p, bool high) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i four_bits = _mm_and_si128(high ? _mm_srli_epi16(bytes, 4) : bytes, _mm_set1_epi8(15));
  const __m128i q = _mm_sub_epi8(four_bits, _mm_set1_epi8(8));
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(q)), _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(q, 8)))};
}
inline float f16_value(std::uint16_t bits) { return _cvtsh_ss(bits); }
inline Vec load_i32(const std::int32_t* p) {
  const auto* q = reinterpret_cast<const __m256i*>(p);
  return {_mm256_cvtepi32_ps(_mm256_loadu_si256(q)), _mm256_cvtepi32_ps(_mm256_loadu_si256(q + 1))};
}
inline void store(float* p, Vec v) {
  _mm256_storeu_ps(p, v.lo);
  _mm256_storeu_ps(p + 8, v.hi);
}
inline void store_f16(std::uint16_t* p, Vec v) {
  auto* q = reinterpret_cast<__m128i*>(p);
  _mm_storeu_si128(q, _mm256_cvtps_ph(v.lo, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  _mm_storeu_si128(q + 1, _mm256_cvtps_ph(v.hi, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline void store_i8(std::int8_t* p, Vec v) {
  const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(v.lo), _mm256_cvtps_epi32(v.hi));  // 0–3 8–11 4–7 12–15
  const __m256i in_order = _mm256_permute4x64_epi64(words, _MM_SHUFFLE(3, 1, 2, 0));
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(in_order), _mm256_extracti128_si256(in_order, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
}

inline Vec add(Vec a, Vec b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
inline Vec sub(Vec a, Vec b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
inline Vec mul(Vec a, Vec b) { return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
inline Vec div(Vec a, Vec b) { return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)}; }
inline Vec max(Vec a, Vec b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
inline Vec min(Vec a, Vec b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
inline Vec abs(Vec a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi)};
}
inline Vec sqrt(Vec a) { return {_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
inline Vec round_even(Vec a) {
  constexpr int kMode = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return {_mm256_round_ps(a.lo, kMode), _mm256_round_ps(a.hi, kMode)};
}
inline __m256 exp2_int_half(__m256 n) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
}
inline Vec exp2_int(Vec n) { return {exp2_int_half(n.lo), exp2_int_half(n.hi)}; }
inline Vec select_less(Vec a, Vec b, Vec yes, Vec no) {
  return {_mm256_blendv_ps(no.lo, yes.lo, _mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ)),
          _mm256_blendv_ps(no.hi, yes.hi, _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ))};
}

inline float sum(Vec v) {
  const __m256 eight = _mm256_add_ps(v.lo, v.hi);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
inline float max_lane(Vec v) {
  const __m256 eight = _mm256_max_ps(v.lo, v.hi);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
