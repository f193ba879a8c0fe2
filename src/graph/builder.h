// Adds nodes to a graph, with shapes inferred on the way.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace puna::graph {

class Builder {
 public:
  explicit Builder(std::string graph_name) { graph_.name = std::move(graph_name); }

  ValueId input(std::string name, Shape shape, Format format);
  void output(std::string name, ValueId value);
  WeightId weight(WeightInfo info);  // the same name again is the same weight
  StoreId store(StoreInfo info);

  // Nodes added from now on belong to this scope.
  void set_scope(std::string scope) { scope_ = std::move(scope); }

  std::vector<ValueId> add_many(Op op, std::vector<ValueId> inputs);
  ValueId add(Op op, std::vector<ValueId> inputs) { return add_many(std::move(op), std::move(inputs)).front(); }
  // The same rows seen as other dimensions, [lead, rest…]; the number of elements stays.
  void reshape(ValueId value, std::vector<std::int64_t> rest);

  const Graph& graph() const { return graph_; }
  Graph take() && { return std::move(graph_); }

 private:
  Graph graph_;
  std::string scope_;
};

}  // namespace puna::graph
