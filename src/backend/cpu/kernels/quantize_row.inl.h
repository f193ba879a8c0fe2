// One row of activations as int8 with a scale per 32 (kernel_table.h draws it). Sums of up to 32 such integers are exact
// in float, in any order. Included inside the namespace of the set.

void quantize_row(const float* x, std::int64_t k, std::byte* out) {
  constexpr float kLeast = 0x1p-100f;  // below it, 127 / max|x| comes near the end of the floats
  auto* q = reinterpret_cast<std::int8_t*>(out);
  auto* group = reinterpret_cast<ActivationGroup*>(out + k);
  for (std::int64_t i = 0; i < k; i += kActivationGroup, ++group) {
    const Vec a = load(x + i), b = load(x + i + kLanes);
    const float most = max_lane(max(abs(a), abs(b)));
    const bool small = most < kLeast;
    const Vec inverse = splat(small ? 0.0f : 127.0f / most), limit = splat(127.0f), least = splat(-127.0f);
    // The limits only meet values that are no numbers, which no scale can stand for: they become 127.
    const Vec qa = max(min(round_even(mul(a, inverse)), limit), least), qb = max(min(round_even(mul(b, inverse)), limit), least);
    store_i8(q + i, qa);
    store_i8(q + i + kLanes, qb);
    const float sum_a = sum(qa), sum_b = sum(qb);
    group->scale = small ? 0.0f : most / 127.0f;
    group->scaled_sum = group->scale * (sum_a + sum_b);
    group->half_offset[0] = -128 * static_cast<std::int32_t>(sum_a);
    group->half_offset[1] = -128 * static_cast<std::int32_t>(sum_b);
    group->offset = group->half_offset[0] + group->half_offset[1];
  }
}
