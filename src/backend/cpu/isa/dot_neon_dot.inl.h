// Products of quads_neon.inl.h's weights with sdot. Included inside the namespace of the set.

template <class K>
struct Dot : DotSum<K> {
  using DotSum<K>::sum;
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    const int8x16_t four = vreinterpretq_s8_s32(vdupq_n_s32(load_i32x1(x)));
    for (int i = 0; i < 4; ++i) sum[i] = vdotq_s32(sum[i], vreinterpretq_s8_u8(w.part[i]), four);
  }
};
