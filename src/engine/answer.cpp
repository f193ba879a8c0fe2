#include "engine/answer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/log.h"
#include "engine/context_shift.h"
#include "engine/guide.h"
#include "engine/state.h"
#include "sample/candidates.h"
#include "sample/chain.h"

namespace puna::engine {
namespace {

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

Result<void> check_ids(const State& state, std::span<const TokenId> ids) {
  if (ids.empty()) return fail("the prompt is empty: wanted at least one token");
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!state.model.tokenizer->contains(ids[i]))
      return fail("token {} at place {} is outside the vocabulary of {}", ids[i], i, state.model.hparams.n_vocab);
  return {};
}

// A sequence of the cache for as long as this lives; what it leaves stays cached.
class Sequence {
 public:
  Sequence(State& state, std::span<const TokenId> tokens, std::size_t max_reuse) : state_(state) {
    const kv::Start start = state.cache->start(tokens, max_reuse);
    state.store.run(start.copies);
    id_ = start.id;
    n_cached_ = start.n_cached;
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  ~Sequence() { state_.cache->finish(id_); }

  std::int64_t n_cached() const { return n_cached_; }

  // Computes `tokens` behind what the sequence has, in steps of n_ubatch. Logits of the rows wanted go to `on_logits`, with
  // the place of the first of them among all rows wanted.
  Result<void> compute(std::span<const TokenId> tokens, Work::Wants wants, const Runner::OnLogits& on_logits,
                       const Listener& listener) {
    const std::size_t all = tokens.size();
    std::int64_t rows_before = 0;
    const auto report = [&] {
      if (listener.progress && all > 1) listener.progress("prompt", all - tokens.size(), all);
    };
    report();
    while (!tokens.empty()) {
      const Work work{id_, tokens, wants};
      const StepPlan plan = next_step({&work, 1}, state_.options.n_ubatch);
      PUNA_TRY(state_.runner->step(
          plan, *state_.cache, state_.store,
          [&](std::int64_t first, std::span<const float> logits) { on_logits(rows_before + first, logits); }, listener.stop));
      rows_before += static_cast<std::int64_t>(plan.sequences[0].output_rows.size());
      tokens = tokens.subspan(static_cast<std::size_t>(plan.n_tokens()));
      report();
    }
    return {};
  }

 private:
  State& state_;
  kv::SequenceId id_;
  std::int64_t n_cached_ = 0;
};

// One request, from its prompt to its last token.
class Answer {
 public:
  Answer(State& state, const Request& request, const Listener& listener)
      : state_(state),
        request_(request),
        listener_(listener),
        silent_{.on_token = {}, .progress = {}, .stop = listener.stop},
        tokens_(request.prompt) {}

  Result<Completion> run() {
    PUNA_TRY(check());
    const auto begin = Clock::now();
    const os::CpuTimes cpu_before = os::cpu_times();
    sample::Chain chain(sampling_, static_cast<std::size_t>(state_.model.hparams.n_vocab),
                        [&](TokenId id) { return state_.model.tokenizer->token_bytes(id); });
    for (TokenId id : request_.prompt) chain.accept(id);
    PUNA_TRY(generate(chain, begin));
    const os::CpuTimes cpu_after = os::cpu_times();
    const double ran = cpu_after.ran - cpu_before.ran, waited = cpu_after.waited - cpu_before.waited;
    Timings& t = result_.timings;
    t.load_seconds = state_.load_seconds;
    t.cpu_share = ran + waited > 0 ? ran / (ran + waited) : 1.0;
    return std::move(result_);
  }

