// From a built graph to one that devices run: build → place → lower → fuse → cut → plan. Each pass is one file; verify()
// holds after each. `lower` comes before `fuse`: quantized activations appear when products are lowered to what the device
// wants, and the best fusions are with them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace puna::graph {

// How a device wants the activations that meet a weight.
enum class Packing : std::uint8_t { float32, int8, int8_fine };

// What the passes know of a device: an id (its place in the list) and what it says.
struct Device {
  std::string name;
  std::uint64_t memory = 0;  // bytes that weights may take there
  std::function<bool(const Graph&, const Op&)> accepts;
  std::function<Packing(const WeightInfo&)> packing;
};

// place: gives every node a device by its scope's first part ("blk.7"): the last layers, then the head, go to devices 1, 2, …
// while `n_offload` scopes and their memory last; everything else stays on device 0.
void place(Graph& graph, const std::vector<Device>& devices, std::size_t n_offload);

// lower: coarse ops that the node's device refuses become basic ones; a Linear whose device wants int8 activations gets a
// Quantize, one for all that read the same value. What a device still refuses moves to device 0; the names of such ops are
// returned, once each.
std::vector<std::string> lower(Graph& graph, const std::vector<Device>& devices);

// fuse: neighbours become one op where the device accepts it.
void fuse(Graph& graph, const std::vector<Device>& devices);

// A run of nodes on one device.
struct Segment {
  DeviceId device = 0;
  std::size_t first = 0, last = 0;  // nodes [first, last)
};
// cut: segments, and a Transfer wherever a value is used on a device that did not make it.
std::vector<Segment> cut(Graph& graph);

// plan: where each value lies in its device's arena, from lifetimes, for steps of at most these sizes.
struct MaxSizes {
  std::vector<std::int64_t> of_symbol;  // by SymbolId
};
struct ArenaPlan {
  std::vector<std::size_t> offset;  // by ValueId; bytes, multiples of 64; inputs have none
  std::size_t bytes = 0;
};
// `row_bytes(value)`: bytes of one row of that value on its device.
ArenaPlan plan(const Graph& graph, const MaxSizes& sizes, const std::function<std::size_t(const ValueInfo&)>& row_bytes);

}  // namespace puna::graph
