// Keys and values as they lie in the store (kv_view.h), and as floats, exactly: a scale of 11 bits times an integer of 8
// fits a float. Included inside the namespace of the set.

struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};
struct Eight {};  // int8 and a scale for 32
struct Four {};   // four bits and a scale for 32

inline Vec load_word(const float* p) { return load(p); }
inline Vec load_word(const Half* p) { return load_f16(&p->bits); }
inline Vec load_word(const Brain* p) { return load_bf16(&p->bits); }

inline void store_word(float* p, Vec v) { store(p, v); }
inline void store_word(Half* p, Vec v) { store_f16(&p->bits, v); }
inline void store_word(Brain* p, Vec v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int i = 0; i < kLanes; ++i) p[i].bits = tensor::f32_to_bf16(lanes[i]);
}

// 16 positions of values: [16] rows of bytes, and where the type has scales, f16 [groups][16] with groups scale_stride apart.
struct ValueRows {
  const std::byte* rows;
  const std::uint16_t* scales;
  std::int64_t stride;        // bytes
  std::int64_t scale_stride;  // halves
};

// Reads D words of each of the 16 rows from word `first` on, which is even where D > 1.
template <class Element, int D>
struct RowReader {
  RowReader(const ValueRows& at, std::int64_t first)
      : row(reinterpret_cast<const Element*>(at.rows) + first * kLanes), stride(at.stride / std::int64_t{sizeof(Element)}) {}
  Vec word(std::int64_t i, int w) const { return load_word(row + i * stride + w * kLanes); }

  const Element* row;
  std::int64_t stride;
};

template <int D>
struct ScaledReader {
  static constexpr int kGroups = (D + 1) / 2;
  ScaledReader(const ValueRows& at, std::int64_t first) : stride(at.stride), first_word(first) {
    for (int g = 0; g < kGroups; ++g) store(scale[g], load_f16(at.scales + (first / 2 + g) * at.scale_stride));
  }
  Vec scaled(Vec q, std::int64_t i, int w) const { return mul(q, splat(scale[w / 2][i])); }

  std::int64_t stride, first_word;
  float scale[kGroups][kLanes];
};

template <int D>
struct RowReader<Eight, D> : ScaledReader<D> {
  RowReader(const ValueRows& at, std::int64_t first)
      : ScaledReader<D>(at, first), row(reinterpret_cast<const std::int8_t*>(at.rows) + first * kLanes) {}
  Vec word(std::int64_t i, int w) const { return this->scaled(load_i8(row + i * this->stride + w * kLanes), i, w); }

  const std::int8_t* row;
};

template <int D>
struct RowReader<Four, D> : ScaledReader<D> {
  RowReader(const ValueRows& at, std::int64_t first)
      : ScaledReader<D>(at, first), row(reinterpret_cast<const std::uint8_t*>(at.rows) + first / 2 * kLanes) {}
  Vec word(std::int64_t i, int w) const {
    const bool high = D == 1 ? this->first_word % 2 != 0 : w % 2 != 0;
    return this->scaled(load_i4(row + i * this->stride + w / 2 * kLanes, high), i, w);
  }

  const std::uint8_t* row;
};

// body(Element{}) for the type's element. No others are in a store.
template <class Body>
inline void with_element(tensor::DType type, Body body) {
  switch (type) {
    case tensor::DType::F32:
      return body(float{});
    case tensor::DType::F16:
      return body(Half{});
    case tensor::DType::BF16:
      return body(Brain{});
    case tensor::DType::Q8_0:
      return body(Eight{});
    default:
      return body(Four{});
  }
}
template <class Element>
constexpr bool kIsScaled = sizeof(Element) == 1;
template <class A, class B>
constexpr bool kIsSame = false;
template <class A>
constexpr bool kIsSame<A, A> = true;
