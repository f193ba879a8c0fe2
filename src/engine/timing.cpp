#include "engine/timing.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "engine/memory_plan.h"
#include "engine/state.h"

namespace puna::engine {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Ids at random, the same for the same seed (splitmix64).
std::vector<TokenId> random_ids(const State& state, std::uint64_t seed, std::int64_t n) {
  std::vector<TokenId> ids(static_cast<std::size_t>(n));
  for (TokenId& id : ids) {
    std::uint64_t z = (seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    id = static_cast<TokenId>((z ^ (z >> 31)) % static_cast<std::uint64_t>(state.model.hparams.n_vocab));
  }
  return ids;
}

// Sequences that run together, for as long as this lives; what they leave stays cached.
class Sequences {
 public:
  Sequences(State& state, const std::stop_token& stop) : state_(state), stop_(stop) {}
  Sequences(const Sequences&) = delete;
  Sequences& operator=(const Sequences&) = delete;
  ~Sequences() {
    for (const kv::SequenceId id : ids_) state_.cache->finish(id);
  }

  // One more, which begins with `tokens`: taken from the cache as far as they are there, the rest computed.
  Result<void> start(const std::vector<TokenId>& tokens) {
    const kv::Start start = state_.cache->start(tokens, tokens.size());
    ids_.push_back(start.id);
    state_.store.run(start.copies);
    const Work work{start.id, std::span(tokens).subspan(start.n_cached)};
    return compute({work});
  }
  // One more that goes on from the first.
  void fork_first() { ids_.push_back(state_.cache->fork(ids_.front())); }

  // tokens[i] behind what sequence i has.
  Result<void> extend(const std::vector<std::vector<TokenId>>& tokens) {
    std::vector<Work> work;
    for (std::size_t i = 0; i < tokens.size(); ++i) work.push_back({ids_[i], tokens[i]});
    return compute(std::move(work));
  }

 private:
  Result<void> compute(std::vector<Work> work) {
    while (true) {
      const StepPlan plan = next_step(work, state_.options.n_ubatch);
      if (plan.sequences.empty()) return {};
      PUNA_TRY(state_.runner->step(plan, *state_.cache, state_.store, [](std::int64_t, std::span<const float>) {}, stop_));
      std::erase_if(work, [](const Work& item) { return item.pending.empty(); });
      // The plan takes from the first ones on, in their order.
      for (std::size_t i = 0; i < plan.sequences.size(); ++i)
        work[i].pending = work[i].pending.subspan(plan.sequences[i].tokens.size());
    }
  }

  State& state_;
  const std::stop_token& stop_;
  std::vector<kv::SequenceId> ids_;
};

Result<void> check(const State& state, const TokenTiming& timing) {
  const std::int64_t n_max = std::int64_t{1} << 28;
  for (const std::int64_t n : {timing.n_depth, timing.n_prompt, timing.n_gen})
    if (n < 0 || n > n_max) return fail("{} tokens to be timed, wanted 0 to {}", n, n_max);
  if (timing.n_sequences < 1 || timing.n_sequences > state.options.n_sequences)
    return fail("{} sequences to be timed, the cache has room for {}", timing.n_sequences, state.options.n_sequences);
  const std::int64_t needed = timing.n_sequences * (timing.n_depth + timing.n_prompt + timing.n_gen);
  if (needed > state.n_ctx) return fail("{} tokens to be timed, the context has {} positions", needed, state.n_ctx);
  return {};
}

}  // namespace

Result<TokenTimes> time_tokens(State& state, const TokenTiming& timing, const std::stop_token& stop) {
  PUNA_TRY(check(state, timing));
  const std::int64_t n_own = timing.shared_prompt ? 1 : timing.n_sequences;  // sequences with a beginning of their own
  // Depths are the same in every call, so that the cache has them from the second one on; what is timed never is.
  const auto own_ids = [&](std::uint64_t seed, std::int64_t n_sequences, std::int64_t n) {
    std::vector<std::vector<TokenId>> ids;
    for (std::int64_t i = 0; i < n_sequences; ++i)
      ids.push_back(random_ids(state, (seed << 20) + (static_cast<std::uint64_t>(i) << 40), n));
    return ids;
  };
  Sequences sequences(state, stop);
  for (const std::vector<TokenId>& depth : own_ids(0, n_own, timing.n_depth)) PUNA_TRY(sequences.start(depth));

  TokenTimes times;
  const auto prompts = own_ids(2 * timing.seed + 1, n_own, timing.n_prompt);
  const auto prompt_begin = Clock::now();
  PUNA_TRY(sequences.extend(prompts));
  for (std::int64_t i = n_own; i < timing.n_sequences; ++i) sequences.fork_first();
  times.prompt_seconds = seconds_since(prompt_begin);

  const auto next = own_ids(2 * timing.seed + 2, timing.n_sequences, timing.n_gen);
  const auto generation_begin = Clock::now();
  for (std::size_t i = 0; i < static_cast<std::size_t>(timing.n_gen); ++i) {
    std::vector<std::vector<TokenId>> one;
    for (const std::vector<TokenId>& ids : next) one.push_back({ids[i]});
    PUNA_TRY(sequences.extend(one));
  }
  times.generation_seconds = seconds_since(generation_begin);
  return times;
}

TokenCosts token_costs(const State& state) {
  TokenCosts costs;
  std::vector<bool> counted(state.model.body.graph.weights.size());
  const auto bytes_of = [](const graph::WeightInfo& weight) {
    return tensor::row_bytes(weight.dtype, static_cast<std::size_t>(weight.row)) * static_cast<std::uint64_t>(weight.n_rows);
  };
  const auto products_of = [](const graph::WeightInfo& weight) {
    return weight.n_rows > 1 ? static_cast<std::uint64_t>(weight.row) * static_cast<std::uint64_t>(weight.n_rows) : 0;
  };
  for (const graph::Node& node : state.model.body.graph.nodes) {
    if (std::holds_alternative<graph::Embed>(node.op)) continue;  // a row of it is looked up
    for (const graph::WeightId id : graph::weights_of(node.op)) {
      if (counted[id]) continue;
      counted[id] = true;
      costs.weight_bytes += bytes_of(state.model.body.graph.weights[id]);
      costs.products += products_of(state.model.body.graph.weights[id]);
    }
  }
  for (const graph::WeightInfo& weight : state.model.head.graph.weights) {
    costs.weight_bytes += bytes_of(weight);
    costs.head_products += products_of(weight);
  }
  kv::Spec one_block{.block_tokens = kBlockTokens, .groups = state.cache->spec().groups};
  for (kv::LayerGroup& group : one_block.groups) group.n_blocks = 1;
  for (const graph::StoreInfo& store : state.model.body.graph.stores)
    costs.layers.push_back({KvStore::bytes({store}, one_block, cache_types(state.options)) / kBlockTokens, store.window});
  return costs;
}

std::uint64_t TokenCosts::cache_bytes(std::int64_t position) const {
  std::uint64_t bytes = 0;
  for (const Layer& layer : layers) {
    const std::int64_t seen = layer.window > 0 ? std::min(position + 1, layer.window) : position + 1;
    bytes += static_cast<std::uint64_t>(seen) * layer.position_bytes;
  }
  return bytes;
}

}  // namespace puna::engine
