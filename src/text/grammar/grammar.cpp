#include "text/grammar/grammar.h"

#include <utility>

namespace puna::text::grammar {

NodeId Grammar::add(Node node) {
  nodes.push_back(std::move(node));
  return static_cast<NodeId>(nodes.size() - 1);
}

RuleId Grammar::add_rule(std::string name, NodeId body) {
  rules.push_back({std::move(name), body});
  return static_cast<RuleId>(rules.size() - 1);
}

}  // namespace puna::text::grammar