 private:
  Result<void> check() {
    PUNA_TRY(check_ids(state_, request_.prompt));
    PUNA_CHECK(!request_.constraint || &request_.constraint->tokenizer() == state_.model.tokenizer.get(),
               "another model's grammar");
    sampling_ = request_.sampling;
    if (request_.ban_end)
      for (TokenId id : state_.model.tokenizer->eog_tokens())
        sampling_.logit_bias.emplace_back(id, -std::numeric_limits<float>::infinity());
    PUNA_TRY(sample::validate(sampling_, static_cast<std::size_t>(state_.model.hparams.n_vocab)));
    const auto n_prompt = static_cast<std::int64_t>(request_.prompt.size());
    n_keep_ = request_.n_keep < 0 ? n_prompt : std::min(request_.n_keep, n_prompt);
    if (request_.context_shift) {
      // A prompt kept whole that leaves no room for an answer is a prompt that does not fit.
      if (n_keep_ >= state_.n_ctx) {
        auto problem = error(ErrorKind::invalid, "--keep {} leaves no room in a context of {} positions", n_keep_, state_.n_ctx);
        return std::unexpected(std::move(problem).with_hint("take a smaller --keep or a larger -c"));
      }
      if (n_prompt > state_.n_ctx) shift();
      return {};
    }
    if (n_prompt <= state_.n_ctx) return {};
    auto problem = error(ErrorKind::invalid, "the prompt has {} tokens, the context {} positions", n_prompt, state_.n_ctx);
    return std::unexpected(std::move(problem).with_hint(
        fmt::format("take -c {} or more, or --context-shift to keep the newest part", n_prompt + 1)));
  }

  void shift() {
    const std::size_t before = tokens_.size();
    tokens_ = shifted(tokens_, state_.n_ctx, std::min<std::int64_t>(n_keep_, static_cast<std::int64_t>(before) - 1));
    ++result_.timings.n_context_shifts;
    log::info("context full: kept {} of {} tokens", tokens_.size(), before);
  }

  Result<void> generate(sample::Chain& chain, Clock::time_point begin) {
    Timings& t = result_.timings;
    t.n_prompt = static_cast<std::int64_t>(request_.prompt.size());
    result_.finish = Finish::length;
    Guide guide(request_.constraint, request_.prompt.back());
    result_.is_complete = guide.is_complete();
    if (request_.n_predict == 0) return {};
    start_sequence();
    t.n_cached = sequence_->n_cached();
    Clock::time_point first_token = begin;
    while (true) {
      if (guide.is_done()) return stop(Finish::constraint_met);
      const Result<TokenId> next = next_token(chain, guide);
      if (!next && next.error().kind == ErrorKind::cancelled) return stop(Finish::stopped);
      const TokenId token = PUNA_TRY(next);
      const auto now = Clock::now();
      if (result_.tokens.empty()) {
        first_token = now;
        t.first_token_seconds = seconds(begin, now);
      }
      // Tokens that a grammar leaves no choice for may come before the prompt was computed.
      if (n_computed_ >= request_.prompt.size() && t.prompt_seconds == 0) {
        first_token = now;
        t.prompt_seconds = seconds(begin, now);
      }
      chain.accept(token);
      PUNA_TRY(guide.accept(token));
      result_.is_complete = guide.is_complete();
      tokens_.push_back(token);
      result_.tokens.push_back(token);
      t.n_generated = static_cast<std::int64_t>(result_.tokens.size());
      t.generation_seconds = seconds(first_token, now);
      // A grammar may name an end token in the middle of its texts.
      if (request_.stop_at_end && state_.model.tokenizer->is_eog(token) && result_.is_complete) return stop(Finish::end_token);
      if (listener_.on_token && !listener_.on_token(token)) return stop(Finish::stopped);
      if (request_.n_predict > 0 && t.n_generated >= request_.n_predict) return stop(Finish::length);
      if (listener_.stop.stop_requested()) return stop(Finish::stopped);
      if (static_cast<std::int64_t>(tokens_.size()) <= state_.n_ctx) continue;
      if (!request_.context_shift) return stop(Finish::context_full);
      shift();
      start_sequence();
    }
  }

