// y = x / √(mean(x²) + eps) · weight. The squares are summed in 16 chains by index mod 16, then as the tree of sum().
void rms_norm(const float* x, const float* weight, float eps, std::int64_t n, float* y) {
  Vec squares = zero();
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec in = load(x + i);
    squares = fma(in, in, squares);
  }
  if (i < n) {
    const Vec in = load_first(x + i, n - i);
    squares = fma(in, in, squares);
  }
  const Vec factor = splat(1.0f / __builtin_sqrtf(sum(squares) / static_cast<float>(n) + eps));
  for (i = 0; i + kLanes <= n; i += kLanes) {
    const Vec in = mul(load(x + i), factor);
    store(y + i, weight ? mul(in, load(weight + i)) : in);
  }
  if (i < n) {
    const Vec in = mul(load_first(x + i, n - i), factor);
    store_first(y + i, n - i, weight ? mul(in, load_first(weight + i, n - i)) : in);
  }
}
