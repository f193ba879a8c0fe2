#include "base/cpu_features.h"

#include <gtest/gtest.h>

namespace puna {
namespace {

TEST(CpuFeatures, are_the_same_at_every_call) { EXPECT_EQ(&cpu_features(), &cpu_features()); }

TEST(CpuFeatures, of_wide_registers_imply_the_narrower_ones) {
  const CpuFeatures& cpu = cpu_features();
  EXPECT_TRUE(cpu.avx512f || !(cpu.avx512_vnni || cpu.avx512bw || cpu.avx512dq || cpu.avx512vl));
  EXPECT_TRUE(!cpu.avx512f || (cpu.avx2 && cpu.fma && cpu.f16c));
}

#if defined(__x86_64__)
TEST(CpuFeatures, agree_with_the_compiler_s_own_look) {
  const CpuFeatures& cpu = cpu_features();
  __builtin_cpu_init();
  EXPECT_EQ(cpu.avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(cpu.fma, __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(cpu.avx512f, __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(cpu.avx512bw, __builtin_cpu_supports("avx512bw") != 0);
  EXPECT_EQ(cpu.avx512dq, __builtin_cpu_supports("avx512dq") != 0);
  EXPECT_EQ(cpu.avx512vl, __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(cpu.avx_vnni, __builtin_cpu_supports("avxvnni") != 0);
  EXPECT_EQ(cpu.avx512_vnni, __builtin_cpu_supports("avx512vnni") != 0);
}
#elif defined(__aarch64__)
TEST(CpuFeatures, of_64_bit_arm_have_neon_and_grow_in_order) {
  const CpuFeatures& cpu = cpu_features();
  EXPECT_TRUE(cpu.neon);
  EXPECT_TRUE(cpu.dotprod || !cpu.i8mm);
  EXPECT_FALSE(cpu.avx2 || cpu.avx512f);
}
#endif

}  // namespace
}  // namespace puna
