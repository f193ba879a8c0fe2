// Sixteen floats without any instruction set: the interface that kernels/simd.inl.h describes, and its meaning.
// Included inside the namespace of the set.

struct Vec {
  float lane[16];
};
constexpr int kVecRegisters = 4;  // if the compiler makes use of 16 registers of four floats

template <class Make>
inline Vec each_lane(Make make) {
  Vec v;
  for (int i = 0; i < 16; ++i) v.lane[i] = make(i);
  return v;
}

inline Vec splat(float x) {
  return each_lane([=](int) { return x; });
}
inline Vec load(const float* p) {
  return each_lane([=](int i) { return p[i]; });
}
inline Vec load_f16(const std::uint16_t* p) {
  return each_lane([=](int i) { return tensor::f16_to_f32(p[i]); });
}
inline Vec load_bf16(const std::uint16_t* p) {
  return each_lane([=](int i) { return tensor::bf16_to_f32(p[i]); });
}
inline Vec load_i8(const std::int8_t* p) {
  return each_lane([=](int i) { return static_cast<float>(p[i]); });
}
inline Vec load_i4(const std::uint8_t* p, bool high) {
  return each_lane([=](int i) { return static_cast<float>((high ? p[i] >> 4 : p[i] & 15) - 8); });
}
inline float f16_value(std::uint16_t bits) { return tensor::f16_to_f32(bits); }
inline Vec load_i32(const std::int32_t* p) {
  return each_lane([=](int i) { return static_cast<float>(p[i]); });
}
inline void store(float* p, Vec v) {
  for (int i = 0; i < 16; ++i) p[i] = v.lane[i];
}
inline void store_f16(std::uint16_t* p, Vec v) {
  for (int i = 0; i < 16; ++i) p[i] = tensor::f32_to_f16(v.lane[i]);
}
inline void store_i8(std::int8_t* p, Vec v) {
  for (int i = 0; i < 16; ++i) p[i] = static_cast<std::int8_t>(__builtin_rintf(v.lane[i]));
}

inline Vec add(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] + b.lane[i]; });
}
inline Vec sub(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] - b.lane[i]; });
}
inline Vec mul(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] * b.lane[i]; });
}
inline Vec div(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] / b.lane[i]; });
}
inline Vec fma(Vec a, Vec b, Vec c) {
  return each_lane([&](int i) { return __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]); });
}
inline Vec max(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}
inline Vec min(Vec a, Vec b) {
  return each_lane([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}
inline Vec abs(Vec a) {
  return each_lane([&](int i) { return __builtin_fabsf(a.lane[i]); });
}
inline Vec sqrt(Vec a) {
  return each_lane([&](int i) { return __builtin_sqrtf(a.lane[i]); });
}
inline Vec round_even(Vec a) {
  return each_lane([&](int i) { return __builtin_rintf(a.lane[i]); });
}
inline Vec exp2_int(Vec n) {
  return each_lane([&](int i) {
    // What is no int32 becomes the least one, as the processors' own conversion has it.
    const bool fits = n.lane[i] >= -0x1p31f && n.lane[i] < 0x1p31f;
    const std::int64_t exponent = fits ? static_cast<std::int64_t>(n.lane[i]) : INT32_MIN;
    const auto bits = static_cast<std::uint32_t>(exponent + 127) << 23;
    return __builtin_bit_cast(float, bits);
  });
}
inline Vec select_less(Vec a, Vec b, Vec yes, Vec no) {
  return each_lane([&](int i) { return a.lane[i] < b.lane[i] ? yes.lane[i] : no.lane[i]; });
}

inline float sum(Vec v) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) v.lane[i] += v.lane[i + half];
  return v.lane[0];
}
inline float max_lane(Vec v) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) v.lane[i] = v.lane[i] > v.lane[i + half] ? v.lane[i] : v.lane[i + half];
  return v.lane[0];
}
