#include "backend/cpu/cpu_backend.h"

#include "backend/cpu/cpu_program.h"

namespace puna::backend::cpu {

Info CpuBackend::info() const { return {"cpu", std::string(kernels_.name), threads_.most()}; }

// Everything but the coarse ops, whose parts run as well on their own here.
bool CpuBackend::accepts(const graph::Graph&, const graph::Op& op) const {
  return !std::holds_alternative<graph::Qkv>(op) && !std::holds_alternative<graph::GatedFfn>(op);
}

graph::Packing CpuBackend::packing(const graph::WeightInfo& weight) const {
  if (exact_ || tensor::traits(weight.dtype).block_size == 1) return graph::Packing::float32;
  return weight.sensitive ? graph::Packing::int8_fine : graph::Packing::int8;
}

std::size_t CpuBackend::arena_bytes(const graph::Graph& graph, const graph::MaxSizes& sizes) const {
  return graph::plan(graph, sizes, value_row_bytes).bytes + thread_scratch(graph) * static_cast<std::size_t>(threads_.most()) +
         partials_floats(graph, threads_.most()) * sizeof(float);
}

Result<std::unique_ptr<Program>> CpuBackend::compile(const CompileRequest& request) {
  return CpuProgram::make(request, kernels_, threads_);
}

}  // namespace puna::backend::cpu
