#include "text/grammar/stacks.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <unordered_set>

#include "base/check.h"

namespace puna::text::grammar {

Stacks::Stacks(std::shared_ptr<const Automaton> automaton, std::uint32_t horizon)
    : automaton_(std::move(automaton)),
      n_classes_(automaton_->n_classes()),
      horizon_(horizon),
      called_(automaton_->rules.size()) {
  std::vector<Return> marks{{kTextEnds, kRootFrame, 0, 0}};
  PUNA_CHECK(intern_frame(marks) == kRootFrame);
  marks = {{kOpenEnds, kOpenFrame, 0, 0}};
  PUNA_CHECK(intern_frame(marks) == kOpenFrame);
  begin();
  PUNA_CHECK(intern_situation(0) == kRefused);
  allow(std::numeric_limits<std::uint64_t>::max());
  begin();
  if (automaton_->accepts_empty) found_ |= kComplete;
  called_[automaton_->root].push_back({kTextEnds, kRootFrame, 0, 0});
  open_rules_.push_back(automaton_->root);
  start_rules();
  start_ = intern_situation(found_);
}

Stacks::Config Stacks::config(SituationId situation, std::size_t i) const {
  const std::span<const std::uint32_t> words = situations_[situation];
  return {words[2 * i + 2], words[2 * i + 1]};
}

Stacks::Return Stacks::return_of(FrameId frame, std::size_t i) const {
  const std::span<const std::uint32_t> words = frames_[frame];
  return {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
}

// Takes away the returns that others come to by themselves, as their state may end at once: what follows is the same without
// them, and a rule that calls itself again and again would otherwise leave one more with each call.
void Stacks::drop_implied(std::vector<Return>& returns) {
  if (returns.size() < 2) return;
  FrameId lowest = returns.front().frame;
  for (const Return& back : returns) lowest = std::min(lowest, back.frame);
  std::vector<FrameId> waiting;
  std::unordered_set<FrameId> seen;
  const auto wait = [&](const Return& back) {
    const bool may_end = back.to < kOpenEnds && automaton_->states[back.to].is_final;
    if (may_end && back.frame > lowest && seen.insert(back.frame).second) waiting.push_back(back.frame);
  };
  for (const Return& back : returns) wait(back);
  std::vector<Return> implied;
  while (!waiting.empty()) {
    const FrameId frame = waiting.back();
    waiting.pop_back();
    const std::size_t n = n_returns(frame);
    if (!spend(n)) return;
    for (std::size_t i = 0; i < n; ++i) {
      implied.push_back(return_of(frame, i));
      wait(implied.back());
    }
  }
  std::ranges::sort(implied);
  std::erase_if(returns, [&](const Return& back) { return std::ranges::binary_search(implied, back); });
}

// Sorted; counts that touch become one range.
FrameId Stacks::intern_frame(std::vector<Return>& returns) {
  drop_implied(returns);
  std::ranges::sort(returns);
  words_.clear();
  for (std::size_t i = 0; i < returns.size();) {
    Return joined = returns[i++];
    for (; i < returns.size() && returns[i].to == joined.to && returns[i].frame == joined.frame &&
           returns[i].low <= std::uint64_t{joined.high} + 1;
         ++i)
      joined.high = std::max(joined.high, returns[i].high);
    words_.insert(words_.end(), {joined.to, joined.frame, joined.low, joined.high});
  }
  const FrameId id = frames_.intern(words_);
  if (id == after_.size()) {
    after_.push_back(kUnknown);
    far_frames_.push_back(kUnknown);
  }
  return id;
}

SituationId Stacks::intern_situation(std::uint8_t flags) {
  std::ranges::sort(configs_);
  configs_.erase(std::unique(configs_.begin(), configs_.end()), configs_.end());
  if (!configs_.empty()) flags |= kGoesOn;
  words_.assign(1, flags);
  for (const std::uint64_t config : configs_) {
    words_.push_back(static_cast<std::uint32_t>(config >> 32));
    words_.push_back(static_cast<std::uint32_t>(config));
  }
  const SituationId id = situations_.intern(words_);
  if (id == flags_.size()) {
    flags_.push_back(flags);
    next_.resize(next_.size() + n_classes_, kUnknown);
  }
  return id;
}

bool Stacks::spend(std::uint64_t work) {
  if (work_left_ < work || items_.size() > kMostItems || configs_.size() > kMostItems) exhausted_ = true;
  work_left_ -= std::min(work, work_left_);
  return !exhausted_;
}

void Stacks::begin() {
  items_.clear();
  item_slots_.clear();
  configs_.clear();
  found_ = 0;
}

namespace {

// Where an item is in the slots, or belongs: a power of two of them, never full.
template <class Item>
std::uint32_t& slot_of(const Item& item, const std::vector<Item>& items, std::vector<std::uint32_t>& slots) {
  const std::uint64_t place = std::uint64_t{item.state} << 32 | item.frame, counts = std::uint64_t{item.low} << 32 | item.high;
  std::size_t at = hash_mix(hash_mix(place ^ kHashOdd1, kHashOdd2 ^ hash_seed()) ^ counts, kHashOdd1);
  for (;; ++at) {
    std::uint32_t& slot = slots[at & (slots.size() - 1)];
    if (slot == 0 || items[slot - 1] == item) return slot;
  }
}

}  // namespace

// Each once: few are compared one by one, many have slots.
void Stacks::add(const Item& item) {
  constexpr std::size_t kFew = 12;
  if (items_.size() < kFew) {
    if (std::ranges::find(items_, item) == items_.end()) items_.push_back(item);
    return;
  }
  if (2 * items_.size() > item_slots_.size()) {
    item_slots_.assign(std::bit_ceil(4 * items_.size()), 0);
    for (std::uint32_t i = 0; i < items_.size(); ++i) slot_of(items_[i], items_, item_slots_) = i + 1;
  }
  std::uint32_t& slot = slot_of(item, items_, item_slots_);
  if (slot != 0) return;
  items_.push_back(item);
  slot = static_cast<std::uint32_t>(items_.size());
}

SituationId Stacks::find_next(SituationId situation, std::uint16_t symbol_class) {
  if (exhausted_) return kRefused;
  begin();
  const Symbol symbol = automaton_->representative[symbol_class];
  const std::size_t n = n_configs(situation);
  for (std::size_t i = 0; i < n; ++i) {
    const Config at = config(situation, i);
    const Automaton::State& state = automaton_->states[at.state];
    if (!spend(1 + state.n_edges)) return kRefused;
    for (std::uint32_t edge = state.first_edge; edge < state.first_edge + state.n_edges; ++edge)
      if (automaton_->edges[edge].first <= symbol && symbol <= automaton_->edges[edge].last)
        add({automaton_->edges[edge].to, at.frame, 0, 0});
  }
  const SituationId result = close();
  if (!exhausted_) next_[situation * n_classes_ + symbol_class] = result;
  return exhausted_ ? kRefused : result;
}

SituationId Stacks::close() {
  end_rules();
  const std::size_t n_items = items_.size();
  for (std::size_t i = 0; i < n_items && spend(1); ++i) {
    const Item item = items_[i];
    if (automaton_->states[item.state].n_edges > 0) configs_.push_back(std::uint64_t{item.frame} << 32 | item.state);
    call_rules(item);
  }
  start_rules();
  return exhausted_ ? kRefused : intern_situation(found_);
}

void Stacks::end_frame(FrameId frame) {
  const std::size_t n = n_returns(frame);
  if (!spend(n)) return;
  for (std::size_t i = 0; i < n; ++i) {
    const Return back = return_of(frame, i);
    if (back.to == kTextEnds)
      found_ |= kComplete;
    else if (back.to == kOpenEnds)
      found_ |= kLeaves;
    else
      add({back.to, back.frame, back.low, back.high});
  }
}

// While items come to an end, those below them are items too.
void Stacks::end_rules() {
  for (std::size_t i = 0; i < items_.size() && !exhausted_; ++i) {
    const Item item = items_[i];
    const Automaton::State& state = automaton_->states[item.state];
    if (state.is_final || (state.has_counter && item.high >= state.min)) end_frame(item.frame);
  }
}

void Stacks::call_rules(const Item& item) {
  const Automaton::State& state = automaton_->states[item.state];
  for (std::uint32_t call = state.first_call; call < state.first_call + state.n_calls; ++call)
    call_rule(item, automaton_->calls[call]);
}

// A call behind which its own rule only ends goes on where that rule's callers do: lists that call themselves at their end
// leave no frames behind.
void Stacks::call_rule(const Item& item, const Automaton::Call& call) {
  const Automaton::State& state = automaton_->states[item.state];
  Return back{call.to, item.frame, 0, 0};
  bool only_ends = automaton_->states[call.to].only_ends();
  if (state.has_counter) {
    if (item.low >= state.max && state.max != kEndless) return;
    const std::uint32_t most = state.max == kEndless ? state.min : state.max;  // without an end, counts stop at what is needed
    back.low = std::min(item.low + 1, most);
    back.high = std::min(item.high + 1, most);
    only_ends = state.max != kEndless && back.low == state.max;
  }
  std::vector<Return>& returns = called_[call.rule];
  if (returns.empty()) {
    open_rules_.push_back(std::uint64_t{automaton_->rules[call.rule].rank} << 32 | call.rule);
    std::ranges::push_heap(open_rules_, std::greater());
  }
  if (!only_ends) return returns.push_back(back);
  const std::size_t n = n_returns(item.frame);
  if (!spend(n)) return;
  for (std::size_t i = 0; i < n; ++i) returns.push_back(return_of(item.frame, i));
}

// Callers come before whom they call, so a rule's frame is whole when it starts.
void Stacks::start_rules() {
  while (!open_rules_.empty()) {
    std::ranges::pop_heap(open_rules_, std::greater());
    const auto rule = static_cast<RuleId>(open_rules_.back());
    open_rules_.pop_back();
    std::vector<Return>& returns = called_[rule];
    if (spend(1 + returns.size())) {
      const FrameId frame = intern_frame(returns);
      const StateId start = automaton_->rules[rule].start;
      if (automaton_->states[start].n_edges > 0) configs_.push_back(std::uint64_t{frame} << 32 | start);
      call_rules({start, frame, 0, 0});
    }
    returns.clear();
  }
}

SituationId Stacks::open(SituationId situation, std::size_t first, std::size_t last) {
  begin();
  for (std::size_t i = first; i < last; ++i) configs_.push_back(std::uint64_t{kOpenFrame} << 32 | config(situation, i).state);
  return intern_situation(0);
}

SituationId Stacks::after(FrameId frame) {
  if (after_[frame] != kUnknown) return after_[frame];
  if (exhausted_) return kRefused;
  begin();
  end_frame(frame);
  const SituationId result = close();
  if (!exhausted_) after_[frame] = result;
  return result;
}

SituationId Stacks::unite(SituationId a, SituationId b) {
  begin();
  for (const SituationId one : {a, b})
    for (std::size_t i = 0; i < n_configs(one); ++i)
      configs_.push_back(std::uint64_t{config(one, i).frame} << 32 | config(one, i).state);
  return intern_situation((flags_[a] | flags_[b]) & (kComplete | kLeaves));
}

// Frames below first: a stack may be as deep as a text is long.
FrameId Stacks::far_frame(FrameId frame) {
  std::vector<FrameId> waiting{frame};
  std::vector<Return> returns;
  while (!waiting.empty()) {
    const FrameId one = waiting.back();
    if (far_frames_[one] != kUnknown) {
      waiting.pop_back();
      continue;
    }
    returns.clear();
    bool is_ready = true;
    for (std::size_t i = 0; i < n_returns(one); ++i) {
      Return back = return_of(one, i);
      if (back.frame != one && far_frames_[back.frame] == kUnknown) {
        waiting.push_back(back.frame);
        is_ready = false;
      }
      if (!is_ready) continue;
      if (back.frame != one) back.frame = far_frames_[back.frame];
      if (back.to < kOpenEnds) {
        const Automaton::State& state = automaton_->states[back.to];
        if (state.has_counter && back.low >= state.min && state.max - back.high > horizon_) back.low = back.high = state.min;
        if (state.has_counter && std::uint64_t{back.high} + horizon_ < state.min) back.low = back.high = 0;
      }
      returns.push_back(back);
    }
    if (!is_ready) continue;
    waiting.pop_back();
    const FrameId far = intern_frame(returns);
    far_frames_[one] = far;
  }
  return far_frames_[frame];
}

SituationId Stacks::far(SituationId situation) {
  if (!automaton_->has_counters) return situation;
  if (const auto known = far_situations_.find(situation); known != far_situations_.end()) return known->second;
  begin();
  for (std::size_t i = 0; i < n_configs(situation); ++i) {
    const Config at = config(situation, i);
    configs_.push_back(std::uint64_t{far_frame(at.frame)} << 32 | at.state);
  }
  const SituationId result = intern_situation(flags_[situation] & (kComplete | kLeaves));
  far_situations_[situation] = result;
  return result;
}

std::size_t Stacks::bytes() const {
  return frames_.bytes() + situations_.bytes() + 4 * (next_.size() + after_.size() + far_frames_.size()) +
         32 * far_situations_.size();
}

SituationId Stacks::take_over(const Stacks& other, SituationId situation) {
  std::unordered_map<FrameId, FrameId> here{{kRootFrame, kRootFrame}, {kOpenFrame, kOpenFrame}};
  std::vector<FrameId> needed, waiting;
  const auto need = [&](FrameId frame) {
    if (here.try_emplace(frame, 0).second) waiting.push_back(frame);
  };
  for (std::size_t i = 0; i < other.n_configs(situation); ++i) need(other.config(situation, i).frame);
  while (!waiting.empty()) {
    const FrameId frame = waiting.back();
    waiting.pop_back();
    needed.push_back(frame);
    for (std::size_t i = 0; i < other.n_returns(frame); ++i) need(other.return_of(frame, i).frame);
  }
  std::ranges::sort(needed);  // what is below was there before
  std::vector<Return> returns;
  for (const FrameId frame : needed) {
    returns.clear();
    for (std::size_t i = 0; i < other.n_returns(frame); ++i) {
      Return back = other.return_of(frame, i);
      back.frame = here[back.frame];
      returns.push_back(back);
    }
    here[frame] = intern_frame(returns);
  }
  begin();
  for (std::size_t i = 0; i < other.n_configs(situation); ++i) {
    const Config at = other.config(situation, i);
    configs_.push_back(std::uint64_t{here[at.frame]} << 32 | at.state);
  }
  return intern_situation(other.flags_[situation] & (kComplete | kLeaves));
}

}  // namespace puna::text::grammar
