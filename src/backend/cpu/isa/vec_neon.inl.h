// Sixteen floats as four NEON registers (any 64-bit ARM): the interface that kernels/simd.inl.h describes.
// Included inside the namespace of the set.

struct Vec {
  float32x4_t part[4];  // lanes 0–3, 4–7, 8–11, 12–15
};
constexpr int kVecRegisters = 8;

template <class Make>
inline Vec each_part(Make make) {
  return {{make(0), make(1), make(2), make(3)}};
}

inline Vec splat(float x) {
  return each_part([=](int) { return vdupq_n_f32(x); });
}
inline Vec load(const float* p) {
  return each_part([=](int i) { return vld1q_f32(p + 4 * i); });
}
inline float32x4_t widen_f16(uint16x4_t halves) { return vcvt_f32_f16(vreinterpret_f16_u16(halves)); }
inline Vec load_f16(const std::uint16_t* p) {
  return each_part([=](int i) { return widen_f16(vld1_u16(p + 4 * i)); });
}
inline Vec load_bf16(const std::uint16_t* p) {
  return each_part([=](int i) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p + 4 * i), 16)); });
}
inline Vec floats_of(int8x16_t bytes) {
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
  return {{vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
           vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))}};
}
inline Vec load_i8(const std::int8_t* p) { return floats_of(vld1q_s8(p)); }
inline Vec load_i4(const std::uint8_t* p, bool high) {
  const uint8x16_t bytes = vld1q_u8(p);
  const uint8x16_t four_bits = high ? vshrq_n_u8(bytes, 4) : vandq_u8(bytes, vdupq_n_u8(15));
  return floats_of(vsubq_s8(vreinterpretq_s8_u8(four_bits), vdupq_n_s8(8)));
}
inline float f16_value(std::uint16_t bits) { return vgetq_lane_f32(widen_f16(vdup_n_u16(bits)), 0); }
inline Vec load_i32(const std::int32_t* p) {
  return each_part([=](int i) { return vcvtq_f32_s32(vld1q_s32(p + 4 * i)); });
}
inline void store(float* p, Vec v) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, v.part[i]);
}
inline void store_f16(std::uint16_t* p, Vec v) {
  for (int i = 0; i < 4; ++i) vst1_u16(p + 4 * i, vreinterpret_u16_f16(vcvt_f16_f32(v.part[i])));
}
inline void store_i8(std::int8_t* p, Vec v) {
  const auto words = [](float32x4_t a, float32x4_t b) {
    return vqmovn_high_s32(vqmovn_s32(vcvtnq_s32_f32(a)), vcvtnq_s32_f32(b));
  };
  vst1q_s8(p, vqmovn_high_s16(vqmovn_s16(words(v.part[0], v.part[1])), words(v.part[2], v.part[3])));
}

inline Vec add(Vec a, Vec b) {
  return each_part([&](int i) { return vaddq_f32(a.part[i], b.part[i]); });
}
inline Vec sub(Vec a, Vec b) {
  return each_part([&](int i) { return vsubq_f32(a.part[i], b.part[i]); });
}
inline Vec mul(Vec a, Vec b) {
  return each_part([&](int i) { return vmulq_f32(a.part[i], b.part[i]); });
}
inline Vec div(Vec a, Vec b) {
  return each_part([&](int i) { return vdivq_f32(a.part[i], b.part[i]); });
}
inline Vec fma(Vec a, Vec b, Vec c) {
  return each_part([&](int i) { return vfmaq_f32(c.part[i], a.part[i], b.part[i]); });
}
// The processor's own fmax and fmin would give neither b for a not-a-number nor b of two zeros.
inline float32x4_t greater(float32x4_t a, float32x4_t b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
inline Vec max(Vec a, Vec b) {
  return each_part([&](int i) { return greater(a.part[i], b.part[i]); });
}
inline Vec min(Vec a, Vec b) {
  return each_part([&](int i) { return vbslq_f32(vcltq_f32(a.part[i], b.part[i]), a.part[i], b.part[i]); });
}
inline Vec abs(Vec a) {
  return each_part([&](int i) { return vabsq_f32(a.part[i]); });
}
inline Vec sqrt(Vec a) {
  return each_part([&](int i) { return vsqrtq_f32(a.part[i]); });
}
inline Vec round_even(Vec a) {
  return each_part([&](int i) { return vrndnq_f32(a.part[i]); });
}
// What is no number becomes 2^0, here by way of 0, elsewhere by way of the least int32.
inline Vec exp2_int(Vec n) {
  return each_part(
      [&](int i) { return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n.part[i]), vdupq_n_s32(127)), 23)); });
}
inline Vec select_less(Vec a, Vec b, Vec yes, Vec no) {
  return each_part([&](int i) { return vbslq_f32(vcltq_f32(a.part[i], b.part[i]), yes.part[i], no.part[i]); });
}

inline float sum(Vec v) {
  const float32x4_t four = vaddq_f32(vaddq_f32(v.part[0], v.part[2]), vaddq_f32(v.part[1], v.part[3]));
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
inline float max_lane(Vec v) {
  const float32x4_t four = greater(greater(v.part[0], v.part[2]), greater(v.part[1], v.part[3]));
  const float32x4_t two = greater(four, vextq_f32(four, four, 2));
  return vgetq_lane_f32(greater(two, vextq_f32(two, two, 1)), 0);
}
