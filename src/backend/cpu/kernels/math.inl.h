// The transcendental functions that kernels need, over Vec. Polynomials are minimax fits on the stated interval; the
// errors are measured against double precision by the tests.

// e^x for x ≤ 0, within 1 ulp; 0 below -87.68, where e^x would be subnormal, and for minus infinity.
inline Vec exp_negative(Vec x) {
  const Vec clamped = max(splat(-88.0f), x);  // keeps a not-a-number
  const Vec n = round_even(mul(clamped, splat(1.44269504f)));
  Vec r = fma(n, splat(-0.693147182f), clamped);  // ln 2 in two parts: |r| ≤ ln 2 / 2
  r = fma(n, splat(1.90465421e-9f), r);
  Vec p = fma(splat(0.00138145406f), r, splat(0.00836874545f));
  p = fma(p, r, splat(0.041668389f));
  p = fma(p, r, splat(0.166665211f));
  p = fma(p, r, splat(0.49999994f));
  p = fma(p, r, splat(1.0f));
  p = fma(p, r, splat(1.0f));
  return mul(p, exp2_int(n));
}

// 1 / (1 + e^-x), from e^-|x| so that neither end overflows or cancels.
inline Vec sigmoid(Vec x) {
  const Vec e = exp_negative(sub(zero(), abs(x)));
  return div(select_less(x, zero(), e, splat(1.0f)), add(splat(1.0f), e));
}

// x · sigmoid(x); the clamp keeps minus infinity from becoming 0 · infinity.
inline Vec silu(Vec x) { return mul(max(splat(-1e30f), x), sigmoid(x)); }

// x/2 · (1 + tanh(u)) with u = √(2/π) · (x + 0.044715 x³), which is x · sigmoid(2u).
inline Vec gelu_tanh(Vec x) {
  const Vec bounded = max(splat(-1e10f), x);
  const Vec cubic = fma(mul(bounded, bounded), splat(0.044715f), splat(1.0f));
  return mul(bounded, sigmoid(mul(mul(bounded, splat(1.59576912f)), cubic)));
}

// tanh: an odd polynomial where 1 - e^-2|x| would cancel, (1 - e) / (1 + e) beyond.
inline Vec tanh(Vec x) {
  const Vec a = abs(x);
  const Vec s = mul(x, x);
  Vec p = fma(splat(-0.00566697726f), s, splat(0.0206061769f));
  p = fma(p, s, splat(-0.0537300073f));
  p = fma(p, s, splat(0.133313313f));
  p = fma(p, s, splat(-0.333332777f));
  const Vec small = fma(mul(p, s), x, x);
  const Vec e = exp_negative(mul(a, splat(-2.0f)));
  const Vec large = div(sub(splat(1.0f), e), add(splat(1.0f), e));
  return select_less(a, splat(0.625f), small, select_less(x, zero(), sub(zero(), large), large));
}

// cap · tanh(x / cap), given 1 / cap.
inline Vec soft_cap(Vec x, Vec cap, Vec inverse) { return mul(cap, tanh(mul(x, inverse))); }
