#include <map>
#include <utility>

#include "graph/passes.h"

namespace puna::graph {

std::vector<Segment> cut(Graph& graph) {
  std::vector<DeviceId> home(graph.values.size(), 0);  // inputs arrive on device 0
  std::map<std::pair<ValueId, DeviceId>, ValueId> copies;
  std::vector<Node> old = std::exchange(graph.nodes, {});
  const auto local = [&](ValueId id, const Node& reader) {
    if (home[id] == reader.device) return id;
    auto [place, fresh] = copies.try_emplace({id, reader.device}, 0);
    if (fresh) {
      place->second = static_cast<ValueId>(graph.values.size());
      ValueInfo copy = graph.values[id];
      graph.values.push_back(std::move(copy));
      home.push_back(reader.device);
      graph.nodes.push_back({Transfer{}, {id}, {place->second}, reader.scope, reader.device});
    }
    return place->second;
  };
  for (Node& node : old) {
    for (ValueId& id : node.inputs) id = local(id, node);
    for (ValueId id : node.outputs) home[id] = node.device;
    graph.nodes.push_back(std::move(node));
  }
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (segments.empty() || segments.back().device != graph.nodes[i].device) segments.push_back({graph.nodes[i].device, i, i});
    segments.back().last = i + 1;
  }
  return segments;
}

}  // namespace puna::graph
