// A model's computation as plain data: values, the nodes that make them, and the names of weights and stores. No pointers,
// no weight values; context length is data of a step (block tables), never a shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/ops.h"
#include "tensor/dtype.h"

namespace puna::graph {

// Named sizes that a step fixes. A graph may add its own behind these.
using SymbolId = std::uint32_t;
inline constexpr SymbolId kTokens = 0;  // T: tokens of the step
inline constexpr SymbolId kRows = 1;    // S: rows that need output

struct Shape {
  SymbolId lead = kTokens;
  std::vector<std::int64_t> rest;  // the constant dimensions behind it; empty: one element per row

  std::int64_t row_elements() const {
    std::int64_t product = 1;
    for (std::int64_t n : rest) product *= n;
    return product;
  }
  bool operator==(const Shape&) const = default;
};

enum class Format : std::uint8_t {
  i32,  // ids, positions, row numbers
  f32,
  int8,       // int8 groups with scales, laid out by the device
  int8_fine,  // the same in two parts, the second for what the first leaves
};

struct ValueInfo {
  std::string name;
  Shape shape;
  Format format = Format::f32;
};

struct WeightInfo {
  std::string name;  // as the file names it
  tensor::DType dtype = tensor::DType::F32;
  std::int64_t row = 0;     // elements of a row (the input width)
  std::int64_t n_rows = 1;  // 1: a vector
  bool sensitive = false;   // answers feel the rounding of its inputs more than that of others
};

// Where a layer's keys and values live across steps.
struct StoreInfo {
  std::string name;       // "blk.7"
  std::size_t group = 0;  // the layer group whose block tables it follows
  std::int64_t n_kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t window = 0;  // positions that a token sees, itself included; 0: all
};

struct Node {
  Op op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string scope;  // "blk.7.attn", "head": placement goes by it
  DeviceId device = 0;
};

struct Output {
  std::string name;
  ValueId value;
};

struct Graph {
  std::string name;
  std::vector<std::string> symbols{"T", "S"};
  std::vector<ValueInfo> values;
  std::vector<WeightInfo> weights;
  std::vector<StoreInfo> stores;
  std::vector<ValueId> inputs;
  std::vector<Output> outputs;
  std::vector<Node> nodes;  // in an order that computes every value before its use
};

// Every weight that an op reads.
std::vector<WeightId> weights_of(const Op& op);
// The store that an op reads or writes.
std::optional<StoreId> store_of(const Op& op);

// What an op makes of these inputs; a Bug where they do not fit it.
std::vector<ValueInfo> infer(const Graph& graph, const Op& op, const std::vector<ValueId>& inputs);

// Throws Bug where the graph breaks a rule: a value used before it is made or made twice, shapes or formats that do not
// follow from the inputs, ids out of range, a store read before its layer wrote it.
void verify(const Graph& graph);

// The graph as text, one node a line.
std::string dump(const Graph& graph);

}  // namespace puna::graph
