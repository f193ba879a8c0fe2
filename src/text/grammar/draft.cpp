#include "text/grammar/draft.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "base/check.h"

namespace puna::text::grammar {
namespace {

using Kind = Fragments::Arc::Kind;

// Arcs by the state they come from.
class Outgoing {
 public:
  explicit Outgoing(const Fragments& fragments) : begins_(fragments.n_states + 1), arcs_(fragments.arcs.size()) {
    for (const Fragments::Arc& arc : fragments.arcs) ++begins_[arc.from + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (const Fragments::Arc& arc : fragments.arcs) arcs_[next[arc.from]++] = arc;
  }
  std::span<const Fragments::Arc> of(StateId state) const {
    return std::span(arcs_).subspan(begins_[state], begins_[state + 1] - begins_[state]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Fragments::Arc> arcs_;
};

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::ranges::sort(items);
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Removes the empty transitions from what lies behind one state after the other.
class EmptyRemoval {
 public:
  EmptyRemoval(const Fragments& fragments, const std::vector<bool>& nullable)
      : fragments_(fragments),
        nullable_(nullable),
        outgoing_(fragments),
        numbers_(fragments.n_states, kNone),
        seen_(fragments.n_states, kNone) {}

  Result<Draft> run() {
    for (RuleId rule = 0; rule < fragments_.rules.size(); ++rule) {
      const Fragments::Rule& from = fragments_.rules[rule];
      draft_.rules.push_back({number(from.start, rule), from.has_counter, from.body, from.min, from.max});
      if (from.has_counter && nullable_[from.body]) draft_.rules.back().min = 0;
      for (; next_ < origins_.size(); ++next_) {
        expand(next_, from.end);
        if (draft_.n_arcs > kMostArcs) return too_large();
      }
    }
    return std::move(draft_);
  }

 private:
  static constexpr StateId kNone = 0xFFFFFFFF;

  StateId number(StateId state, RuleId rule) {
    if (numbers_[state] == kNone) {
      numbers_[state] = static_cast<StateId>(origins_.size());
      origins_.push_back(state);
      draft_.states.push_back({.edges = {}, .calls = {}, .rule = rule});
    }
    return numbers_[state];
  }

  void expand(StateId numbered, StateId end) {
    const RuleId rule = draft_.states[numbered].rule;
    const bool is_start = origins_[numbered] == fragments_.rules[rule].start;
    std::vector<Automaton::Edge> edges;
    std::vector<Automaton::Call> calls;
    stack_.assign(1, origins_[numbered]);
    seen_[origins_[numbered]] = numbered;
    while (!stack_.empty()) {
      const StateId state = stack_.back();
      stack_.pop_back();
      if (state == end && !is_start) draft_.states[numbered].is_final = true;
      for (const Fragments::Arc& arc : outgoing_.of(state)) {
        if (arc.kind == Kind::symbols)
          edges.push_back({arc.first, arc.last, number(arc.to, rule)});
        else if (arc.kind == Kind::call)
          calls.push_back({arc.rule, number(arc.to, rule)});
        else if ((arc.kind == Kind::empty || nullable_[arc.rule]) && seen_[arc.to] != numbered) {
          seen_[arc.to] = numbered;
          stack_.push_back(arc.to);
        }
      }
    }
    sort_unique(edges);
    sort_unique(calls);
    draft_.n_arcs += edges.size() + calls.size() + 1;
    draft_.states[numbered].edges = std::move(edges);
    draft_.states[numbered].calls = std::move(calls);
  }

  const Fragments& fragments_;
  const std::vector<bool>& nullable_;
  Outgoing outgoing_;
  Draft draft_;
  std::vector<StateId> numbers_;  // of a fragment's state in the draft
  std::vector<StateId> origins_;  // and back
  std::vector<StateId> seen_;     // by the search from that state
  std::vector<StateId> stack_;
  StateId next_ = 0;
};

// Which states can be come to from their rule's start, and which rules can end, with no more than one look at each call.
class Ends {
 public:
  explicit Ends(const Draft& draft) : reached_(draft.states.size()), ended_(draft.rules.size()), waiting_(draft.rules.size()) {
    for (const Draft::Rule& rule : draft.rules) reach(rule.start);
    for (RuleId rule = 0; rule < draft.rules.size(); ++rule)
      if (draft.rules[rule].has_counter) waiting_[draft.rules[rule].body].push_back(kCounter | rule);
    while (!stack_.empty()) {
      const Draft::State& state = draft.states[stack_.back()];
      stack_.pop_back();
      if (state.is_final) end(state.rule);
      for (const Automaton::Edge& edge : state.edges) reach(edge.to);
      for (const Automaton::Call& call : state.calls) {
        if (ended_[call.rule])
          reach(call.to);
        else
          waiting_[call.rule].push_back(call.to);
      }
    }
  }

  bool can_end(RuleId rule) const { return ended_[rule]; }

 private:
  static constexpr std::uint64_t kCounter = std::uint64_t{1} << 32;

  void reach(StateId state) {
    if (reached_[state]) return;
    reached_[state] = true;
    stack_.push_back(state);
  }

  void end(RuleId first) {
    std::vector<RuleId> rules{first};
    while (!rules.empty()) {
      const RuleId rule = rules.back();
      rules.pop_back();
      if (ended_[rule]) continue;
      ended_[rule] = true;
      for (const std::uint64_t waiting : waiting_[rule]) {
        if (waiting & kCounter)
          rules.push_back(static_cast<RuleId>(waiting));
        else
          reach(static_cast<StateId>(waiting));
      }
    }
  }

  std::vector<bool> reached_, ended_;
  std::vector<std::vector<std::uint64_t>> waiting_;  // by rule: states to go on at, or counting rules, when it ends
  std::vector<StateId> stack_;
};

}  // namespace

std::vector<bool> find_nullable(const Fragments& fragments) {
  const Outgoing outgoing(fragments);
  std::vector<bool> nullable(fragments.rules.size()), reached(fragments.n_states);
  std::vector<std::vector<StateId>> waiting(fragments.rules.size());  // by rule: where to go on if it is nullable
  std::vector<std::vector<RuleId>> ends(fragments.n_states);
  std::vector<StateId> stack;
  const auto reach = [&](StateId state) {
    if (reached[state]) return;
    reached[state] = true;
    stack.push_back(state);
  };
  for (RuleId rule = 0; rule < fragments.rules.size(); ++rule) {
    ends[fragments.rules[rule].end].push_back(rule);
    reach(fragments.rules[rule].start);
  }
  while (!stack.empty()) {
    const StateId state = stack.back();
    stack.pop_back();
    for (const RuleId rule : ends[state]) {
      nullable[rule] = true;
      for (const StateId next : waiting[rule]) reach(next);
    }
    for (const Fragments::Arc& arc : outgoing.of(state)) {
      if (arc.kind == Kind::empty) reach(arc.to);
      if (arc.kind != Kind::bypass) continue;
      if (nullable[arc.rule])
        reach(arc.to);
      else
        waiting[arc.rule].push_back(arc.to);
    }
  }
  return nullable;
}

Result<Draft> without_empty(const Fragments& fragments, const std::vector<bool>& nullable) {
  return EmptyRemoval(fragments, nullable).run();
}

bool can_end(const Draft& draft, RuleId rule) {
  const Draft::State& start = draft.states[draft.rules[rule].start];
  return draft.rules[rule].has_counter || !start.edges.empty() || !start.calls.empty();
}

void prune(Draft& draft) {
  const Ends ends(draft);
  // Backwards from where rules end.
  std::vector<std::vector<StateId>> sources(draft.states.size());
  std::vector<StateId> stack;
  std::vector<bool> useful(draft.states.size());
  const auto use = [&](StateId state) {
    if (useful[state]) return;
    useful[state] = true;
    stack.push_back(state);
  };
  for (StateId state = 0; state < draft.states.size(); ++state) {
    for (const Automaton::Edge& edge : draft.states[state].edges) sources[edge.to].push_back(state);
    for (const Automaton::Call& call : draft.states[state].calls)
      if (ends.can_end(call.rule)) sources[call.to].push_back(state);
    if (draft.states[state].is_final) use(state);
  }
  while (!stack.empty()) {
    const StateId state = stack.back();
    stack.pop_back();
    for (const StateId source : sources[state]) use(source);
  }
  for (Draft::State& state : draft.states) {
    std::erase_if(state.edges, [&](const Automaton::Edge& edge) { return !useful[edge.to]; });
    std::erase_if(state.calls, [&](const Automaton::Call& call) { return !ends.can_end(call.rule) || !useful[call.to]; });
  }
  for (Draft::Rule& rule : draft.rules)
    if (rule.has_counter && !ends.can_end(rule.body)) rule.has_counter = false;
}

std::vector<std::vector<RuleId>> first_calls(const Draft& draft) {
  std::vector<std::vector<RuleId>> called(draft.rules.size());
  for (RuleId rule = 0; rule < draft.rules.size(); ++rule) {
    for (const Automaton::Call& call : draft.states[draft.rules[rule].start].calls) called[rule].push_back(call.rule);
    if (draft.rules[rule].has_counter) called[rule].push_back(draft.rules[rule].body);
    sort_unique(called[rule]);
  }
  return called;
}

void merge_equal_states(Draft& draft) {
  constexpr int kRounds = 8;
  std::vector<StateId> order(draft.states.size()), same(draft.states.size());
  std::vector<bool> is_start(draft.states.size());
  for (const Draft::Rule& rule : draft.rules) is_start[rule.start] = true;
  const auto key = [&](StateId state) {
    const Draft::State& s = draft.states[state];
    return std::tie(s.rule, s.is_final, s.edges, s.calls);
  };
  for (Draft::State& state : draft.states) {
    sort_unique(state.edges);
    sort_unique(state.calls);
  }
  for (int round = 0; round < kRounds; ++round) {
    std::iota(order.begin(), order.end(), 0);
    std::iota(same.begin(), same.end(), 0);
    std::erase_if(order, [&](StateId state) { return is_start[state]; });
    std::ranges::sort(order, [&](StateId a, StateId b) { return key(a) < key(b); });
    bool changed = false;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (key(order[i - 1]) == key(order[i])) same[order[i]] = same[order[i - 1]], changed = true;
    if (!changed) return;
    for (Draft::State& state : draft.states) {
      for (Automaton::Edge& edge : state.edges) edge.to = same[edge.to];
      for (Automaton::Call& call : state.calls) call.to = same[call.to];
      sort_unique(state.edges);
      sort_unique(state.calls);
    }
    order.resize(draft.states.size());
  }
}

}  // namespace puna::text::grammar
