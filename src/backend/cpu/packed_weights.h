// The weights of products in memory of their own, on large pages, blocks in the layout that their kernel reads
// (kernels/pack.inl.h), floats as they are, while the file's pages are given back. It is filled on the way, some megabytes in
// each step but the first, so that neither a first answer nor a step waits for it. What is not kept yet, or never, is packed anew
// for each use, 16 rows at a time.
#pragma once

#include <vector>

#include "backend/backend.h"
#include "base/os.h"

namespace puna::backend::cpu {

class PackedWeights {
 public:
  // For the products of the request's segment. Error: no address space.
  static Result<PackedWeights> make(const CompileRequest& request);
  // The most bytes that 16 rows of a weight take.
  static std::size_t panel_bytes(const graph::Graph& graph);

  // Rows [0, kept) lie packed from `panels` on; this use of the weight packs [kept, until) besides.
  struct Part {
    std::byte* panels = nullptr;
    std::int64_t kept = 0, until = 0;
  };
  void begin_step();
  Part begin_use(graph::WeightId id);
  void end_use(graph::WeightId id, const Part& part) { entries_[id].kept = part.until; }

 private:
  struct Entry {
    std::byte* panels = nullptr;
    std::size_t row_bytes = 0;
    std::int64_t n_rows = 0, kept = 0;
  };
  std::vector<Entry> entries_;  // by WeightId
  bool started_ = false;
  std::size_t budget_ = 0;  // bytes that this step may still pack
  os::Reservation memory_;
};

}  // namespace puna::backend::cpu
