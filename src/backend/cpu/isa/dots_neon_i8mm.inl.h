// Products of quads_neon.inl.h's weights with two rows of activations at once: the interface that kernels/dots.inl.h
// describes, with smmla, which multiplies 2 × 8 bytes with 8 × 2. So two steps' Quads of [row][4] are stored as two of [row][8],
// of rows 0–7 and of rows 8–15. Included inside the namespace of the set.

template <class F, int kStep, class QuadsOfGroup>
inline Quads stored_step(const QuadsOfGroup& quads) {
  constexpr int kFirstPart = kStep % 2 * 2;
  const Quads a = stored<F>(quads[kStep - kStep % 2]), b = stored<F>(quads[kStep - kStep % 2 + 1]);
  return each_four_rows([&](int i) {
    const uint32x4_t low = vreinterpretq_u32_u8(a.part[kFirstPart + i / 2]);
    const uint32x4_t high = vreinterpretq_u32_u8(b.part[kFirstPart + i / 2]);
    return vreinterpretq_u8_u32(i % 2 == 0 ? vzip1q_u32(low, high) : vzip2q_u32(low, high));
  });
}

template <class F, int kStep, class QuadsOfGroup>
inline Quads at_once_step(const QuadsOfGroup& quads) {
  return stored_step<F, kStep>(quads);
}

template <class K, int kRows>
struct Dots {
  // A row without a partner goes by sdot, whose sums are then of half a row of weights.
  static constexpr bool alone(int row) { return row == kRows - 1 && kRows % 2 == 1; }

  template <int kRow>
  void start(std::int32_t offset) {
    const std::int32_t first = first_sum<K>(offset);
    int32x4_t(&sums)[8] = pairs[kRow / 2];
    if constexpr (kRow % 2 == 0)
      for (int32x4_t& sum : sums)
        sum = vcombine_s32(vset_lane_s32(first, vdup_n_s32(0), 0), vset_lane_s32(first, vdup_n_s32(0), 0));
    else
      for (int32x4_t& sum : sums) sum = vsetq_lane_s32(first, vsetq_lane_s32(first, sum, 1), 3);
  }

  template <int kRow, int kStep>
  void add(Quads w, const std::int8_t* x) {
    const int8x8_t eight = vld1_s8(x - 4 * (kStep % 2));
    int32x4_t* sums = pairs[kRow / 2] + kStep % 2 * 4;
    if constexpr (alone(kRow)) {
      const int8x16_t twice = vcombine_s8(eight, eight);
      for (int i = 0; i < 4; ++i) sums[i] = vdotq_s32(sums[i], vreinterpretq_s8_u8(w.part[i]), twice);
    } else if constexpr (kRow % 2 == 0) {
      partner = eight;
    } else {
      const int8x16_t both = vcombine_s8(partner, eight);
      for (int i = 0; i < 4; ++i) sums[i] = vmmlaq_s32(sums[i], vreinterpretq_s8_u8(w.part[i]), both);
    }
  }

  template <int kRow, int kSteps>
  Ints total() const {
    const int32x4_t(&sums)[8] = pairs[kRow / 2];
    return each_four_ints([&](int i) {
      const int32x4_t a = sums[2 * i], b = sums[2 * i + 1];
      if constexpr (alone(kRow))
        return vreinterpretq_u32_s32(vpaddq_s32(a, b));
      else
        return vreinterpretq_u32_s32(kRow % 2 == 0 ? vuzp1q_s32(a, b) : vuzp2q_s32(a, b));
    });
  }

  int32x4_t pairs[(kRows + 1) / 2][8];  // of two rows of weights each: [weight row][activation row]
  int8x8_t partner;
};
