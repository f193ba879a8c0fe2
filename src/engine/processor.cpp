#include "engine/processor.h"

#include "backend/cpu/ceiling.h"
#include "backend/cpu/dispatch.h"
#include "base/cores.h"

namespace puna::engine {

std::string processor_kernels() {
  const auto chosen = backend::cpu::choose_table();
  std::string text = chosen ? std::string((*chosen)->name) : chosen.error().message;
  text += ", of";
  for (const backend::cpu::KernelTable* table : backend::cpu::runnable_tables()) (text += ' ') += table->name;
  return text;
}

Result<Ceilings> measure_ceilings(std::string_view isa, int n_threads) {
  const backend::cpu::KernelTable* table = PUNA_TRY(backend::cpu::choose_table(isa));
  ThreadPool pool(n_threads > 0 ? n_threads : choose_threads().n_threads);
  const backend::cpu::Ceilings found = backend::cpu::measure_ceilings(*table, pool);
  return Ceilings{std::string(table->name), pool.size(), found.read_bytes_per_second, found.int8_ops_per_second};
}

}  // namespace puna::engine
