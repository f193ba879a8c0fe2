// Bytes of 16 rows at once, so that the lanes of every sum are 16 output rows. Included inside the namespace of the set,
// before isa/quads_SET.inl.h, which gives
//   Quads                 four neighbouring bytes of each of 16 rows, [row][4];  load_quads(p)  store_quads(p, q),
//                         at any address
//   Ints                  one int32 of each of 16 rows
//   gather_quads(p, s)    the 16 bytes at p + row · s, of each row, as FourQuads
//   bits<n>(q, mask)      (byte >> n) & mask; n < 0: (byte << -n) & mask. The mask keeps no bit of a neighbour byte
//   either(a, b)          a | b
//   looked_up(q, table)   table[byte] for bytes below 16, as stored<F>() of formats with kLookedUp takes it
//   spread<n>(i, value)   byte b of a row: value where bit n + b of the row's word is set, else 0
//   as_ints(q)  byte_of<n>(i)  signed_byte_of<n>(i)  masked(i, mask)  shifted_right<n>(i)  shifted_left<n>(i)
//   either(i, i)  plus(i, i)
//   to_floats(i)  low_f16(i)  high_f16(i)      as Vec: the values; the half floats in bits 0–15, in bits 16–31
//   Stored<F>             the Kind of weights that the set keeps of format F in a panel;  stored<F>(q): such weights
//   at_once<F>(q)         such weights of Kind Plain<F> as the set uses without a panel, by few columns
//   Dot<Kind>             Σ weight · x of one group, exact in int32, for each row:  start(offset) with offset =
//                         -128 · Σ x;  add<step>(w, x) with 4 int8 at x, steps from 0 upwards;  total<steps>()
//   kMatrixTiles          whether many columns meet a whole group of weights in one instruction; then Tiles<Kind> has
//                         configure<columns>()  release()
//                         multiply<plane>(x, x_stride, weights, sums): sums[column][row] = Σ weight · x of one group, exact;
//                         x: the first column's values, weights: the panel's;  load(sums): 16 of them
//   kTileColumns          columns whose sums fit the registers
//   kDirectColumns        up to so many columns are computed while weights are unpacked, without a panel, kAtOnceColumns
//                         at a time
//   kFloatTileRows, kFloatTileColumns      rows and columns of float products whose sums fit the registers

template <class K>
struct Tiles;

// How a type's bytes mean weights; minima are the caller's.
enum class Form {
  zero_point,  // unsigned, at most kMax; weight ∝ byte - kZero
  minimum,     // unsigned, at most kMax; weight ∝ byte, and the group has a minimum
  wide,        // signed, all 8 bits
};

// What the products need to know of weights: how many share a scale (32 or 16), and their form.
template <int kGroupSize, Form kFormOf, int kZeroOf, int kMost>
struct Kind {
  static constexpr int kGroup = kGroupSize, kZero = kZeroOf, kMax = kMost;
  static constexpr Form kForm = kFormOf;
};

// A format's weights as it gives them.
template <class F>
using Plain = Kind<F::kGroup, F::kForm, F::kZero, F::kMax>;

template <int kValue>
struct Index {
  static constexpr int value = kValue;
};
template <int... kValues>
struct Indices {};
template <int kCount, int... kValues>
struct CountTo : CountTo<kCount - 1, kCount - 1, kValues...> {};
template <int... kValues>
struct CountTo<0, kValues...> {
  using List = Indices<kValues...>;
};

template <class Body, int... kValues>
[[gnu::always_inline]] inline void repeat_list(Indices<kValues...>, Body& body) {
  (body(Index<kValues>{}), ...);
}
// body(Index<0>), … body(Index<n - 1>): a loop that is certainly unrolled, with its counter a constant.
template <int kCount, class Body>
[[gnu::always_inline]] inline void repeat(Body body) {
  repeat_list(typename CountTo<kCount>::List{}, body);
}

inline std::int32_t load_i32x1(const std::int8_t* p) {
  std::int32_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}
