// Panels of weights as the format gives them. Included inside the namespace of the set.

constexpr bool kMatrixTiles = false;

template <class F>
using Stored = Plain<F>;
template <class F>
inline Quads stored(Quads q) {
  return q;
}
template <class F>
inline Quads at_once(Quads q) {
  return q;
}
