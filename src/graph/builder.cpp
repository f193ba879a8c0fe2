#include "graph/builder.h"

#include <algorithm>

#include "base/check.h"

namespace puna::graph {

ValueId Builder::input(std::string name, Shape shape, Format format) {
  graph_.values.push_back({std::move(name), std::move(shape), format});
  const auto id = static_cast<ValueId>(graph_.values.size() - 1);
  graph_.inputs.push_back(id);
  return id;
}

void Builder::output(std::string name, ValueId value) { graph_.outputs.push_back({std::move(name), value}); }

WeightId Builder::weight(WeightInfo info) {
  const auto found = std::ranges::find(graph_.weights, info.name, &WeightInfo::name);
  const auto id = static_cast<WeightId>(found - graph_.weights.begin());
  if (found == graph_.weights.end()) graph_.weights.push_back(std::move(info));
  return id;
}

StoreId Builder::store(StoreInfo info) {
  graph_.stores.push_back(std::move(info));
  return static_cast<StoreId>(graph_.stores.size() - 1);
}

std::vector<ValueId> Builder::add_many(Op op, std::vector<ValueId> inputs) {
  Node node{std::move(op), std::move(inputs), {}, scope_};
  for (ValueInfo& info : infer(graph_, node.op, node.inputs)) {
    node.outputs.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back(std::move(info));
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs;
}

void Builder::reshape(ValueId value, std::vector<std::int64_t> rest) {
  Shape shape{graph_.values.at(value).shape.lead, std::move(rest)};
  PUNA_CHECK(shape.row_elements() == graph_.values[value].shape.row_elements(), "reshape keeps the number of elements");
  graph_.values[value].shape = std::move(shape);
}

}  // namespace puna::graph
