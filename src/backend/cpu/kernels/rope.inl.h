// Rotates pairs of each head: (a, b) → (a·cos - b·sin, a·sin + b·cos), the first product of each line rounded on its own.

inline void rotate_halves(float* x, const float* table, std::int64_t half) {
  const float* cosines = table;
  const float* sines = table + half;
  std::int64_t i = 0;
  for (; i + kLanes <= half; i += kLanes) {
    const Vec a = load(x + i), b = load(x + half + i), c = load(cosines + i), s = load(sines + i);
    store(x + i, fma(sub(zero(), b), s, mul(a, c)));
    store(x + half + i, fma(a, s, mul(b, c)));
  }
  for (; i < half; ++i) {
    const float a = x[i], b = x[half + i];
    x[i] = __builtin_fmaf(-b, sines[i], a * cosines[i]);
    x[half + i] = __builtin_fmaf(a, sines[i], b * cosines[i]);
  }
}

inline void rotate_neighbours(float* x, const float* table, std::int64_t half) {
  for (std::int64_t i = 0; i < half; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1], c = table[i], s = table[half + i];
    x[2 * i] = __builtin_fmaf(-b, s, a * c);
    x[2 * i + 1] = __builtin_fmaf(a, s, b * c);
  }
}

void rope(const RopeArgs& args) {
  const std::int64_t half = args.rope_dim / 2;
  for (std::int64_t head = 0; head < args.heads; ++head) {
    float* x = args.x + head * args.head_dim;
    if (args.interleaved)
      rotate_neighbours(x, args.table, half);
    else
      rotate_halves(x, args.table, half);
  }
}
