// A compiled graph on the CPU: nodes in order, each a loop over the thread pool.
#pragma once

#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/packed_weights.h"
#include "backend/cpu/threads.h"

namespace puna::backend::cpu {

std::size_t value_row_bytes(const graph::ValueInfo& value);             // in the arena
std::size_t thread_scratch(const graph::Graph& graph);                  // what one thread needs beside it
std::size_t partials_floats(const graph::Graph& graph, int n_threads);  // what all need together (attend_step.h)

class CpuProgram final : public Program {
 public:
  static Result<std::unique_ptr<Program>> make(const CompileRequest& request, const KernelTable& kernels, const Threads& threads);

  bool run(const StepData& step) override;
  const float* output(std::size_t index) const override;

 private:
  CpuProgram(const CompileRequest& request, const KernelTable& kernels, const Threads& threads);

  // A value's rows in this step.
  struct Rows {
    std::byte* data;
    std::size_t stride;  // bytes
    std::int64_t n;
    float* f32(std::int64_t row) const { return reinterpret_cast<float*>(data + static_cast<std::size_t>(row) * stride); }
    const std::int32_t* i32() const { return reinterpret_cast<const std::int32_t*>(data); }
    std::byte* at(std::int64_t row) const { return data + static_cast<std::size_t>(row) * stride; }
  };
  Rows rows(graph::ValueId id) const;
  // So that none of a file's pages is wanted again once the matrices beside them are packed.
  void copy_vectors();
  const float* vector_weight(graph::WeightId id) const { return reinterpret_cast<const float*>(weights_[id]); }
  std::byte* scratch(int thread) const { return scratch_base_ + static_cast<std::size_t>(thread) * scratch_bytes_; }

  // body(thread, row) for every row; on this thread where that is less than the work of waking the others.
  template <class Body>
  void for_rows(std::int64_t n, std::int64_t row_elements, Body&& body) const;

  void execute(const graph::Embed& op, const graph::Node& node);
  void execute(const graph::RmsNorm& op, const graph::Node& node) const;
  void execute(const graph::RmsNormQuantize& op, const graph::Node& node) const;
  void execute(const graph::Quantize& op, const graph::Node& node) const;
  void execute(const graph::Linear& op, const graph::Node& node);
  // Products of the same value that follow one another, a few at most, run as one loop, which has one end to wait for.
  static constexpr std::size_t kProductsAtOnce = 4;
  std::span<const graph::Node> run_together(std::size_t first) const;
  struct Product;
  Product begin_product(const graph::Node& node);
  void end_product(const Product& product);
  void multiply(std::span<const graph::Node> nodes);
  // An int8 product, of weights as the file has them in args.weight or packed in `part`; what is not is packed on the way.
  void packed_product(LinearArgs args, const PackedWeights::Part& part) const;
  void float_product(LinearArgs args, const PackedWeights::Part& part) const;
  void execute(const graph::RopeTable& op, const graph::Node& node) const;
  void execute(const graph::Rope& op, const graph::Node& node) const;
  void execute(const graph::KvWrite& op, const graph::Node& node) const;
  void execute(const graph::RopeKvWrite& op, const graph::Node& node) const;
  void execute(const graph::Attend& op, const graph::Node& node) const;
  void execute(const graph::Add& op, const graph::Node& node) const;
  void execute(const graph::Gated& op, const graph::Node& node) const;
  void execute(const graph::GatedQuantize& op, const graph::Node& node) const;
  void execute(const graph::SoftCap& op, const graph::Node& node) const;
  void execute(const graph::GetRows& op, const graph::Node& node) const;
  void execute(const graph::Transfer& op, const graph::Node& node) const;
  void execute(const graph::Qkv& op, const graph::Node& node) const;
  void execute(const graph::GatedFfn& op, const graph::Node& node) const;

  struct Slot {
    std::uint32_t block;
    std::int64_t position_in_block;
  };
  Slot slot_of(graph::StoreId store, std::int64_t row) const;
  std::int64_t sequence_of(std::int64_t row) const;
  const std::uint32_t* table(graph::StoreId store, std::int64_t sequence) const;

  const graph::Graph& graph_;
  graph::Segment segment_;
  graph::ArenaPlan plan_;
  std::vector<const std::byte*> weights_;
  std::vector<std::vector<float>> vectors_;
  PackedWeights packed_;
  bool may_release_ = false;    // pages of the file
  std::int64_t n_lookups_ = 0;  // since they were released last
  const KernelTable& kernels_;
  const Threads& threads_;
  ThreadPool* pool_ = nullptr;  // this step's
  os::Reservation arena_;
  std::byte* scratch_base_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  std::span<float> partials_;
  std::vector<int> input_place_;  // by ValueId: place in Graph::inputs, or -1
  const StepData* step_ = nullptr;
};

}  // namespace puna::backend::cpu
