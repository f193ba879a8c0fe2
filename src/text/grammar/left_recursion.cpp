#include <algorithm>

#include "text/grammar/draft.h"

namespace puna::text::grammar {
namespace {

// Rules that begin with each other, or one that begins with itself.
//
// Once one of them, A, has ended, whichever of them begins with a call of A may be what was meant, and goes on behind that
// call; where that may end too, the same holds of its rule. So the automaton for one of the rules starts with whatever any of
// them starts with that is none of them, and where a member ends it goes on at every such place.
class Circle {
 public:
  Circle(Draft& draft, const std::vector<RuleId>& members, const std::vector<std::vector<StateId>>& states)
      : draft_(draft), members_(members), states_(states), places_(draft.rules.size(), kNone) {
    for (std::uint32_t i = 0; i < members.size(); ++i) places_[members[i]] = i;
    begun_by_.resize(members.size());
    for (const RuleId rule : members)
      for (const Automaton::Call& call : draft.states[draft.rules[rule].start].calls)
        if (places_[call.rule] != kNone) begun_by_[places_[call.rule]].push_back({places_[rule], call.to});
    for (std::uint32_t i = 0; i < members.size(); ++i) find_what_follows(i);
  }

  Result<void> open() {
    std::vector<StateId> starts;
    for (std::uint32_t target = 0; target < members_.size(); ++target) {
      starts.push_back(PUNA_TRY(copy_for(target)));
    }
    for (std::uint32_t i = 0; i < members_.size(); ++i) draft_.rules[members_[i]].start = starts[i];
    return {};
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Begun {
    std::uint32_t member = 0;  // begins with a call
    StateId to = 0;            // and goes on here
  };
  struct Followed {
    std::vector<StateId> by;  // states to go on at when the member has ended
    std::vector<bool> ended;  // [member]: what may have ended with it
  };

  void find_what_follows(std::uint32_t member) {
    Followed& followed = followed_.emplace_back();
    followed.ended.resize(members_.size());
    followed.ended[member] = true;
    std::vector<std::uint32_t> open{member};
    while (!open.empty()) {
      const std::uint32_t ended = open.back();
      open.pop_back();
      for (const auto& [beginner, to] : begun_by_[ended]) {
        followed.by.push_back(to);
        if (!draft_.states[to].is_final || followed.ended[beginner]) continue;
        followed.ended[beginner] = true;
        open.push_back(beginner);
      }
    }
    std::ranges::sort(followed.by);
    followed.by.erase(std::unique(followed.by.begin(), followed.by.end()), followed.by.end());
  }

  // Every state of every member once more, for the rule `target`. Its start.
  Result<StateId> copy_for(std::uint32_t target) {
    const RuleId rule = members_[target];
    copies_.resize(draft_.states.size(), kNone);
    auto next = static_cast<StateId>(draft_.states.size());
    const StateId start = next++;
    for (const RuleId member : members_)
      for (const StateId state : states_[member]) copies_[state] = next++;
    draft_.states.resize(next);
    for (const RuleId member : members_) {
      append(draft_.rules[member].start, start);
      for (const StateId state : states_[member]) {
        if (state == draft_.rules[member].start) continue;
        append(state, copies_[state]);
        draft_.states[copies_[state]].rule = rule;
        if (!draft_.states[state].is_final) continue;
        const Followed& followed = followed_[places_[member]];
        for (const StateId by : followed.by) append(by, copies_[state]);
        draft_.states[copies_[state]].is_final = followed.ended[target];
        if (draft_.n_arcs > kMostArcs) return too_large();
      }
    }
    draft_.states[start].rule = rule;
    return start;
  }

  // What `from` does, `to` does too; only a start calls members before anything is read, and that falls away.
  void append(StateId from, StateId to) {
    const Draft::State& source = draft_.states[from];
    const bool is_start = draft_.rules[source.rule].start == from;
    Draft::State& target = draft_.states[to];
    for (const Automaton::Edge& edge : source.edges) target.edges.push_back({edge.first, edge.last, copies_[edge.to]});
    for (const Automaton::Call& call : source.calls)
      if (!is_start || places_[call.rule] == kNone) target.calls.push_back({call.rule, copies_[call.to]});
    draft_.n_arcs += source.edges.size() + source.calls.size() + 1;
  }

  Draft& draft_;
  const std::vector<RuleId>& members_;
  const std::vector<std::vector<StateId>>& states_;  // by rule
  std::vector<std::uint32_t> places_;                // [rule]: in members_, or kNone
  std::vector<std::vector<Begun>> begun_by_;         // [member]: who begins with it
  std::vector<Followed> followed_;                   // [member]
  std::vector<StateId> copies_;                      // [state], of the target at work
};

}  // namespace

Result<void> remove_left_recursion(Draft& draft) {
  const std::vector<std::vector<RuleId>> called = first_calls(draft);
  const std::vector<std::uint32_t> component = components(called);
  std::vector<std::vector<RuleId>> members(draft.rules.size());
  for (RuleId rule = 0; rule < draft.rules.size(); ++rule) members[component[rule]].push_back(rule);
  std::vector<std::vector<StateId>> states(draft.rules.size());
  for (StateId state = 0; state < draft.states.size(); ++state) states[draft.states[state].rule].push_back(state);
  for (const std::vector<RuleId>& circle : members) {
    if (circle.empty()) continue;
    const RuleId first = circle.front();
    if (circle.size() == 1 && !std::ranges::binary_search(called[first], first)) continue;
    PUNA_TRY(Circle(draft, circle, states).open());
  }
  return {};
}

}  // namespace puna::text::grammar
