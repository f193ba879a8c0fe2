// Rows of any type as floats, bit for bit as tensor/dequantize.h does it: the integers of a block are first laid out as
// bytes by plain loops, which compilers turn into vectors, then scaled 16 at a time. Included inside the namespace of
// the set.

inline float f16_value(tensor::Packed16 half) { return f16_value(static_cast<std::uint16_t>(half.low | half.high << 8)); }

// out[i] = d · q[i] (+ m): one rounding each, as the format's own description multiplies and adds.
template <int kCount>
inline void scaled(const std::int8_t* q, float d, float* out) {
  const Vec scale = splat(d);
  for (int i = 0; i < kCount; i += kLanes) store(out + i, mul(load_i8(q + i), scale));
}
template <int kCount>
inline void scaled_plus(const std::int8_t* q, float d, float m, float* out) {
  const Vec scale = splat(d), minimum = splat(m);
  for (int i = 0; i < kCount; i += kLanes) store(out + i, add(mul(load_i8(q + i), scale), minimum));
}

// 32 nibbles of 16 bytes, the low ones first, less `zero`.
inline void lay_nibbles(const std::uint8_t* qs, int zero_point, std::int8_t* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = static_cast<std::int8_t>((qs[i] & 15) - zero_point);
    q[i + 16] = static_cast<std::int8_t>((qs[i] >> 4) - zero_point);
  }
}
inline void lay_fifth_bits(const std::uint8_t* qh, std::int8_t* q) {
  for (int i = 0; i < 32; ++i) q[i] = static_cast<std::int8_t>(q[i] + ((qh[i / 8] >> i % 8 & 1) << 4));
}
inline void lay_iq4(const std::uint8_t* qs, std::int8_t* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = tensor::kIq4Values[qs[i] & 15];
    q[i + 16] = tensor::kIq4Values[qs[i] >> 4];
  }
}

inline void dequantize(const tensor::BlockQ4_0& b, float* out) {
  std::int8_t q[32];
  lay_nibbles(b.qs, 8, q);
  scaled<32>(q, f16_value(b.d), out);
}
inline void dequantize(const tensor::BlockQ4_1& b, float* out) {
  std::int8_t q[32];
  lay_nibbles(b.qs, 0, q);
  scaled_plus<32>(q, f16_value(b.d), f16_value(b.m), out);
}
inline void dequantize(const tensor::BlockQ5_0& b, float* out) {
  std::int8_t q[32];
  lay_nibbles(b.qs, 16, q);
  lay_fifth_bits(b.qh, q);
  scaled<32>(q, f16_value(b.d), out);
}
inline void dequantize(const tensor::BlockQ5_1& b, float* out) {
  std::int8_t q[32];
  lay_nibbles(b.qs, 0, q);
  lay_fifth_bits(b.qh, q);
  scaled_plus<32>(q, f16_value(b.d), f16_value(b.m), out);
}
inline void dequantize(const tensor::BlockQ8_0& b, float* out) { scaled<32>(b.qs, f16_value(b.d), out); }
inline void dequantize(const tensor::BlockIQ4_NL& b, float* out) {
  std::int8_t q[32];
  lay_iq4(b.qs, q);
  scaled<32>(q, f16_value(b.d), out);
}

inline void dequantize(const tensor::BlockQ2_K& b, float* out) {
  const float d = f16_value(b.d), dmin = f16_value(b.dmin);
  std::int8_t q[256];
  for (int j = 0; j < 8; ++j)  // 32 weights: quarter j mod 4 of half j div 4
    for (int i = 0; i < 32; ++i) q[32 * j + i] = static_cast<std::int8_t>(b.qs[j / 4 * 32 + i] >> j % 4 * 2 & 3);
  for (int g = 0; g < 16; ++g) {
    const float scale = d * static_cast<float>(b.scales[g] & 15), minimum = dmin * static_cast<float>(b.scales[g] >> 4);
    scaled_plus<16>(q + 16 * g, scale, -minimum, out + 16 * g);
  }
}
inline void dequantize(const tensor::BlockQ3_K& b, float* out) {
  const float d = f16_value(b.d);
  std::int8_t q[256];
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 32; ++i) {
      const int two = b.qs[j / 4 * 32 + i] >> j % 4 * 2 & 3, third = b.hmask[i] >> j & 1;
      q[32 * j + i] = static_cast<std::int8_t>(two + 4 * third - 4);
    }
  for (int g = 0; g < 16; ++g) {
    const int low = b.scales[g % 8] >> g / 8 * 4 & 15, high = b.scales[8 + g % 4] >> g / 4 * 2 & 3;
    scaled<16>(q + 16 * g, d * static_cast<float>((low | high << 4) - 32), out + 16 * g);
  }
}

