// One row of activations as int8 with a scale per 32 (kernel_table.h draws it). Sums of up to 32 such integers are exact
// in float, in any order. Included inside the namespace of the set.

// 32 values as integers of unit 1 / inverse; the group's scale and sums besides.
inline void quantize_group(const Vec (&x)[2], float inverse, float scale, std::int8_t* q, ActivationGroup& group,
                           Vec (&rounded)[2]) {
  const Vec limit = splat(127.0f), least = splat(-127.0f);
  float sums[2];
  repeat<2>([&](auto half) {
    // The limits only meet values that are no numbers, which no scale can stand for: they become 127.
    const Vec r = max(min(round_even(mul(x[half.value], splat(inverse))), limit), least);
    rounded[half.value] = r;
    store_i8(q + half.value * kLanes, r);
    sums[half.value] = sum(r);
    group.half_offset[half.value] = -128 * static_cast<std::int32_t>(sums[half.value]);
  });
  group.scale = scale;
  group.scaled_sum = scale * (sums[0] + sums[1]);
  group.offset = group.half_offset[0] + group.half_offset[1];
}

// kPlanes 2: what the first row leaves goes to a second.
template <int kPlanes>
inline void quantize_planes(const float* x, std::int64_t k, std::byte* out) {
  constexpr float kLeast = 0x1p-100f;  // below it, 127 / max|x| comes near the end of the floats
  std::byte* fine = out + activation_row_bytes(k);
  for (std::int64_t i = 0, g = 0; i < k; i += kActivationGroup, ++g) {
    const Vec values[2] = {load(x + i), load(x + i + kLanes)};
    const float most = max_lane(max(abs(values[0]), abs(values[1])));
    const bool small = most < kLeast;
    const float scale = small ? 0.0f : most / 127.0f, inverse = small ? 0.0f : 127.0f / most;
    const auto group_of = [&](std::byte* row) -> ActivationGroup& { return reinterpret_cast<ActivationGroup*>(row + k)[g]; };
    Vec rounded[2];
    quantize_group(values, inverse, scale, reinterpret_cast<std::int8_t*>(out) + i, group_of(out), rounded);
    if constexpr (kPlanes == 2) {
      const Vec rest[2] = {fma(sub(zero(), splat(scale)), rounded[0], values[0]),
                           fma(sub(zero(), splat(scale)), rounded[1], values[1])};
      quantize_group(rest, inverse * 256.0f, scale / 256.0f, reinterpret_cast<std::int8_t*>(fine) + i, group_of(fine), rounded);
      group_of(fine).scaled_sum =
          group_of(fine).scale * static_cast<float>((256 * group_of(out).offset + group_of(fine).offset) / -128);
    }
  }
}

void quantize_row(const float* x, std::int64_t k, std::byte* out) { quantize_planes<1>(x, k, out); }
void quantize_row_fine(const float* x, std::int64_t k, std::byte* out) { quantize_planes<2>(x, k, out); }
