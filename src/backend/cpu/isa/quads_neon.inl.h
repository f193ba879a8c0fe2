// Bytes of 16 rows as four NEON registers: the interface that kernels/quads.inl.h describes, but for the products, which
// are dot_neon*.inl.h's. Included inside the namespace of the set.

struct Quads {
  uint8x16_t part[4];  // rows 0–3, 4–7, 8–11, 12–15
};
struct FourQuads {
  Quads part[4];
};
struct Ints {
  uint32x4_t part[4];
};

constexpr int kTileColumns = 4;
constexpr int kDirectColumns = 2, kAtOnceColumns = 2;
constexpr int kFloatTileRows = 2, kFloatTileColumns = 2;

template <class Make>
inline Quads each_four_rows(Make make) {
  return {{make(0), make(1), make(2), make(3)}};
}
template <class Make>
inline Ints each_four_ints(Make make) {
  return {{make(0), make(1), make(2), make(3)}};
}

inline Quads load_quads(const std::uint8_t* p) {
  return each_four_rows([=](int i) { return vld1q_u8(p + 16 * i); });
}
inline void store_quads(std::uint8_t* p, Quads q) {
  for (int i = 0; i < 4; ++i) vst1q_u8(p + 16 * i, q.part[i]);
}

// 16 bytes of four rows as four registers, [row][4] each.
struct FourWords {
  uint8x16_t word[4];
};
inline uint64x2_t low_words(uint32x4_t a, uint32x4_t b) { return vreinterpretq_u64_u32(vzip1q_u32(a, b)); }
inline uint64x2_t high_words(uint32x4_t a, uint32x4_t b) { return vreinterpretq_u64_u32(vzip2q_u32(a, b)); }
inline FourWords transposed(const std::byte* p, std::size_t stride) {
  const auto row = [=](int i) {
    return vreinterpretq_u32_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(p) + static_cast<std::size_t>(i) * stride));
  };
  const uint32x4_t a = row(0), b = row(1), c = row(2), d = row(3);
  const uint64x2_t ab_low = low_words(a, b), ab_high = high_words(a, b), cd_low = low_words(c, d), cd_high = high_words(c, d);
  return {{vreinterpretq_u8_u64(vzip1q_u64(ab_low, cd_low)), vreinterpretq_u8_u64(vzip2q_u64(ab_low, cd_low)),
           vreinterpretq_u8_u64(vzip1q_u64(ab_high, cd_high)), vreinterpretq_u8_u64(vzip2q_u64(ab_high, cd_high))}};
}
inline FourQuads gather_quads(const std::byte* p, std::size_t stride) {
  const FourWords rows[4] = {transposed(p, stride), transposed(p + 4 * stride, stride), transposed(p + 8 * stride, stride),
                             transposed(p + 12 * stride, stride)};
  const auto quads = [&](int word) { return each_four_rows([&](int i) { return rows[i].word[word]; }); };
  return {{quads(0), quads(1), quads(2), quads(3)}};
}

template <int kShift>
inline Quads bits(Quads q, int mask) {
  const uint8x16_t m = vdupq_n_u8(static_cast<std::uint8_t>(mask));
  return each_four_rows([&](int i) {
    if constexpr (kShift < 0)
      return vandq_u8(vshlq_n_u8(q.part[i], -kShift), m);
    else if constexpr (kShift > 0)
      return vandq_u8(vshrq_n_u8(q.part[i], kShift), m);
    else
      return vandq_u8(q.part[i], m);
  });
}
inline Quads either(Quads a, Quads b) {
  return each_four_rows([&](int i) { return vorrq_u8(a.part[i], b.part[i]); });
}
inline Quads looked_up(Quads q, const std::int8_t* table) {
  const uint8x16_t t = vreinterpretq_u8_s8(vld1q_s8(table));
  return each_four_rows([&](int i) { return vqtbl1q_u8(t, q.part[i]); });
}
// Every byte of a row gets the word's byte that holds its bit, then keeps `value` where the bit is set.
template <int kBit>
inline Quads spread(Ints words, int value) {
  constexpr std::uint8_t kFirstBytes[16] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
  const uint8x16_t copies = vaddq_u8(vld1q_u8(kFirstBytes), vdupq_n_u8(kBit / 8));
  const uint8x16_t bit = vreinterpretq_u8_u32(vdupq_n_u32(0x08040201u << kBit % 8));
  const uint8x16_t v = vdupq_n_u8(static_cast<std::uint8_t>(value));
  return each_four_rows(
      [&](int i) { return vandq_u8(vtstq_u8(vqtbl1q_u8(vreinterpretq_u8_u32(words.part[i]), copies), bit), v); });
}

inline Ints as_ints(Quads q) {
  return each_four_ints([&](int i) { return vreinterpretq_u32_u8(q.part[i]); });
}
inline Ints masked(Ints i, std::uint32_t mask) {
  const uint32x4_t m = vdupq_n_u32(mask);
  return each_four_ints([&](int p) { return vandq_u32(i.part[p], m); });
}
template <int kShift>
inline Ints shifted_right(Ints i) {
  if constexpr (kShift == 0)
    return i;
  else
    return each_four_ints([&](int p) { return vshrq_n_u32(i.part[p], kShift); });
}
template <int kShift>
inline Ints shifted_left(Ints i) {
  return each_four_ints([&](int p) { return vshlq_n_u32(i.part[p], kShift); });
}
template <int kByte>
inline Ints byte_of(Ints i) {
  return masked(shifted_right<8 * kByte>(i), 0xff);
}
template <int kByte>
inline Ints signed_byte_of(Ints i) {
  const Ints up = shifted_left<24 - 8 * kByte>(i);
  return each_four_ints([&](int p) { return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(up.part[p]), 24)); });
}
inline Ints either(Ints a, Ints b) {
  return each_four_ints([&](int p) { return vorrq_u32(a.part[p], b.part[p]); });
}
inline Ints plus(Ints a, Ints b) {
  return each_four_ints([&](int p) { return vaddq_u32(a.part[p], b.part[p]); });
}
inline Vec to_floats(Ints i) {
  return each_part([&](int p) { return vcvtq_f32_s32(vreinterpretq_s32_u32(i.part[p])); });
}
inline Vec low_f16(Ints i) {
  return each_part([&](int p) { return widen_f16(vmovn_u32(i.part[p])); });
}
inline Vec high_f16(Ints i) {
  return each_part([&](int p) { return widen_f16(vshrn_n_u32(i.part[p], 16)); });
}

// The first summand of a group's products.
template <class K>
inline std::int32_t first_sum(std::int32_t offset) {
  return K::kForm == Form::zero_point ? offset / 128 * K::kZero : 0;
}

// What the Dots of both sets have in common.
template <class K>
struct DotSum {
  void start(std::int32_t offset) {
    for (int32x4_t& part : sum) part = vdupq_n_s32(first_sum<K>(offset));
  }
  template <int kSteps>
  Ints total() const {
    return each_four_ints([&](int i) { return vreinterpretq_u32_s32(sum[i]); });
  }
  int32x4_t sum[4];
};
