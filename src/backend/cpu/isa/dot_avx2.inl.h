// Products of quads_avx2.inl.h's weights in AVX2 alone. Included inside the namespace of the set.

// vpmaddubsw adds two products in 16 bits with saturation, which 2 · 127 · kMax never reaches; several such pairs are
// added before they widen, as many as 16 bits surely hold. Signed weights give their sign to x: |w| ≤ 128 fits as well.
template <class K>
struct Dot {
  static constexpr int kRoom = K::kForm == Form::wide ? 1 : 32767 / (2 * 127 * K::kMax);

  void start(std::int32_t offset) {
    __m256i first = _mm256_setzero_si256();
    if constexpr (K::kForm == Form::zero_point)
      first = _mm256_srai_epi32(_mm256_set1_epi32(offset), __builtin_ctz(128 / K::kZero));
    sum = {first, first};
  }
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    const __m256i four = _mm256_set1_epi32(load_i32x1(x));
    const __m256i lo = products(w.lo, four), hi = products(w.hi, four);
    if constexpr (kStep % kRoom == 0)
      pairs = {lo, hi};
    else
      pairs = {_mm256_add_epi16(pairs.lo, lo), _mm256_add_epi16(pairs.hi, hi)};
    if constexpr (kStep % kRoom == kRoom - 1) widen();
  }
  template <int kSteps>
  Ints total() {
    if constexpr (kSteps % kRoom != 0) widen();
    return sum;
  }

  static __m256i products(__m256i w, __m256i x) {
    if constexpr (K::kForm == Form::wide)
      return _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
    else
      return _mm256_maddubs_epi16(w, x);
  }
  void widen() {
    const __m256i ones = _mm256_set1_epi16(1);
    sum = {_mm256_add_epi32(sum.lo, _mm256_madd_epi16(pairs.lo, ones)),
           _mm256_add_epi32(sum.hi, _mm256_madd_epi16(pairs.hi, ones))};
  }
  Ints sum;
  Ints pairs;
};
