#include "tensor/dtype.h"

#include <array>

#include "base/check.h"

namespace puna::tensor {
namespace {

constexpr std::array kTraits{
    DTypeTraits{DType::F32, "F32", 1, 4},         DTypeTraits{DType::F16, "F16", 1, 2},
    DTypeTraits{DType::Q4_0, "Q4_0", 32, 18},     DTypeTraits{DType::Q4_1, "Q4_1", 32, 20},
    DTypeTraits{DType::Q5_0, "Q5_0", 32, 22},     DTypeTraits{DType::Q5_1, "Q5_1", 32, 24},
    DTypeTraits{DType::Q8_0, "Q8_0", 32, 34},     DTypeTraits{DType::Q2_K, "Q2_K", 256, 84},
    DTypeTraits{DType::Q3_K, "Q3_K", 256, 110},   DTypeTraits{DType::Q4_K, "Q4_K", 256, 144},
    DTypeTraits{DType::Q5_K, "Q5_K", 256, 176},   DTypeTraits{DType::Q6_K, "Q6_K", 256, 210},
    DTypeTraits{DType::IQ4_NL, "IQ4_NL", 32, 18}, DTypeTraits{DType::IQ4_XS, "IQ4_XS", 256, 136},
    DTypeTraits{DType::BF16, "BF16", 1, 2},
};

// The format's names by number, also of types that the engine does not compute with (ggml.h, `enum ggml_type`).
constexpr std::array<std::string_view, 40> kNames{
    "F32",    "F16",      "Q4_0",     "Q4_1",     "Q4_2",  "Q4_3",  "Q5_0",       "Q5_1",       "Q8_0",       "Q8_1",
    "Q2_K",   "Q3_K",     "Q4_K",     "Q5_K",     "Q6_K",  "Q8_K",  "IQ2_XXS",    "IQ2_XS",     "IQ3_XXS",    "IQ1_S",
    "IQ4_NL", "IQ3_S",    "IQ2_S",    "IQ4_XS",   "I8",    "I16",   "I32",        "I64",        "F64",        "IQ1_M",
    "BF16",   "Q4_0_4_4", "Q4_0_4_8", "Q4_0_8_8", "TQ1_0", "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4",
};

}  // namespace

std::span<const DTypeTraits> all_dtypes() { return kTraits; }

const DTypeTraits& traits(DType type) {
  for (const DTypeTraits& line : kTraits)
    if (line.type == type) return line;
  raise_bug("a dtype of the table", __FILE__, __LINE__, std::to_string(static_cast<std::uint32_t>(type)));
}

std::optional<DType> dtype_from_number(std::uint32_t number) {
  for (const DTypeTraits& line : kTraits)
    if (static_cast<std::uint32_t>(line.type) == number) return line.type;
  return std::nullopt;
}

std::string_view dtype_name(std::uint32_t number) { return number < kNames.size() ? kNames[number] : "unknown"; }

}  // namespace puna::tensor
