// What the matrix products keep in a thread's scratch: sized to stay in a core's first two cache levels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace puna::backend::cpu {

constexpr std::int64_t kPanelRows = 16;
constexpr std::int64_t kInt8Slice = 2048;  // weights of a row in a panel, int8 products

// Float products multiply rows of up to kFloatWidth weights from end to end, with as many columns as make kFloatInputs; longer
// ones a slice at a time, with it a block of panels. A step of the weights meets a tile of columns while these are in the first
// cache.
constexpr std::int64_t kFloatWidth = 4096, kFloatSlice = 1536, kFloatStep = 768;
constexpr std::int64_t kFloatColumns = 132;  // at most; whole tiles of every set
constexpr std::int64_t kFloatInputs = kFloatColumns * kFloatSlice;
constexpr std::int64_t kFloatBlock = 8;
constexpr std::int64_t kFloatPanelStride = kFloatWidth + 16;  // rows a power of two apart would share lines of the first cache

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

// 16 rows × a slice of k as floats; and the 16 partial sums of each output element between steps and slices.
struct alignas(64) FloatPanel {
  float weights[kPanelRows][kFloatPanelStride];
  float sums[kFloatBlock][kFloatColumns][kPanelRows][16];
};

// Panels that meet a tile of columns while it is in the first cache.
constexpr std::int64_t kPanelsAtOnce = 4;

union LinearScratch {
  Int8Panel int8[kPanelsAtOnce];
  FloatPanel floats;
};

}  // namespace puna::backend::cpu
