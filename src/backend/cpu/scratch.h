// What the matrix products keep in a thread's scratch: sized to stay in a core's first two cache levels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace puna::backend::cpu {

constexpr std::int64_t kPanelRows = 16;
constexpr std::int64_t kInt8Slice = 2048;    // weights of a row in a panel, int8 products
constexpr std::int64_t kFloatSlice = 1536;   // the same, float products
constexpr std::int64_t kFloatStep = 768;     // of those meet a tile of columns while these are in the first cache
constexpr std::int64_t kFloatColumns = 132;  // columns that share a float panel: whole tiles of every set

// What the 16 weights of a scale group, one of each row, have in common: weight = scale · integer + minimum.
struct Factors {
  float scale[kPanelRows];
  float minimum[kPanelRows];
};

// 16 rows × a slice of k as bytes, [k/4][row][4], and the factors of its groups.
struct alignas(64) Int8Panel {
  std::uint8_t weights[kInt8Slice * kPanelRows];
  Factors factors[kInt8Slice / 16];
};

// 16 rows × a slice of k as floats; and the 16 partial sums of each output element between slices.
struct alignas(64) FloatPanel {
  float weights[kPanelRows][kFloatSlice];
  float sums[kFloatColumns][kPanelRows][16];
};

// Panels that meet a tile of columns while it is in the first cache.
constexpr std::int64_t kPanelsAtOnce = 4;

union LinearScratch {
  Int8Panel int8[kPanelsAtOnce];
  FloatPanel floats;
};

}  // namespace puna::backend::cpu
