#include <algorithm>
#include <tuple>

#include "base/checked.h"
#include "graph/passes.h"

namespace puna::graph {
namespace {

struct Interval {
  ValueId value;
  std::size_t first, last;  // nodes during which it must stay
  std::size_t bytes;
};

constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

std::vector<Interval> lifetimes(const Graph& graph, const MaxSizes& sizes,
                                const std::function<std::size_t(const ValueInfo&)>& row_bytes) {
  std::vector<Interval> intervals;
  std::vector<std::size_t> last(graph.values.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].inputs) last[id] = i;
  for (const Output& output : graph.outputs) last[output.value] = graph.nodes.size();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].outputs) {
      const ValueInfo& info = graph.values[id];
      const auto rows = static_cast<std::size_t>(sizes.of_symbol.at(info.shape.lead));
      intervals.push_back({id, i, std::max(i, last[id]), round_up(rows * row_bytes(info), kAlignment)});
    }
  return intervals;
}

}  // namespace

// Largest value first, each at the lowest place that is free for its whole life (greedy by size, as in arXiv 2001.03288).
ArenaPlan plan(const Graph& graph, const MaxSizes& sizes, const std::function<std::size_t(const ValueInfo&)>& row_bytes) {
  ArenaPlan result;
  result.offset.assign(graph.values.size(), 0);
  std::vector<Interval> order = lifetimes(graph, sizes, row_bytes);
  std::ranges::sort(order, [](const Interval& a, const Interval& b) {
    return std::tuple(b.bytes, a.first, a.value) < std::tuple(a.bytes, b.first, b.value);
  });
  struct Placed {
    Interval interval;
    std::size_t begin;
  };
  std::vector<Placed> placed;  // sorted by begin
  for (const Interval& interval : order) {
    std::size_t begin = 0;
    for (const Placed& other : placed) {
      if (other.interval.last < interval.first || interval.last < other.interval.first) continue;
      if (begin + interval.bytes <= other.begin) break;
      begin = std::max(begin, other.begin + other.interval.bytes);
    }
    result.offset[interval.value] = begin;
    result.bytes = std::max(result.bytes, begin + interval.bytes);
    placed.insert(std::ranges::upper_bound(placed, begin, {}, &Placed::begin), {interval, begin});
  }
  return result;
}

}  // namespace puna::graph
