#include "base/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <cstdint>

namespace puna {
namespace {

#if defined(__x86_64__)
struct Leaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf leaf(std::uint32_t number, std::uint32_t part = 0) {
  Leaf out;
  __get_cpuid_count(number, part, &out.eax, &out.ebx, &out.ecx, &out.edx);
  return out;
}

constexpr bool bit(std::uint32_t word, int index) { return (word >> index & 1) != 0; }

// The register states that the operating system saves at a switch (XCR0).
std::uint64_t saved_states() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

// The tiles' registers are large: the operating system saves them for processes that ask (Documentation/arch/x86/xstate.rst
// of Linux).
bool granted_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

CpuFeatures ask() {
  constexpr std::uint64_t kAvxStates = 0x06;     // xmm, ymm
  constexpr std::uint64_t kAvx512States = 0xe6;  // and mask registers, zmm
  CpuFeatures cpu;
  const Leaf basic = leaf(1);
  const bool xgetbv_allowed = bit(basic.ecx, 27);
  const std::uint64_t saved = xgetbv_allowed ? saved_states() : 0;
  if ((saved & kAvxStates) != kAvxStates || !bit(basic.ecx, 28)) return cpu;
  const Leaf extended = leaf(7);
  const Leaf more = extended.eax >= 1 ? leaf(7, 1) : Leaf{};
  cpu.fma = bit(basic.ecx, 12);
  cpu.f16c = bit(basic.ecx, 29);
  cpu.avx2 = bit(extended.ebx, 5);
  cpu.avx_vnni = bit(more.eax, 4);
  if ((saved & kAvx512States) != kAvx512States) return cpu;
  cpu.avx512f = bit(extended.ebx, 16);
  cpu.avx512dq = bit(extended.ebx, 17);
  cpu.avx512bw = bit(extended.ebx, 30);
  cpu.avx512vl = bit(extended.ebx, 31);
  cpu.avx512_vnni = bit(extended.ecx, 11);
  cpu.avx512_bf16 = bit(more.eax, 5);
  constexpr std::uint64_t kTileStates = 0x60000;  // their shapes and their contents
  const bool has_tiles = bit(extended.edx, 24) && bit(extended.edx, 25);
  cpu.amx_int8 = has_tiles && (saved & kTileStates) == kTileStates && granted_tiles();
  return cpu;
}
#elif defined(__aarch64__)
CpuFeatures ask() {
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  CpuFeatures cpu;
  cpu.neon = (first & HWCAP_ASIMD) != 0;
  cpu.dotprod = (first & HWCAP_ASIMDDP) != 0;
  cpu.i8mm = (second & HWCAP2_I8MM) != 0;
  return cpu;
}
#else
CpuFeatures ask() { return {}; }
#endif

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures kFeatures = ask();
  return kFeatures;
}

}  // namespace puna
