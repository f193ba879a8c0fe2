// A device that runs parts of graphs. The CPU is the one that is always there and takes every basic op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "backend/kv_view.h"
#include "base/os.h"
#include "base/result.h"
#include "graph/passes.h"

namespace puna::backend {

struct Info {
  std::string name;  // "cpu"
  std::string isa;   // "avx512"
  int n_threads = 1;
};

// What a step brings. Lives until run() returns.
struct StepData {
  std::span<const std::int64_t> sizes;                   // by graph::SymbolId: T, S, …
  std::span<const void* const> inputs;                   // by place in Graph::inputs; int32 or float32 rows
  std::span<const SequenceRows> sequences;               // whose rows are whose, in order
  std::span<const KvView> stores;                        // by graph::StoreId
  std::span<const std::uint32_t* const> block_tables{};  // [group · sequences + sequence]: block ids by position / block_tokens
  std::stop_token stop{};                                // asked between nodes
};

// A compiled run of nodes.
class Program {
 public:
  virtual ~Program() = default;
  // False: stopped on the way, and nothing that it wrote means anything.
  virtual bool run(const StepData& step) = 0;
  // An output's rows after run(), until the next one.
  virtual const float* output(std::size_t index) const = 0;
};

// What compile() is given besides the graph.
struct CompileRequest {
  const graph::Graph* graph = nullptr;
  graph::Segment segment;
  graph::MaxSizes sizes;
  std::span<const std::byte* const> weights;  // by graph::WeightId: the file's bytes
  // Weights may be copied into a better layout, and pages of the file, which must be mapped, given back to the system.
  bool keep_packed = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Info info() const = 0;
  virtual bool accepts(const graph::Graph& graph, const graph::Op& op) const = 0;
  virtual graph::Packing packing(const graph::WeightInfo& weight) const = 0;
  // Bytes that compile() will allocate for such a segment.
  virtual std::size_t arena_bytes(const graph::Graph& graph, const graph::MaxSizes& sizes) const = 0;
  virtual Result<std::unique_ptr<Program>> compile(const CompileRequest& request) = 0;
};

}  // namespace puna::backend
