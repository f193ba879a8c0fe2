// Bytes of 16 rows without any instruction set: the interface that kernels/quads.inl.h describes, and its meaning.
// Included inside the namespace of the set.

struct Quads {
  std::uint8_t byte[16][4];
};
struct FourQuads {
  Quads part[4];
};
struct Ints {
  std::int32_t lane[16];
};

constexpr int kTileColumns = 1;
constexpr int kDirectColumns = 1, kAtOnceColumns = 1;
constexpr int kFloatTileRows = 1, kFloatTileColumns = 1;

template <class Make>
inline Quads each_byte(Make make) {
  Quads out;
  for (int r = 0; r < 16; ++r)
    for (int b = 0; b < 4; ++b) out.byte[r][b] = static_cast<std::uint8_t>(make(r, b));
  return out;
}
template <class Make>
inline Ints each_int(Make make) {
  Ints out;
  for (int r = 0; r < 16; ++r) out.lane[r] = static_cast<std::int32_t>(make(r));
  return out;
}

inline Quads load_quads(const std::uint8_t* p) {
  Quads out;
  std::memcpy(&out, p, sizeof(out));
  return out;
}
inline void store_quads(std::uint8_t* p, Quads q) { std::memcpy(p, &q, sizeof(q)); }
inline FourQuads gather_quads(const std::byte* p, std::size_t stride) {
  FourQuads out;
  for (int r = 0; r < 16; ++r)
    for (int i = 0; i < 4; ++i) std::memcpy(out.part[i].byte[r], p + r * stride + 4 * i, 4);
  return out;
}

template <int kShift>
inline Quads bits(Quads q, int mask) {
  return each_byte([&](int r, int b) {
    if constexpr (kShift < 0)
      return q.byte[r][b] << -kShift & mask;
    else
      return q.byte[r][b] >> kShift & mask;
  });
}
inline Quads either(Quads x, Quads y) {
  return each_byte([&](int r, int b) { return x.byte[r][b] | y.byte[r][b]; });
}
inline Quads looked_up(Quads q, const std::int8_t* table) {
  return each_byte([&](int r, int b) { return table[q.byte[r][b]]; });
}
template <int kBit>
inline Quads spread(Ints words, int value) {
  return each_byte([&](int r, int b) { return (words.lane[r] >> (kBit + b) & 1) * value; });
}

inline Ints as_ints(Quads q) { return __builtin_bit_cast(Ints, q); }
template <int kByte>
inline Ints byte_of(Ints i) {
  return each_int([&](int r) { return i.lane[r] >> 8 * kByte & 0xff; });
}
template <int kByte>
inline Ints signed_byte_of(Ints i) {
  return each_int([&](int r) { return static_cast<std::int8_t>(i.lane[r] >> 8 * kByte); });
}
inline Ints masked(Ints i, std::uint32_t mask) {
  return each_int([&](int r) { return static_cast<std::uint32_t>(i.lane[r]) & mask; });
}
template <int kShift>
inline Ints shifted_right(Ints i) {
  return each_int([&](int r) { return static_cast<std::uint32_t>(i.lane[r]) >> kShift; });
}
template <int kShift>
inline Ints shifted_left(Ints i) {
  return each_int([&](int r) { return static_cast<std::uint32_t>(i.lane[r]) << kShift; });
}
inline Ints either(Ints x, Ints y) {
  return each_int([&](int r) { return x.lane[r] | y.lane[r]; });
}
inline Ints plus(Ints x, Ints y) {
  return each_int([&](int r) { return static_cast<std::uint32_t>(x.lane[r]) + static_cast<std::uint32_t>(y.lane[r]); });
}
inline Vec to_floats(Ints i) {
  return each_lane([&](int r) { return static_cast<float>(i.lane[r]); });
}
inline Vec low_f16(Ints i) {
  return each_lane([&](int r) { return tensor::f16_to_f32(static_cast<std::uint16_t>(i.lane[r])); });
}
inline Vec high_f16(Ints i) { return low_f16(shifted_right<16>(i)); }

template <class K>
struct Dot {
  void start(std::int32_t offset) {
    const std::int32_t first = K::kForm == Form::zero_point ? offset / 128 * K::kZero : 0;
    sum = each_int([=](int) { return first; });
  }
  template <int kStep>
  void add(Quads w, const std::int8_t* x) {
    for (int r = 0; r < 16; ++r)
      for (int b = 0; b < 4; ++b)
        sum.lane[r] += x[b] * (K::kForm == Form::wide ? static_cast<std::int8_t>(w.byte[r][b]) : w.byte[r][b]);
  }
  template <int kSteps>
  Ints total() const {
    return sum;
  }
  Ints sum;
};
