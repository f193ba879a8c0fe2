// How each block type of tensor/blocks.h becomes factors and bytes for 16 rows at once. Included inside the namespace
// of the set. A format F has
//   Block; kSize weights in one; kGroup weights that share a scale (32 or 16); kForm, kZero, kMax as quads.inl.h says;
//   in Form::wide kLookedUp: whether the bytes come from looked_up()
//   factors(blocks, out)   out[group]: the scales, and in Form::minimum what the group adds to each weight
//   weights(blocks, sink)  sink(group, quads): the group's kGroup / 4 Quads, groups ascending
// where `blocks` is a block of each of 16 rows, packed (pack.inl.h).

// So many bytes before their turn, weights are asked from the second cache into the first; into the second, LinearArgs::ahead.
constexpr std::size_t kNear = 1 << 10;

struct Blocks {
  const std::byte* first;
  const std::uint8_t* field(std::size_t offset) const {
    return reinterpret_cast<const std::uint8_t*>(first + offset * kPanelRows);
  }
  // 16 bytes of each row's block.
  FourQuads at(std::size_t offset) const {
    const std::uint8_t* p = field(offset);
    return {{load_quads(p), load_quads(p + sizeof(Quads)), load_quads(p + 2 * sizeof(Quads)), load_quads(p + 3 * sizeof(Quads))}};
  }
};

template <int kGroup>
struct Group {
  Quads quads[kGroup / 4];
};

// The half float, or the pair of them, at `offset` of each row's block.
inline Vec f16_at(Blocks blocks, std::size_t offset) {
  return load_f16(reinterpret_cast<const std::uint16_t*>(blocks.field(offset)));
}
inline Ints word_at(Blocks blocks, std::size_t offset) { return as_ints(load_quads(blocks.field(offset))); }

// The nibbles of 32 bytes: the low ones are one group, the high ones (kShift = 4) the next.
template <int kShift>
inline Group<32> nibbles(FourQuads a, FourQuads b) {
  Group<32> out;
  repeat<4>([&](auto j) {
    out.quads[j.value] = bits<kShift>(a.part[j.value], 15);
    out.quads[j.value + 4] = bits<kShift>(b.part[j.value], 15);
  });
  return out;
}
// Both nibbles of 16 bytes as one group.
inline Group<32> nibbles(FourQuads a) {
  Group<32> out;
  repeat<4>([&](auto j) {
    out.quads[j.value] = bits<0>(a.part[j.value], 15);
    out.quads[j.value + 4] = bits<4>(a.part[j.value], 15);
  });
  return out;
}
// ---- blocks of 32 ----------------------------------------------------------------------------------------------------

struct FormatQ4_0 {
  using Block = tensor::BlockQ4_0;
  static constexpr int kSize = 32, kGroup = 32, kZero = 8, kMax = 15;
  static constexpr Form kForm = Form::zero_point;
  static void factors(Blocks blocks, Factors* out) { store(out->scale, f16_at(blocks, offsetof(Block, d))); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    sink(0, nibbles(blocks.at(offsetof(Block, qs))));
  }
};

struct FormatQ4_1 {
  using Block = tensor::BlockQ4_1;
  static constexpr int kSize = 32, kGroup = 32, kZero = 0, kMax = 15;
  static constexpr Form kForm = Form::minimum;
  static void factors(Blocks blocks, Factors* out) {
    const Ints d_and_m = word_at(blocks, offsetof(Block, d));
    store(out->scale, low_f16(d_and_m));
    store(out->minimum, high_f16(d_and_m));
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    sink(0, nibbles(blocks.at(offsetof(Block, qs))));
  }
};

// Bit 4 of weight i is bit i of the block's word.
inline Group<32> with_fifth_bits(Group<32> group, Ints high) {
  repeat<8>([&](auto j) { group.quads[j.value] = either(group.quads[j.value], spread<4 * j.value>(high, 16)); });
  return group;
}

struct FormatQ5_0 {
  using Block = tensor::BlockQ5_0;
  static constexpr int kSize = 32, kGroup = 32, kZero = 16, kMax = 31;
  static constexpr Form kForm = Form::zero_point;
  static void factors(Blocks blocks, Factors* out) { store(out->scale, f16_at(blocks, offsetof(Block, d))); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    sink(0, with_fifth_bits(nibbles(blocks.at(offsetof(Block, qs))), word_at(blocks, offsetof(Block, qh))));
  }
};

struct FormatQ5_1 {
  using Block = tensor::BlockQ5_1;
  static constexpr int kSize = 32, kGroup = 32, kZero = 0, kMax = 31;
  static constexpr Form kForm = Form::minimum;
  static void factors(Blocks blocks, Factors* out) {
    const Ints d_and_m = word_at(blocks, offsetof(Block, d));
    store(out->scale, low_f16(d_and_m));
    store(out->minimum, high_f16(d_and_m));
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    sink(0, with_fifth_bits(nibbles(blocks.at(offsetof(Block, qs))), word_at(blocks, offsetof(Block, qh))));
  }
};

