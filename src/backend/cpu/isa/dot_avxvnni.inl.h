// Products of quads_avx2.inl.h's weights with AVX-VNNI. Included inside the namespace of the set.

constexpr bool kMatrixTiles = false;

// vpdpbusd wants unsigned weights: every type with a zero is kept as weight + 128, so that the group's offset, the
// start of its sum, serves them all.
template <class F>
using Stored = Kind<F::kGroup, F::kForm == Form::minimum ? Form::minimum : Form::wide, 0, 0>;
template <class F>
inline Quads stored(Quads q) {
  const auto moved = [](__m256i bytes) {
    if constexpr (F::kForm == Form::wide) return _mm256_xor_si256(bytes, _mm256_set1_epi8(static_cast<char>(0x80)));
    if constexpr (F::kForm == Form::zero_point)
      return _mm256_add_epi8(bytes, _mm256_set1_epi8(static_cast<char>(128 - F::kZero)));
    return bytes;
  };
  return {moved(q.lo), moved(q.hi)};
}
// For a few columns another start of the sum is less work than other weights.
template <class F>
inline Quads at_once(Quads q) {
  if constexpr (F::kForm == Form::wide) return stored<F>(q);
  return q;
}

template <class K>
struct Dot {
  void start(std::int32_t offset) {
    __m256i first = _mm256_set1_epi32(K::kForm == Form::minimum ? 0 : offset);
    if constexpr (K::kForm == Form::zero_point) first = _mm256_srai_epi32(first, __builtin_ctz(128 / K::kZero));
    sum = {first, first};
  }
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    const __m256i four = _mm256_set1_epi32(load_i32x1(x));
    sum = {_mm256_dpbusd_avx_epi32(sum.lo, w.lo, four), _mm256_dpbusd_avx_epi32(sum.hi, w.hi, four)};
  }
  template <int kSteps>
  Ints total() const {
    return sum;
  }
  Ints sum;
};
