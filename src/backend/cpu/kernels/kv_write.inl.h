// One token's keys and values into the paged store (kv_view.h). f16 and bf16 round to even. Of 32 values of a token
//   q8_0  scale = f16(max|x| / 127), q = round-to-even(x / scale) within ±127
//   q4_0  scale = f16(x / -8) of the x with the largest magnitude, q = round-to-even(x / scale) within -8 … 7, plus 8
// with x / scale as x · (1 / scale), and all q zero where the scale is.

struct QuantizedGroup {
  std::int8_t q[kActivationGroup];
  std::uint16_t scale;
};

inline QuantizedGroup quantize_kv(const Vec (&x)[2], float scale, float least, float most) {
  QuantizedGroup group;
  std::uint16_t halves[kLanes];
  store_f16(halves, splat(scale));
  group.scale = halves[0];
  const float stored = f16_value(group.scale), inverse = stored != 0 ? 1.0f / stored : 0.0f;
  for (int half = 0; half < 2; ++half)
    store_i8(group.q + half * kLanes, max(min(round_even(mul(x[half], splat(inverse))), splat(most)), splat(least)));
  return group;
}

inline QuantizedGroup quantize_as(Eight, const Vec (&x)[2]) {
  return quantize_kv(x, max_lane(max(abs(x[0]), abs(x[1]))) / 127.0f, -127.0f, 127.0f);
}
inline QuantizedGroup quantize_as(Four, const Vec (&x)[2]) {
  const float most = max_lane(max(x[0], x[1])), least = max_lane(max(sub(zero(), x[0]), sub(zero(), x[1])));
  return quantize_kv(x, (most >= least ? most : -least) / -8.0f, -8.0f, 7.0f);
}

// Where one token's values of one head go.
struct KvSlot {
  std::byte* head;  // in its block
  std::int64_t slot, head_dim, block_tokens;

  std::int64_t width() const { return round_to_groups(head_dim); }
};

// put(d, n, word of the stored type): head_dim values a word at a time.
template <class Element, class Put>
inline void convert_head(const float* x, std::int64_t head_dim, Put put) {
  for (std::int64_t d = 0; d < head_dim; d += kLanes) {
    const std::int64_t n = head_dim - d < kLanes ? head_dim - d : kLanes;
    Element word[kLanes];
    store_word(word, n == kLanes ? load(x + d) : load_first(x + d, n));
    put(d, n, word);
  }
}

// put(group index, QuantizedGroup): head_dim values 32 at a time; those missing at the end are zero.
template <class Element, class Put>
inline void quantize_head(const KvSlot& to, const float* x, std::int64_t integer_bytes, Put put) {
  auto* scales = reinterpret_cast<std::uint16_t*>(to.head + integer_bytes);
  for (std::int64_t g = 0; g * kActivationGroup < to.head_dim; ++g) {
    Vec values[2];
    for (int half = 0; half < 2; ++half) {
      const std::int64_t d = g * kActivationGroup + half * kLanes, left = to.head_dim - d;
      values[half] = left >= kLanes ? load(x + d) : load_first(x + d, left > 0 ? left : 0);
    }
    const QuantizedGroup group = quantize_as(Element{}, values);
    scales[g * to.block_tokens + to.slot] = group.scale;
    put(g, group);
  }
}

inline std::uint8_t two_nibbles(std::int8_t low, std::int8_t high) {
  return static_cast<std::uint8_t>((low + 8) | (high + 8) << 4);
}

template <class Element>
inline void write_key(Element, const KvSlot& to, const float* x) {
  auto* keys = reinterpret_cast<Element*>(to.head) + to.slot;
  convert_head<Element>(x, to.head_dim, [&](std::int64_t d, std::int64_t n, const Element* word) {
    for (std::int64_t i = 0; i < n; ++i) keys[(d + i) * to.block_tokens] = word[i];
  });
}
inline void write_key(Eight, const KvSlot& to, const float* x) {
  quantize_head<Eight>(to, x, to.width() * to.block_tokens, [&](std::int64_t g, const QuantizedGroup& group) {
    for (std::int64_t j = 0; j < kActivationGroup / 4; ++j)
      std::memcpy(to.head + ((g * 8 + j) * to.block_tokens + to.slot) * 4, group.q + 4 * j, 4);
  });
}
inline void write_key(Four, const KvSlot& to, const float* x) {
  quantize_head<Four>(to, x, to.width() / 2 * to.block_tokens, [&](std::int64_t g, const QuantizedGroup& group) {
    for (std::int64_t j = 0; j < kActivationGroup / 8; ++j) {
      auto* four = reinterpret_cast<std::uint8_t*>(to.head) + ((g * 4 + j) * to.block_tokens + to.slot) * 4;
      for (int b = 0; b < 4; ++b) four[b] = two_nibbles(group.q[8 * j + b], group.q[8 * j + 4 + b]);
    }
  });
}

template <class Element>
inline void write_value(Element, const KvSlot& to, const float* x) {
  auto* values = reinterpret_cast<Element*>(to.head) + to.slot * to.head_dim;
  convert_head<Element>(x, to.head_dim, [&](std::int64_t d, std::int64_t n, const Element* word) {
    for (std::int64_t i = 0; i < n; ++i) values[d + i] = word[i];
  });
}
inline void write_value(Eight, const KvSlot& to, const float* x) {
  std::byte* row = to.head + to.slot * to.width();
  quantize_head<Eight>(to, x, to.width() * to.block_tokens, [&](std::int64_t g, const QuantizedGroup& group) {
    std::memcpy(row + g * kActivationGroup, group.q, kActivationGroup);
  });
}
inline void write_value(Four, const KvSlot& to, const float* x) {
  auto* row = reinterpret_cast<std::uint8_t*>(to.head) + to.slot * to.width() / 2;
  quantize_head<Four>(to, x, to.width() / 2 * to.block_tokens, [&](std::int64_t g, const QuantizedGroup& group) {
    for (int i = 0; i < kLanes; ++i) row[g * kLanes + i] = two_nibbles(group.q[i], group.q[kLanes + i]);
  });
}

void kv_write(const KvView& view, std::uint32_t block, std::int64_t slot, const float* k, const float* v) {
  const std::int64_t head_dim = view.head_dim;
  const auto at = [&](std::byte* head) { return KvSlot{head, slot, head_dim, view.block_tokens}; };
  for (std::int64_t head = 0; head < view.n_kv_heads; ++head) {
    with_element(view.k_type, [&](auto element) { write_key(element, at(view.k_head(block, head)), k + head * head_dim); });
    with_element(view.v_type, [&](auto element) { write_value(element, at(view.v_head(block, head)), v + head * head_dim); });
  }
}