struct FormatQ8_0 {
  using Block = tensor::BlockQ8_0;
  static constexpr int kSize = 32, kGroup = 32, kZero = 0, kMax = 128;
  static constexpr Form kForm = Form::wide;
  static constexpr bool kLookedUp = false;
  static void factors(Blocks blocks, Factors* out) { store(out->scale, f16_at(blocks, offsetof(Block, d))); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    const FourQuads a = blocks.at(offsetof(Block, qs)), b = blocks.at(offsetof(Block, qs) + 16);
    sink(0, Group<32>{{a.part[0], a.part[1], a.part[2], a.part[3], b.part[0], b.part[1], b.part[2], b.part[3]}});
  }
};

inline Group<32> iq4_values(FourQuads packed) {
  Group<32> group = nibbles(packed);
  repeat<8>([&](auto j) { group.quads[j.value] = looked_up(group.quads[j.value], tensor::kIq4Values); });
  return group;
}

struct FormatIQ4_NL {
  using Block = tensor::BlockIQ4_NL;
  static constexpr int kSize = 32, kGroup = 32, kZero = 0, kMax = 128;
  static constexpr Form kForm = Form::wide;
  static constexpr bool kLookedUp = true;
  static void factors(Blocks blocks, Factors* out) { store(out->scale, f16_at(blocks, offsetof(Block, d))); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    sink(0, iq4_values(blocks.at(offsetof(Block, qs))));
  }
};

// ---- super-blocks of 256 ---------------------------------------------------------------------------------------------

struct FormatQ2_K {
  using Block = tensor::BlockQ2_K;
  static constexpr int kSize = 256, kGroup = 16, kZero = 0, kMax = 3;
  static constexpr Form kForm = Form::minimum;
  static void factors(Blocks blocks, Factors* out) {
    const Ints both = word_at(blocks, offsetof(Block, d));
    const Vec d = low_f16(both), less_dmin = sub(zero(), high_f16(both));
    const FourQuads packed = blocks.at(offsetof(Block, scales));
    repeat<16>([&](auto g) {
      const Ints pair = byte_of<g.value % 4>(as_ints(packed.part[g.value / 4]));
      store(out[g.value].scale, mul(d, to_floats(masked(pair, 15))));
      store(out[g.value].minimum, mul(less_dmin, to_floats(shifted_right<4>(pair))));
    });
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    for (int half = 0; half < 2; ++half) {
      const FourQuads packed[2] = {blocks.at(offsetof(Block, qs) + 32 * half), blocks.at(offsetof(Block, qs) + 32 * half + 16)};
      repeat<8>([&](auto g) {
        Group<16> group;
        repeat<4>([&](auto j) { group.quads[j.value] = bits<g.value / 2 * 2>(packed[g.value % 2].part[j.value], 3); });
        sink(8 * half + g.value, group);
      });
    }
  }
};

struct FormatQ3_K {
  using Block = tensor::BlockQ3_K;
  static constexpr int kSize = 256, kGroup = 16, kZero = 4, kMax = 7;
  static constexpr Form kForm = Form::zero_point;
  static void factors(Blocks blocks, Factors* out) {
    const Vec d = f16_at(blocks, offsetof(Block, d));
    const Ints low = word_at(blocks, offsetof(Block, scales)), middle = word_at(blocks, offsetof(Block, scales) + 4);
    const Ints high = word_at(blocks, offsetof(Block, scales) + 8);
    repeat<4>([&](auto quarter) {
      constexpr int kNibble = quarter.value / 2 * 4;
      const Ints lower = masked(shifted_right<kNibble>(quarter.value % 2 == 0 ? low : middle), 0x0f0f0f0f);
      const Ints scales = either(lower, shifted_left<4>(masked(shifted_right<2 * quarter.value>(high), 0x03030303)));
      repeat<4>([&](auto i) {
        const Vec scale = sub(to_floats(byte_of<i.value>(scales)), splat(32.0f));
        store(out[4 * quarter.value + i.value].scale, mul(d, scale));
      });
    });
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    const FourQuads high[2] = {blocks.at(offsetof(Block, hmask)), blocks.at(offsetof(Block, hmask) + 16)};
    repeat<2>([&](auto half) {
      constexpr std::size_t kAt = offsetof(Block, qs) + 32 * half.value;
      const FourQuads packed[2] = {blocks.at(kAt), blocks.at(kAt + 16)};
      repeat<8>([&](auto g) {
        constexpr int kBit = 4 * half.value + g.value / 2;
        Group<16> group;
        repeat<4>([&](auto j) {
          group.quads[j.value] = either(bits<g.value / 2 * 2>(packed[g.value % 2].part[j.value], 3),
                                        bits<kBit - 2>(high[g.value % 2].part[j.value], 4));
        });
        sink(8 * half.value + g.value, group);
      });
    });
  }
};

