// Runs steps: a plan's tokens through the body, the rows that are wanted through the head, slice by slice.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "engine/kv_store.h"
#include "engine/scheduler.h"
#include "kv/manager.h"
#include "model/loader.h"

namespace puna::engine {

// Rows of logits that the head computes at once: enough to share the weights' way through the cache, few enough that a
// large vocabulary costs little memory (64 rows of 262,144 logits are 64 MiB).
inline constexpr std::int64_t kHeadRows = 64;

// Both graphs through all passes, for a backend.
struct Lowered {
  std::vector<graph::Segment> body, head;
};
// `after` sees each graph when a pass is done with it: "build", "place", "lower", "fuse", "cut".
using AfterPass = std::function<void(std::string_view pass, const graph::Graph& graph)>;
Lowered run_passes(model::Model& model, backend::Backend& backend, const AfterPass& after);

struct RunnerOptions {
  std::int64_t n_ubatch = 512;
  bool keep_packed = false;  // backend::CompileRequest's
};

class Runner {
 public:
  // Bytes that make() will allocate.
  static std::uint64_t compute_bytes(const model::Model& model, const backend::Backend& backend, std::int64_t n_ubatch);
  static Result<Runner> make(const model::Model& model, const Lowered& lowered, backend::Backend& backend,
                             const RunnerOptions& options);

  // Logits of the rows wanted, in the order of the plan: rows [first, first + logits.size() / n_vocab). Kept until the call
  // returns.
  using OnLogits = std::function<void(std::int64_t first, std::span<const float> logits)>;
  // Room is made in the manager, rows are computed, and the manager is told. Errors: no room; cancelled, and the sequences are
  // as they were.
  Result<void> step(const StepPlan& plan, kv::Manager& cache, KvStore& store, const OnLogits& on_logits,
                    std::stop_token stop = {});

 private:
  Runner(const model::Model& model) : model_(&model) {}
  bool run_head(const float* hidden, std::int64_t n_rows, const OnLogits& on_logits, const std::stop_token& stop);

  const model::Model* model_;
  std::vector<std::unique_ptr<backend::Program>> body_, head_;
};

}  // namespace puna::engine
