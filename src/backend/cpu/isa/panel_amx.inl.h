// Panels of signed weights, for the tiles of AMX: 16 rows × a group of weights lie in a panel just as a tile wants its second
// factor, [k/4][row][4]. Included inside the namespace of the set.

constexpr bool kMatrixTiles = true;

template <class F>
using Stored = Kind<F::kGroup, F::kForm, 0, 0>;
template <class F>
inline Quads stored(Quads q) {
  if constexpr (F::kForm == Form::wide)
    if constexpr (F::kLookedUp) return {_mm512_xor_si512(q.zmm, _mm512_set1_epi8(static_cast<char>(0x80)))};
  if constexpr (F::kForm == Form::zero_point) return {_mm512_sub_epi8(q.zmm, _mm512_set1_epi8(F::kZero))};
  return q;
}

template <class K>
struct Tiles {
  // What the tiles hold: 0, 1 the sums [columns][16] of two planes, 2, 3 their activations [columns][kGroup], 4 weights; 5, 6
  // further sums.
  template <int kColumns>
  static void configure() {
    struct alignas(64) {
      std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
      std::uint16_t row_bytes[16] = {64, 64, K::kGroup, K::kGroup, 64, 64, 64};
      std::uint8_t rows[16] = {kColumns, kColumns, kColumns, kColumns, K::kGroup / 4, kColumns, kColumns};
    } const config;
    _tile_loadconfig(&config);
  }
  static void release() { _tile_release(); }

  // Plane 1 meets the weights that plane 0 brought.
  template <int kPlane>
  static void multiply(const std::int8_t* x, std::size_t x_stride, const std::uint8_t* weights, std::int32_t (*sums)[16]) {
    if constexpr (kPlane == 0) {
      _tile_zero(0);
      _tile_loadd(2, x, x_stride);
      _tile_loadd(4, weights, 64);
      _tile_dpbssd(0, 2, 4);
      _tile_stored(0, sums, 64);
    } else {
      _tile_zero(1);
      _tile_loadd(3, x, x_stride);
      _tile_dpbssd(1, 3, 4);
      _tile_stored(1, sums, 64);
    }
  }

  static Ints load(const std::int32_t* sums) { return {_mm512_loadu_si512(sums)}; }
};
