#include "backend/cpu/packed_weights.h"

#include <algorithm>

#include "backend/cpu/kernel_table.h"
#include "backend/cpu/scratch.h"
#include "base/checked.h"

namespace puna::backend::cpu {
namespace {

constexpr std::size_t kBytesPerStep = std::size_t{64} << 20;
constexpr std::size_t kBytesPerUse = std::size_t{32} << 20;  // they are in memory twice until the use ends

std::size_t bytes_of(const graph::WeightInfo& weight) {
  return round_up(packed_bytes(weight.dtype, weight.row, weight.n_rows), std::size_t{64});
}

// visit(weight id) for each weight of an int8 product, and of float products those that are no blocks, once.
template <class Visit>
void each_packed(const graph::Graph& graph, graph::Segment segment, Visit visit) {
  std::vector<bool> seen(graph.weights.size());
  for (std::size_t i = segment.first; i < segment.last; ++i) {
    const auto* linear = std::get_if<graph::Linear>(&graph.nodes[i].op);
    if (!linear || seen[linear->weight]) continue;
    const bool in_float = graph.values[graph.nodes[i].inputs[0]].format == graph::Format::f32;
    if (in_float && tensor::traits(graph.weights[linear->weight].dtype).block_size > 1) continue;
    seen[linear->weight] = true;
    visit(linear->weight);
  }
}

}  // namespace

std::size_t PackedWeights::panel_bytes(const graph::Graph& graph) {
  std::size_t bytes = 0;
  each_packed(graph, {.first = 0, .last = graph.nodes.size()}, [&](graph::WeightId id) {
    bytes = std::max(bytes, packed_bytes(graph.weights[id].dtype, graph.weights[id].row, 1));
  });
  return bytes;
}

Result<PackedWeights> PackedWeights::make(const CompileRequest& request) {
  PackedWeights result;
  result.entries_.resize(request.graph->weights.size());
  if (!request.keep_packed) return result;
  std::size_t bytes = 0;
  each_packed(*request.graph, request.segment, [&](graph::WeightId id) { bytes += bytes_of(request.graph->weights[id]); });
  result.memory_ = PUNA_TRY(os::Reservation::make(bytes, os::Reservation::Pages::huge));
  std::byte* at = result.memory_.data();
  each_packed(*request.graph, request.segment, [&](graph::WeightId id) {
    const graph::WeightInfo& weight = request.graph->weights[id];
    result.entries_[id] = {.panels = at,
                           .row_bytes = tensor::row_bytes(weight.dtype, static_cast<std::size_t>(weight.row)),
                           .n_rows = weight.n_rows};
    at += bytes_of(weight);
  });
  return result;
}

void PackedWeights::begin_step() {
  budget_ = started_ ? kBytesPerStep : 0;
  started_ = true;
}

PackedWeights::Part PackedWeights::begin_use(graph::WeightId id) {
  const Entry& entry = entries_[id];
  if (!entry.panels) return {};
  const std::int64_t affordable =
      static_cast<std::int64_t>(std::min(budget_, kBytesPerUse) / entry.row_bytes) / kPanelRows * kPanelRows;
  const std::int64_t until = std::min(entry.n_rows, entry.kept + affordable);
  budget_ -= static_cast<std::size_t>(until - entry.kept) * entry.row_bytes;
  return {entry.panels, entry.kept, until};
}

}  // namespace puna::backend::cpu
