#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace puna::tensor {
namespace {

TEST(DTypes, are_found_by_the_number_of_the_file_format) {
  for (const DTypeTraits& type : all_dtypes()) {
    EXPECT_EQ(dtype_from_number(static_cast<std::uint32_t>(type.type)), type.type);
    EXPECT_EQ(dtype_name(static_cast<std::uint32_t>(type.type)), type.name);
    EXPECT_EQ(&traits(type.type), &type);
  }
  EXPECT_EQ(all_dtypes().size(), 15u);
}

TEST(DTypes, that_the_engine_lacks_still_have_their_name) {
  EXPECT_FALSE(dtype_from_number(16).has_value());
  EXPECT_EQ(dtype_name(16), "IQ2_XXS");
  EXPECT_EQ(dtype_name(24), "I8");
  EXPECT_EQ(dtype_name(39), "MXFP4");
  EXPECT_FALSE(dtype_from_number(4000).has_value());
  EXPECT_EQ(dtype_name(4000), "unknown");
}

TEST(DTypes, say_how_many_bytes_a_row_takes) {
  EXPECT_EQ(row_bytes(DType::F32, 576), 2304u);
  EXPECT_EQ(row_bytes(DType::Q4_1, 576), 360u);
  EXPECT_EQ(row_bytes(DType::Q4_K, 1536), 864u);
  EXPECT_EQ(row_bytes(DType::Q6_K, 256), 210u);
}

TEST(DTypes, outside_the_table_are_our_own_bug) { EXPECT_THROW(traits(static_cast<DType>(9)), Bug); }

}  // namespace
}  // namespace puna::tensor
