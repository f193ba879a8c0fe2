#include <algorithm>

#include "graph/passes.h"

namespace puna::graph {
namespace {

// Who makes and who reads each value.
struct Uses {
  std::vector<int> maker;    // node index, or -1
  std::vector<int> readers;  // number of reads; an output of the graph counts as one

  explicit Uses(const Graph& graph) : maker(graph.values.size(), -1), readers(graph.values.size(), 0) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (ValueId id : graph.nodes[i].outputs) maker[id] = static_cast<int>(i);
      for (ValueId id : graph.nodes[i].inputs) ++readers[id];
    }
    for (const Output& output : graph.outputs) ++readers[output.value];
  }
};

// The op that does what `first` and then `second` do, where `second` alone reads what `first` makes.
std::optional<Node> join(const Node& first, const Node& second) {
  const auto with = [&](Op op, std::vector<ValueId> inputs) {
    return Node{std::move(op), std::move(inputs), second.outputs, second.scope, second.device};
  };
  if (const auto* quantize = std::get_if<Quantize>(&second.op)) {
    if (const auto* norm = std::get_if<RmsNorm>(&first.op))
      return with(RmsNormQuantize{norm->weight, norm->eps, quantize->fine}, first.inputs);
    if (const auto* gated = std::get_if<Gated>(&first.op)) return with(GatedQuantize{gated->act, quantize->fine}, first.inputs);
  }
  if (const auto* write = std::get_if<KvWrite>(&second.op)) {
    const auto* rope = std::get_if<Rope>(&first.op);
    if (rope && first.outputs[0] == second.inputs[0])
      return with(RopeKvWrite{write->store, rope->interleaved}, {first.inputs[0], first.inputs[1], second.inputs[1]});
  }
  return std::nullopt;
}

}  // namespace

void fuse(Graph& graph, const std::vector<Device>& devices) {
  const Uses uses(graph);
  std::vector<bool> gone(graph.nodes.size(), false);
  for (Node& node : graph.nodes) {
    for (ValueId id : node.inputs) {
      const int maker = uses.maker[id];
      if (maker < 0 || gone[static_cast<std::size_t>(maker)] || uses.readers[id] != 1) continue;
      const Node& first = graph.nodes[static_cast<std::size_t>(maker)];
      if (first.device != node.device) continue;
      std::optional<Node> joined = join(first, node);
      if (!joined || !devices.at(node.device).accepts(graph, joined->op)) continue;
      gone[static_cast<std::size_t>(maker)] = true;
      node = *std::move(joined);
      break;
    }
  }
  std::vector<Node> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!gone[i]) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
}

}  // namespace puna::graph
