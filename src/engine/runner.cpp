#include "engine/runner.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/log.h"

namespace puna::engine {
namespace {

std::vector<graph::Segment> run_passes(graph::Graph& graph, const std::vector<graph::Device>& devices, const AfterPass& after) {
  const auto end_of = [&](std::string_view pass) {
    graph::verify(graph);
    if (after) after(pass, graph);
  };
  end_of("build");
  graph::place(graph, devices, 0);
  end_of("place");
  for (const std::string& op : graph::lower(graph, devices))
    log::info("{} runs on the CPU: {} refuses it", op, devices.back().name);
  end_of("lower");
  graph::fuse(graph, devices);
  end_of("fuse");
  std::vector<graph::Segment> segments = graph::cut(graph);
  end_of("cut");
  return segments;
}

graph::MaxSizes body_sizes(std::int64_t n_ubatch) { return {{n_ubatch, n_ubatch}}; }
graph::MaxSizes head_sizes() { return {{kHeadRows, kHeadRows}}; }

Result<std::vector<std::unique_ptr<backend::Program>>> compile(const model::GraphWithWeights& part,
                                                               const std::vector<graph::Segment>& segments,
                                                               backend::Backend& backend, const graph::MaxSizes& sizes,
                                                               bool keep_packed) {
  std::vector<std::unique_ptr<backend::Program>> programs;
  for (const graph::Segment& segment : segments)
    programs.push_back(PUNA_TRY(backend.compile(
        {.graph = &part.graph, .segment = segment, .sizes = sizes, .weights = part.weights, .keep_packed = keep_packed})));
  return programs;
}

}  // namespace

Lowered run_passes(model::Model& model, backend::Backend& backend, const AfterPass& after) {
  const std::vector<graph::Device> devices{{
      .name = backend.info().name,
      .memory = UINT64_MAX,
      .accepts = [&](const graph::Graph& graph, const graph::Op& op) { return backend.accepts(graph, op); },
      .packing = [&](const graph::WeightInfo& weight) { return backend.packing(weight); },
  }};
  return {run_passes(model.body.graph, devices, after), run_passes(model.head.graph, devices, after)};
}

std::uint64_t Runner::compute_bytes(const model::Model& model, const backend::Backend& backend, std::int64_t n_ubatch) {
  return backend.arena_bytes(model.body.graph, body_sizes(n_ubatch)) + backend.arena_bytes(model.head.graph, head_sizes());
}

Result<Runner> Runner::make(const model::Model& model, const Lowered& lowered, backend::Backend& backend,
                            const RunnerOptions& options) {
  Runner runner(model);
  runner.body_ = PUNA_TRY(compile(model.body, lowered.body, backend, body_sizes(options.n_ubatch), options.keep_packed));
  runner.head_ = PUNA_TRY(compile(model.head, lowered.head, backend, head_sizes(), options.keep_packed));
  return runner;
}

Result<void> Runner::step(const StepPlan& plan, kv::Manager& cache, KvStore& store, const OnLogits& on_logits,
                          std::stop_token stop) {
  std::vector<std::int32_t> ids, positions, rows;
  std::vector<backend::SequenceRows> sequences;
  std::vector<std::uint32_t> lengths;
  // All or nothing: what this step added is taken back.
  const auto undo = [&] {
    for (std::size_t i = 0; i < lengths.size(); ++i) cache.truncate(plan.sequences[i].id, lengths[i]);
  };
  for (const StepSequence& part : plan.sequences) {
    const auto start = static_cast<std::int64_t>(cache.length(part.id));
    auto copies = cache.extend(part.id, part.tokens);
    if (!copies) {
      undo();
      return std::unexpected(std::move(copies).error());
    }
    store.run(*copies);
    lengths.push_back(static_cast<std::uint32_t>(start));
    sequences.push_back({static_cast<std::int64_t>(ids.size()), static_cast<std::int64_t>(part.tokens.size()), start});
    for (std::int32_t row : part.output_rows) rows.push_back(row + static_cast<std::int32_t>(ids.size()));
    for (std::size_t i = 0; i < part.tokens.size(); ++i)
      positions.push_back(static_cast<std::int32_t>(start + static_cast<std::int64_t>(i)));
    ids.insert(ids.end(), part.tokens.begin(), part.tokens.end());
  }
  std::vector<const std::uint32_t*> tables;
  for (std::size_t group = 0; group < cache.spec().groups.size(); ++group)
    for (const StepSequence& part : plan.sequences) tables.push_back(cache.blocks(part.id, group).data());

  const std::array<std::int64_t, 2> sizes{static_cast<std::int64_t>(ids.size()), static_cast<std::int64_t>(rows.size())};
  const std::array<const void*, 3> inputs{ids.data(), positions.data(), rows.data()};
  const backend::StepData data{
      .sizes = sizes, .inputs = inputs, .sequences = sequences, .stores = store.views(), .block_tables = tables, .stop = stop};
  for (const auto& program : body_)
    if (!program->run(data)) {
      undo();
      return fail(ErrorKind::cancelled, "stopped");
    }
  for (const StepSequence& part : plan.sequences) cache.commit(part.id);
  if (!rows.empty() && !run_head(body_.back()->output(0), sizes[1], on_logits, stop))
    return fail(ErrorKind::cancelled, "stopped");
  return {};
}

bool Runner::run_head(const float* hidden, std::int64_t n_rows, const OnLogits& on_logits, const std::stop_token& stop) {
  const std::int64_t n_vocab = model_->hparams.n_vocab;
  for (std::int64_t first = 0; first < n_rows; first += kHeadRows) {
    const std::int64_t n = std::min(kHeadRows, n_rows - first);
    const std::array<std::int64_t, 2> sizes{n, n};
    const std::array<const void*, 1> inputs{hidden + first * model_->hparams.dim};
    for (const auto& program : head_)
      if (!program->run({.sizes = sizes, .inputs = inputs, .sequences = {}, .stores = {}, .stop = stop})) return false;
    const float* logits = head_.back()->output(0);
    on_logits(first, {logits, static_cast<std::size_t>(n * n_vocab)});
  }
  return true;
}

}  // namespace puna::engine