  // What is kept of the sequence before stays cached and is found again.
  void start_sequence() {
    sequence_.reset();
    sequence_ = std::make_unique<Sequence>(state_, tokens_, tokens_.size() - 1);
    n_computed_ = static_cast<std::size_t>(sequence_->n_cached());
  }

  // The only token that the grammar allows, which is computed together with what follows it; or one that is drawn, after all
  // before it was computed.
  Result<TokenId> next_token(sample::Chain& chain, Guide& guide) {
    if (const text::grammar::TokenMask* known = PUNA_TRY(guide.ready()))
      if (const auto only = chain.only_choice(*known)) return *only;
    guide.begin();
    const bool is_prompt = n_computed_ < request_.prompt.size();
    const std::uint64_t position = request_.prompt.size() + result_.tokens.size();
    Result<TokenId> drawn = kNoToken;
    PUNA_TRY(sequence_->compute(
        std::span(tokens_).subspan(n_computed_), Work::Wants::last_row,
        [&](std::int64_t, std::span<const float> logits) { drawn = draw(chain, guide, logits, position); },
        is_prompt ? listener_ : silent_));
    n_computed_ = tokens_.size();
    return drawn;
  }

  static Result<TokenId> draw(sample::Chain& chain, Guide& guide, std::span<const float> logits, std::uint64_t position) {
    const text::grammar::TokenMask* mask = PUNA_TRY(guide.mask());
    return chain.sample(logits, position, mask);
  }

  Result<void> stop(Finish finish) {
    result_.finish = finish;
    return {};
  }

  State& state_;
  const Request& request_;
  const Listener& listener_;
  const Listener silent_;  // for what is no prompt
  sample::Params sampling_;
  std::vector<TokenId> tokens_;  // what the sequence holds, and what it must still compute
  std::int64_t n_keep_ = 0;
  std::unique_ptr<Sequence> sequence_;
  std::size_t n_computed_ = 0;  // of tokens_
  Completion result_;
};

Result<void> check_text(const State& state, std::span<const TokenId> ids) {
  PUNA_TRY(check_ids(state, ids));
  if (static_cast<std::int64_t>(ids.size()) <= state.n_ctx) return {};
  auto problem = error(ErrorKind::invalid, "the text has {} tokens, the context {} positions", ids.size(), state.n_ctx);
  return std::unexpected(std::move(problem).with_hint(fmt::format("take -c {} or more", ids.size())));
}

}  // namespace

Result<Completion> complete(State& state, const Request& request, const Listener& listener) {
  return Answer(state, request, listener).run();
}

Result<void> visit_logits(State& state, std::span<const TokenId> ids, const Engine::OnLogits& visit, const Listener& listener) {
  PUNA_TRY(check_text(state, ids));
  Sequence sequence(state, ids, 0);
  return sequence.compute(ids, Work::Wants::all_rows, visit, listener);
}

Result<Score> score(State& state, std::span<const TokenId> ids, std::size_t n_top, const Listener& listener) {
  const auto n_vocab = static_cast<std::size_t>(state.model.hparams.n_vocab);
  Score result;
  result.nll.resize(ids.empty() ? 0 : ids.size() - 1);
  ThreadPool& pool = state.threads->for_rows(static_cast<std::int64_t>(ids.size()));
  PUNA_TRY(visit_logits(
      state, ids,
      [&](std::int64_t first, std::span<const float> logits) {
        const auto n = static_cast<std::int64_t>(logits.size() / n_vocab);
        pool.parallel_for(n, [&](int, std::int64_t i) {
          const auto row = logits.subspan(static_cast<std::size_t>(i) * n_vocab, n_vocab);
          const auto place = static_cast<std::size_t>(first + i);
          if (place + 1 < ids.size())
            result.nll[place] = -sample::log_softmax_at(row, ids[place + 1]);
          else
            for (const sample::Candidate& best : sample::top(row, n_top)) result.top.emplace_back(best.id, best.logit);
        });
      },
      listener));
  return result;
}

}  // namespace puna::engine
