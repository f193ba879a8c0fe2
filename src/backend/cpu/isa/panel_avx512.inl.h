// Panels of unsigned weights, for vpdpbusd. Included inside the namespace of the set.

constexpr bool kMatrixTiles = false;

template <class F>
using Stored = Unsigned<F>;
template <class F>
inline Quads stored(Quads q) {
  return as_unsigned<F>(q);
}
