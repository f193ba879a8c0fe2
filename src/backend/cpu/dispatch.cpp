#include "backend/cpu/dispatch.h"

#include <array>
#include <iterator>
#include <string>

#include "backend/cpu/scratch.h"
#include "base/cpu_features.h"

namespace puna::backend::cpu {

namespace scalar_isa {
extern const KernelTable kTable;
}
#if defined(__x86_64__)
namespace avx2_isa {
extern const KernelTable kTable;
}
namespace avxvnni_isa {
extern const KernelTable kTable;
}
namespace avx512_isa {
extern const KernelTable kTable;
}
namespace amx_isa {
KernelTable table();
}
#elif defined(__aarch64__)
namespace neon_isa {
extern const KernelTable kTable;
}
namespace neon_dot_isa {
extern const KernelTable kTable;
}
namespace neon_i8mm_isa {
extern const KernelTable kTable;
}
#endif

namespace {

struct Choice {
  const KernelTable* table;
  bool runnable;
};

// All tables of this build, the plainest first.
std::span<const Choice> choices() {
#if defined(__x86_64__)
  const CpuFeatures& cpu = cpu_features();
  const bool avx2 = cpu.avx2 && cpu.fma && cpu.f16c;
  const bool avx512 = cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl && cpu.avx512_vnni;
  static const KernelTable kAmx = amx_isa::table();
  static const std::array kChoices{
      Choice{&scalar_isa::kTable, true},
      Choice{&avx2_isa::kTable, avx2},
      Choice{&avxvnni_isa::kTable, avx2 && cpu.avx_vnni},
      Choice{&avx512_isa::kTable, avx512},
      Choice{&kAmx, avx512 && cpu.amx_int8},
  };
#elif defined(__aarch64__)
  const CpuFeatures& cpu = cpu_features();
  static const std::array kChoices{
      Choice{&scalar_isa::kTable, true},
      Choice{&neon_isa::kTable, cpu.neon},
      Choice{&neon_dot_isa::kTable, cpu.neon && cpu.dotprod},
      Choice{&neon_i8mm_isa::kTable, cpu.neon && cpu.dotprod && cpu.i8mm},
  };
#else
  static const std::array kChoices{Choice{&scalar_isa::kTable, true}};
#endif
  return kChoices;
}

}  // namespace

std::span<const KernelTable* const> runnable_tables() {
  struct List {
    std::array<const KernelTable*, 8> tables{};
    std::size_t count = 0;
  };
  static const List kList = [] {
    List list;
    for (const Choice& choice : choices())
      if (choice.runnable) list.tables[list.count++] = choice.table;
    return list;
  }();
  return {kList.tables.data(), kList.count};
}

Result<const KernelTable*> choose_table(std::string_view name) {
  if (name.empty()) return runnable_tables().back();
  std::string known;
  for (const Choice& choice : choices()) {
    if (choice.table->name == name) {
      if (choice.runnable) return choice.table;
      return std::unexpected(error(ErrorKind::unsupported, "instruction set '{}': this processor lacks it", name)
                                 .with_hint(fmt::format("the best it has is '{}'", runnable_tables().back()->name)));
    }
    fmt::format_to(std::back_inserter(known), "{}{}", known.empty() ? "" : ", ", choice.table->name);
  }
  return std::unexpected(error(ErrorKind::not_found, "instruction set '{}': no such kernels in this build", name)
                             .with_hint(fmt::format("known: {}", known)));
}

std::size_t packed_bytes(tensor::DType type, std::int64_t k, std::int64_t n_rows) {
  const std::int64_t padded_rows = (n_rows + kPanelRows - 1) / kPanelRows * kPanelRows;
  return tensor::row_bytes(type, static_cast<std::size_t>(k)) * static_cast<std::size_t>(padded_rows);
}

std::size_t linear_scratch(std::int64_t) { return sizeof(LinearScratch); }

}  // namespace puna::backend::cpu