struct SixBits {
  int scale, minimum;
};
inline SixBits k_scale(const std::uint8_t* s, int g) {
  if (g < 4) return {s[g] & 63, s[g + 4] & 63};
  return {(s[g + 4] & 15) | s[g - 4] >> 6 << 4, s[g + 4] >> 4 | s[g] >> 6 << 4};
}
inline void lay_k_nibbles(const std::uint8_t* qs, std::int8_t* q) {
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 32; ++i) {
      q[64 * j + i] = static_cast<std::int8_t>(qs[32 * j + i] & 15);
      q[64 * j + 32 + i] = static_cast<std::int8_t>(qs[32 * j + i] >> 4);
    }
}
template <class Block>
inline void scale_k_groups(const Block& b, const std::int8_t* q, float* out) {
  const float d = f16_value(b.d), dmin = f16_value(b.dmin);
  for (int g = 0; g < 8; ++g) {
    const SixBits six = k_scale(b.scales, g);
    scaled_plus<32>(q + 32 * g, d * static_cast<float>(six.scale), -(dmin * static_cast<float>(six.minimum)), out + 32 * g);
  }
}
inline void dequantize(const tensor::BlockQ4_K& b, float* out) {
  std::int8_t q[256];
  lay_k_nibbles(b.qs, q);
  scale_k_groups(b, q, out);
}
inline void dequantize(const tensor::BlockQ5_K& b, float* out) {
  std::int8_t q[256];
  lay_k_nibbles(b.qs, q);
  for (int g = 0; g < 8; ++g)
    for (int i = 0; i < 32; ++i) q[32 * g + i] = static_cast<std::int8_t>(q[32 * g + i] + ((b.qh[i] >> g & 1) << 4));
  scale_k_groups(b, q, out);
}
inline void dequantize(const tensor::BlockQ6_K& b, float* out) {
  const float d = f16_value(b.d);
  std::int8_t q[256];
  for (int j = 0; j < 8; ++j)  // 32 weights: quarter j mod 4 of half j div 4
    for (int i = 0; i < 32; ++i) {
      const int low = b.ql[64 * (j / 4) + 32 * (j % 2) + i] >> j % 4 / 2 * 4 & 15;
      const int high = b.qh[32 * (j / 4) + i] >> j % 4 * 2 & 3;
      q[32 * j + i] = static_cast<std::int8_t>((low | high << 4) - 32);
    }
  for (int g = 0; g < 16; ++g) scaled<16>(q + 16 * g, d * static_cast<float>(b.scales[g]), out + 16 * g);
}
inline void dequantize(const tensor::BlockIQ4_XS& b, float* out) {
  const float d = f16_value(b.d);
  for (int g = 0; g < 8; ++g) {
    const int low = b.scales_l[g / 2] >> g % 2 * 4 & 15, high = (g < 4 ? b.scales_h.low : b.scales_h.high) >> g % 4 * 2 & 3;
    std::int8_t q[32];
    lay_iq4(b.qs + 16 * g, q);
    scaled<32>(q, d * static_cast<float>((low | high << 4) - 32), out + 32 * g);
  }
}

template <class Block>
inline void dequantize_blocks(const std::byte* row, std::int64_t n, float* out) {
  constexpr std::int64_t kSize = sizeof(Block) > 34 ? 256 : 32;
  for (std::int64_t i = 0; i < n; i += kSize, row += sizeof(Block)) dequantize(*reinterpret_cast<const Block*>(row), out + i);
}

// Words of 16-bit floats, the last one shorter.
template <class LoadWord>
inline void widen_row(const std::byte* row, std::int64_t n, float* out, LoadWord load_word) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(row);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(out + i, load_word(halves + i));
  std::uint16_t rest[kLanes] = {};
  std::memcpy(rest, halves + i, static_cast<std::size_t>(n - i) * 2);
  store_first(out + i, n - i, load_word(rest));
}

void dequantize_row(tensor::DType type, const std::byte* row, std::int64_t n, float* out) {
  using tensor::DType;
  switch (type) {
    case DType::F32:
      std::memcpy(out, row, static_cast<std::size_t>(n) * 4);
      return;
    case DType::F16:
      return widen_row(row, n, out, load_f16);
    case DType::BF16:
      return widen_row(row, n, out, load_bf16);
    case DType::Q4_0:
      return dequantize_blocks<tensor::BlockQ4_0>(row, n, out);
    case DType::Q4_1:
      return dequantize_blocks<tensor::BlockQ4_1>(row, n, out);
    case DType::Q5_0:
      return dequantize_blocks<tensor::BlockQ5_0>(row, n, out);
    case DType::Q5_1:
      return dequantize_blocks<tensor::BlockQ5_1>(row, n, out);
    case DType::Q8_0:
      return dequantize_blocks<tensor::BlockQ8_0>(row, n, out);
    case DType::IQ4_NL:
      return dequantize_blocks<tensor::BlockIQ4_NL>(row, n, out);
    case DType::Q2_K:
      return dequantize_blocks<tensor::BlockQ2_K>(row, n, out);
    case DType::Q3_K:
      return dequantize_blocks<tensor::BlockQ3_K>(row, n, out);
    case DType::Q4_K:
      return dequantize_blocks<tensor::BlockQ4_K>(row, n, out);
    case DType::Q5_K:
      return dequantize_blocks<tensor::BlockQ5_K>(row, n, out);
    case DType::Q6_K:
      return dequantize_blocks<tensor::BlockQ6_K>(row, n, out);
    case DType::IQ4_XS:
      return dequantize_blocks<tensor::BlockIQ4_XS>(row, n, out);
  }
}
