#include "engine/processor.h"

#include "backend/cpu/dispatch.h"

namespace puna::engine {

std::string processor_kernels() {
  const auto chosen = backend::cpu::choose_table();
  std::string text = chosen ? std::string((*chosen)->name) : chosen.error().message;
  text += ", of";
  for (const backend::cpu::KernelTable* table : backend::cpu::runnable_tables()) (text += ' ') += table->name;
  return text;
}

}  // namespace puna::engine
