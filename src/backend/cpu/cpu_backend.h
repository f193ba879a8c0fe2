// The CPU: weights are read where the file is mapped, values lie in one arena, loops share one thread pool.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/threads.h"

namespace puna::backend::cpu {

class CpuBackend final : public Backend {
 public:
  // `exact`: every product in float32 from dequantized weights. Table and threads must outlive the backend.
  CpuBackend(const KernelTable& kernels, const Threads& threads, bool exact)
      : kernels_(kernels), threads_(threads), exact_(exact) {}

  Info info() const override;
  bool accepts(const graph::Graph& graph, const graph::Op& op) const override;
  graph::Packing packing(const graph::WeightInfo& weight) const override;
  std::size_t arena_bytes(const graph::Graph& graph, const graph::MaxSizes& sizes) const override;
  Result<std::unique_ptr<Program>> compile(const CompileRequest& request) override;

 private:
  const KernelTable& kernels_;
  const Threads& threads_;
  bool exact_;
};

}  // namespace puna::backend::cpu
