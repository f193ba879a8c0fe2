// Many prompts at once through scheduler, cache and runner, as a server runs them: for tests that nobody sees the others.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/dispatch.h"
#include "backend/cpu/threads.h"
#include "engine/memory_plan.h"
#include "engine/runner.h"
#include "engine/scheduler.h"
#include "kv/manager.h"

namespace puna::engine {

struct CrowdOptions {
  std::filesystem::path model;
  CacheTypes cache;
  int n_threads = 2;
  std::int64_t n_ubatch = 512;
  std::int64_t n_ctx = 1024;     // of each prompt and its answer
  std::uint32_t n_blocks = 400;  // of 32 positions, in every layer group
};

// The logits of the last prompt token and of every new token but the last, and the new tokens, each the most likely.
struct CrowdAnswer {
  std::vector<std::vector<float>> logits;
  std::vector<TokenId> tokens;
  std::uint32_t n_cached = 0;
  bool operator==(const CrowdAnswer& other) const { return logits == other.logits && tokens == other.tokens; }
};

class Crowd {
 public:
  explicit Crowd(const CrowdOptions& options)
      : options_(options),
        threads_(options.n_threads, options.n_threads, {}),
        backend_(*backend::cpu::choose_table().value(), threads_, false),
        model_(model::load(gguf::File::open(options.model).value()).value()) {
    const Lowered lowered = run_passes(model_, backend_, {});
    kv::Spec spec = cache_spec(model_, options.n_ctx, options.n_ubatch);
    for (kv::LayerGroup& group : spec.groups) group.n_blocks = options.n_blocks;
    cache_ = std::make_unique<kv::Manager>(spec);
    store_ = KvStore::make(model_.body.graph.stores, spec, options.cache).value();
    runner_ = std::make_unique<Runner>(Runner::make(model_, lowered, backend_, {.n_ubatch = options.n_ubatch}).value());
  }

  // All prompts together, in steps of n_ubatch tokens; what was computed stays cached for the next call.
  std::vector<CrowdAnswer> answer(const std::vector<std::vector<TokenId>>& prompts, std::size_t n_new) {
    std::vector<Member> members;
    for (const std::vector<TokenId>& prompt : prompts) {
      const kv::Start start = cache_->start(prompt, prompt.size() - 1);
      store_.run(start.copies);
      members.push_back({start.id, {prompt.begin() + start.n_cached, prompt.end()}, {}});
      members.back().answer.n_cached = start.n_cached;
    }
    while (step(members, n_new)) {
    }
    std::vector<CrowdAnswer> answers;
    for (Member& member : members) {
      cache_->finish(member.id);
      answers.push_back(std::move(member.answer));
    }
    return answers;
  }

 private:
  struct Member {
    kv::SequenceId id;
    std::vector<TokenId> pending;
    CrowdAnswer answer;
  };

  bool step(std::vector<Member>& members, std::size_t n_new) {
    std::vector<Work> work;
    for (const Member& member : members) work.push_back({member.id, member.pending});
    // Who waits for a single token first: as a server decodes between the chunks of other prompts.
    std::ranges::sort(work, {}, [](const Work& item) { return std::pair(item.pending.size() != 1, item.id.value); });
    const StepPlan plan = next_step(work, options_.n_ubatch);
    if (plan.sequences.empty()) return false;
    std::vector<std::vector<float>> rows;
    const auto n_vocab = static_cast<std::size_t>(model_.hparams.n_vocab);
    const auto done = runner_->step(plan, *cache_, store_, [&](std::int64_t, std::span<const float> logits) {
      for (std::size_t i = 0; i < logits.size(); i += n_vocab)
        rows.emplace_back(logits.begin() + i, logits.begin() + i + n_vocab);
    });
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    std::size_t row = 0;
    for (const StepSequence& part : plan.sequences) {
      Member& member = *std::ranges::find(members, part.id, &Member::id);
      member.pending.erase(member.pending.begin(), member.pending.begin() + static_cast<std::ptrdiff_t>(part.tokens.size()));
      if (part.output_rows.empty()) continue;
      CrowdAnswer& answer = member.answer;
      answer.logits.push_back(std::move(rows.at(row++)));
      answer.tokens.push_back(
          static_cast<TokenId>(std::ranges::max_element(answer.logits.back()) - answer.logits.back().begin()));
      if (answer.tokens.size() < n_new) member.pending = {answer.tokens.back()};
    }
    return done.has_value();
  }

  CrowdOptions options_;
  backend::cpu::Threads threads_;
  backend::cpu::CpuBackend backend_;
  model::Model model_;
  std::unique_ptr<kv::Manager> cache_;
  KvStore store_;
  std::unique_ptr<Runner> runner_;
};

// Eight copies of a prompt among thirty other texts of its tokens, some of which begin as it does.
inline std::vector<std::vector<TokenId>> eight_among_thirty(const std::vector<TokenId>& prompt) {
  std::vector<std::vector<TokenId>> all;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < 38; ++i) {
    std::vector<TokenId> own = prompt;
    if (i % 5 != 0) {
      const std::size_t kept = i % 3 == 0 ? own.size() / 2 : 0;
      for (std::size_t j = kept; j < own.size(); ++j) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        own[j] = prompt[(state >> 33) % prompt.size()];
      }
      own.resize(std::max<std::size_t>(kept + 1, own.size() * (i % 7 + 1) / 7));
    }
    all.push_back(std::move(own));
  }
  return all;
}
inline bool is_copy(std::size_t i) { return i % 5 == 0; }

}  // namespace puna::engine
