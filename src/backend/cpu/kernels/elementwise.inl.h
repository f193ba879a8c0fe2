// Kernels that go value by value. `y` may be the same row as an input.

// y[i] = f(i-th word), the last word shorter.
template <class Load, class Body>
inline void for_each_word(std::int64_t n, float* y, Load load_words, Body body) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, body(load_words(i)));
  if (i < n) store_first(y + i, n - i, body(load_words(i, n - i)));
}

struct OneInput {
  const float* x;
  Vec operator()(std::int64_t i) const { return load(x + i); }
  Vec operator()(std::int64_t i, std::int64_t n) const { return load_first(x + i, n); }
};

struct Pair {
  Vec a, b;
};
struct TwoInputs {
  const float* a;
  const float* b;
  Pair operator()(std::int64_t i) const { return {load(a + i), load(b + i)}; }
  Pair operator()(std::int64_t i, std::int64_t n) const { return {load_first(a + i, n), load_first(b + i, n)}; }
};

void add_rows(const float* a, const float* b, std::int64_t n, float* y) {
  for_each_word(n, y, TwoInputs{a, b}, [](Pair in) { return add(in.a, in.b); });
}

void scale_rows(const float* x, float factor, std::int64_t n, float* y) {
  for_each_word(n, y, OneInput{x}, [=](Vec in) { return mul(in, splat(factor)); });
}

void soft_cap_rows(const float* x, float cap, std::int64_t n, float* y) {
  const Vec caps = splat(cap), inverse = splat(1.0f / cap);
  for_each_word(n, y, OneInput{x}, [=](Vec in) { return soft_cap(in, caps, inverse); });
}

void gated_rows(Activation act, const float* gate, const float* up, std::int64_t n, float* y) {
  if (act == Activation::silu)
    for_each_word(n, y, TwoInputs{gate, up}, [](Pair in) { return mul(silu(in.a), in.b); });
  else
    for_each_word(n, y, TwoInputs{gate, up}, [](Pair in) { return mul(gelu_tanh(in.a), in.b); });
}
