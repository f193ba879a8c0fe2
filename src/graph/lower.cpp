#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "graph/passes.h"

namespace puna::graph {
namespace {

// Rebuilds the node list; `emit` adds a node behind what stands and makes its outputs.
class Lowering {
 public:
  Lowering(Graph& graph, const std::vector<Device>& devices) : graph_(graph), devices_(devices) {}

  void run() {
    std::vector<Node> old = std::exchange(graph_.nodes, {});
    for (Node& node : old) {
      if (const auto* qkv = std::get_if<Qkv>(&node.op); qkv && refused(node))
        lower_qkv(*qkv, node);
      else if (const auto* ffn = std::get_if<GatedFfn>(&node.op); ffn && refused(node))
        lower_ffn(*ffn, node);
      else if (const auto* linear = std::get_if<Linear>(&node.op))
        lower_linear(*linear, node, node.inputs[0], node.outputs);
      else
        graph_.nodes.push_back(std::move(node));
    }
  }

 private:
  bool refused(const Node& node) const { return !devices_.at(node.device).accepts(graph_, node.op); }

  ValueId emit(Op op, std::vector<ValueId> inputs, const Node& from) {
    Node node{std::move(op), std::move(inputs), {}, from.scope, from.device};
    const auto id = static_cast<ValueId>(graph_.values.size());
    auto made = infer(graph_, node.op, node.inputs);
    graph_.values.push_back(std::move(made.front()));
    node.outputs = {id};
    graph_.nodes.push_back(std::move(node));
    return id;
  }

  void lower_linear(const Linear& linear, const Node& from, ValueId x, std::vector<ValueId> outputs) {
    const Packing packing = devices_.at(from.device).packing(graph_.weights[linear.weight]);
    if (packing != Packing::float32 && graph_.values[x].format == Format::f32) {
      auto [place, fresh] = quantized_.try_emplace({x, from.device, packing}, 0);
      if (fresh) place->second = emit(Quantize{packing == Packing::int8_fine}, {x}, from);
      x = place->second;
    }
    graph_.nodes.push_back({linear, {x}, std::move(outputs), from.scope, from.device});
  }

  ValueId linear(WeightId weight, std::optional<WeightId> bias, const Node& from, ValueId x) {
    const auto id = static_cast<ValueId>(graph_.values.size());
    graph_.values.push_back({{}, {graph_.values[x].shape.lead, {graph_.weights[weight].n_rows}}, Format::f32});
    lower_linear({weight, bias}, from, x, {id});
    return id;
  }

  void lower_qkv(const Qkv& qkv, const Node& node) {
    lower_linear({qkv.q, qkv.q_bias}, node, node.inputs[0], {node.outputs[0]});
    lower_linear({qkv.k, qkv.k_bias}, node, node.inputs[0], {node.outputs[1]});
    lower_linear({qkv.v, qkv.v_bias}, node, node.inputs[0], {node.outputs[2]});
  }

  void lower_ffn(const GatedFfn& ffn, const Node& node) {
    const ValueId gate = linear(ffn.gate, ffn.gate_bias, node, node.inputs[0]);
    const ValueId up = linear(ffn.up, ffn.up_bias, node, node.inputs[0]);
    const ValueId mixed = emit(Gated{ffn.act}, {gate, up}, node);
    lower_linear({ffn.down, ffn.down_bias}, node, mixed, {node.outputs[0]});
  }

  Graph& graph_;
  const std::vector<Device>& devices_;
  std::map<std::tuple<ValueId, DeviceId, Packing>, ValueId> quantized_;
};

}  // namespace

std::vector<std::string> lower(Graph& graph, const std::vector<Device>& devices) {
  Lowering(graph, devices).run();
  std::vector<std::string> moved;
  for (Node& node : graph.nodes) {
    if (devices.at(node.device).accepts(graph, node.op)) continue;
    PUNA_CHECK(node.device != 0, "the first device takes every basic op");
    node.device = 0;
    std::string refused(name(node.op));
    if (std::ranges::find(moved, refused) == moved.end()) moved.push_back(std::move(refused));
  }
  return moved;
}

}  // namespace puna::graph
