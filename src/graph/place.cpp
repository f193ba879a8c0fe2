#include <algorithm>
#include <map>
#include <set>

#include "graph/passes.h"

namespace puna::graph {
namespace {

// "blk.7.attn" → "blk.7"; "head" → "head".
std::string layer_of(const std::string& scope) {
  const std::size_t dot = scope.find('.');
  return dot == scope.npos ? scope : scope.substr(0, scope.find('.', dot + 1));
}

std::uint64_t weight_bytes(const Graph& graph, const std::string& layer, const std::vector<Node>& nodes) {
  std::set<WeightId> seen;
  std::uint64_t bytes = 0;
  for (const Node& node : nodes) {
    if (layer_of(node.scope) != layer) continue;
    for (WeightId id : weights_of(node.op))
      if (seen.insert(id).second)
        bytes += tensor::row_bytes(graph.weights[id].dtype, static_cast<std::size_t>(graph.weights[id].row)) *
                 static_cast<std::uint64_t>(graph.weights[id].n_rows);
  }
  return bytes;
}

}  // namespace

void place(Graph& graph, const std::vector<Device>& devices, std::size_t n_offload) {
  std::vector<std::string> layers;  // in order of appearance
  for (const Node& node : graph.nodes) {
    std::string layer = layer_of(node.scope);
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(std::move(layer));
  }
  std::map<std::string, DeviceId> where;
  std::uint64_t used = 0;
  DeviceId device = 1;
  for (auto layer = layers.rbegin(); layer != layers.rend() && n_offload > 0 && device < devices.size(); ++layer, --n_offload) {
    const std::uint64_t bytes = weight_bytes(graph, *layer, graph.nodes);
    while (device < devices.size() && used + bytes > devices[device].memory) ++device, used = 0;
    if (device == devices.size()) break;
    where[*layer] = device;
    used += bytes;
  }
  for (Node& node : graph.nodes) {
    const auto found = where.find(layer_of(node.scope));
    node.device = found == where.end() ? 0 : found->second;
  }
}

}  // namespace puna::graph
