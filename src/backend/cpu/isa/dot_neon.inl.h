// Products of quads_neon.inl.h's weights on any 64-bit ARM. Included inside the namespace of the set.

template <class K>
struct Dot : DotSum<K> {
  using DotSum<K>::sum;
  // Two products of bytes fit 16 bits: |w| ≤ 128, |x| ≤ 127.
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    const int8x16_t four = vreinterpretq_s8_s32(vdupq_n_s32(load_i32x1(x)));
    for (int i = 0; i < 4; ++i) {
      const int8x16_t weights = vreinterpretq_s8_u8(w.part[i]);
      const int16x8_t low = vmull_s8(vget_low_s8(weights), vget_low_s8(four)), high = vmull_high_s8(weights, four);
      sum[i] = vpadalq_s16(sum[i], vpaddq_s16(low, high));
    }
  }
};
