// What the processor can do and the operating system lets it: asked once.
#pragma once

namespace puna {

// False throughout on processors of another family.
struct CpuFeatures {
  // x86-64
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx_vnni = false;
  bool avx512f = false;  // the operating system saves the wide registers too
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool amx_int8 = false;  // the operating system has granted this process the tiles

  // 64-bit ARM
  bool neon = false;     // AdvSIMD
  bool dotprod = false;  // sdot, udot
  bool i8mm = false;     // smmla and its kin
};

const CpuFeatures& cpu_features();

}  // namespace puna
