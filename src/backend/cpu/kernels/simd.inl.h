// A word of 16 floats, the same on every instruction set, so that a kernel written once over it computes the same bits
// everywhere: one zmm, two ymm, or an array. Included inside the namespace of the set, after isa/vec_SET.inl.h, which gives
//   kVecRegisters                         Vecs that the register file holds
//   Vec                                   by value; all operations are exact or rounded once, to nearest even
//   splat(x)  load(p)  store(p, v)        no alignment asked
//   load_f16  load_bf16  load_i8  load_i32     16 values of the type, as floats;  store_f16(p, v): rounded
//   load_i4(p, high)                      the low or the high four bits of 16 bytes, minus 8, as floats
//   f16_value(bits)                       one half float
//   store_i8(p, v)                        rounded to even; |v| ≤ 127
//   add sub mul div  fma(a, b, c)         fma = a·b + c, rounded once; add(mul) is never contracted
//   max(a, b)  min(a, b)                  a > b ? a : b, a < b ? a : b  (so b where either is not a number)
//   abs  sqrt  round_even
//   exp2_int(n)                           2^n of whole n in [-126, 127]; 0 of -127
//   select_less(a, b, yes, no)            a < b ? yes : no, by lane
//   sum(v)  max_lane(v)                   sum as a tree: lanes i + (i+8), i + (i+4), i + (i+2), i + (i+1)
//   sums_of(words)                        where the set has a short way: sum() of each of 16 words
// Nothing of std is called here that is not a plain type: an inline function of a shared header, compiled with this
// set's instructions, could be the copy that the linker keeps for everyone.

constexpr std::int64_t kLanes = 16;

inline Vec zero() { return splat(0.0f); }

// The first n floats (0 ≤ n < 16), the other lanes `rest`.
inline Vec load_first(const float* p, std::int64_t n, float rest = 0.0f) {
  float lanes[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = i < n ? p[i] : rest;
  return load(lanes);
}
inline void store_first(float* p, std::int64_t n, Vec v) {
  float lanes[kLanes];
  store(lanes, v);
  for (std::int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}

// sum() of each of 16 words.
template <class Words>
inline Vec sum_each(const Words& words) {
  if constexpr (requires { sums_of(words); }) {
    return sums_of(words);
  } else {
    float sums[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) sums[i] = sum(load(words[i]));
    return load(sums);
  }
}