// The header of Q4_K and Q5_K: d and dmin, then eight 6-bit scales and minima in twelve bytes.
inline void k_factors(FourQuads header, Factors* out) {
  const Ints both = as_ints(header.part[0]), a = as_ints(header.part[1]), b = as_ints(header.part[2]),
             c = as_ints(header.part[3]);
  const Vec d = low_f16(both), less_dmin = sub(zero(), high_f16(both));
  const Ints scales[2] = {masked(a, 0x3f3f3f3f), either(masked(c, 0x0f0f0f0f), masked(shifted_right<2>(a), 0x30303030))};
  const Ints minima[2] = {masked(b, 0x3f3f3f3f),
                          either(masked(shifted_right<4>(c), 0x0f0f0f0f), masked(shifted_right<2>(b), 0x30303030))};
  repeat<8>([&](auto g) {
    store(out[g.value].scale, mul(d, to_floats(byte_of<g.value % 4>(scales[g.value / 4]))));
    store(out[g.value].minimum, mul(less_dmin, to_floats(byte_of<g.value % 4>(minima[g.value / 4]))));
  });
}

struct FormatQ4_K {
  using Block = tensor::BlockQ4_K;
  static constexpr int kSize = 256, kGroup = 32, kZero = 0, kMax = 15;
  static constexpr Form kForm = Form::minimum;
  static void factors(Blocks blocks, Factors* out) { k_factors(blocks.at(offsetof(Block, d)), out); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    for (int g = 0; g < 8; g += 2) {
      const FourQuads a = blocks.at(offsetof(Block, qs) + 16 * g), b = blocks.at(offsetof(Block, qs) + 16 * g + 16);
      sink(g, nibbles<0>(a, b));
      sink(g + 1, nibbles<4>(a, b));
    }
  }
};

struct FormatQ5_K {
  using Block = tensor::BlockQ5_K;
  static constexpr int kSize = 256, kGroup = 32, kZero = 0, kMax = 31;
  static constexpr Form kForm = Form::minimum;
  static void factors(Blocks blocks, Factors* out) { k_factors(blocks.at(offsetof(Block, d)), out); }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    const FourQuads high[2] = {blocks.at(offsetof(Block, qh)), blocks.at(offsetof(Block, qh) + 16)};
    repeat<8>([&](auto g) {
      constexpr std::size_t kAt = offsetof(Block, qs) + 16 * (g.value / 2 * 2);
      Group<32> group = nibbles<g.value % 2 * 4>(blocks.at(kAt), blocks.at(kAt + 16));
      repeat<8>([&](auto j) {
        group.quads[j.value] = either(group.quads[j.value], bits<g.value - 4>(high[j.value / 4].part[j.value % 4], 16));
      });
      sink(g.value, group);
    });
  }
};

struct FormatQ6_K {
  using Block = tensor::BlockQ6_K;
  static constexpr int kSize = 256, kGroup = 16, kZero = 32, kMax = 63;
  static constexpr Form kForm = Form::zero_point;
  static void factors(Blocks blocks, Factors* out) {
    const Vec d = f16_at(blocks, offsetof(Block, d));
    const FourQuads scales = blocks.at(offsetof(Block, scales));
    repeat<16>([&](auto g) {
      store(out[g.value].scale, mul(d, to_floats(signed_byte_of<g.value % 4>(as_ints(scales.part[g.value / 4])))));
    });
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    for (int half = 0; half < 2; ++half) {
      const std::size_t ql = offsetof(Block, ql) + 64 * half, qh = offsetof(Block, qh) + 32 * half;
      const FourQuads low[4] = {blocks.at(ql), blocks.at(ql + 16), blocks.at(ql + 32), blocks.at(ql + 48)};
      const FourQuads high[2] = {blocks.at(qh), blocks.at(qh + 16)};
      repeat<8>([&](auto g) {
        Group<16> group;
        repeat<4>([&](auto j) {
          group.quads[j.value] = either(bits<g.value / 4 * 4>(low[g.value % 4].part[j.value], 15),
                                        bits<g.value / 2 * 2 - 4>(high[g.value % 2].part[j.value], 0x30));
        });
        sink(8 * half + g.value, group);
      });
    }
  }
};

struct FormatIQ4_XS {
  using Block = tensor::BlockIQ4_XS;
  static constexpr int kSize = 256, kGroup = 32, kZero = 0, kMax = 128;
  static constexpr Form kForm = Form::wide;
  static constexpr bool kLookedUp = true;
  static void factors(Blocks blocks, Factors* out) {
    const Ints first = word_at(blocks, offsetof(Block, d)), low = word_at(blocks, offsetof(Block, scales_l));
    const Vec d = low_f16(first);
    repeat<8>([&](auto g) {
      const Ints lower = masked(shifted_right<4 * g.value>(low), 15);
      const Ints upper = shifted_left<4>(masked(shifted_right<16 + 2 * g.value>(first), 3));
      store(out[g.value].scale, mul(d, sub(to_floats(either(lower, upper)), splat(32.0f))));
    });
  }
  template <class Sink>
  static void weights(Blocks blocks, Sink sink) {
    for (int g = 0; g < 8; ++g) sink(g, iq4_values(blocks.at(offsetof(Block, qs) + 16 * g)));
  }
};
