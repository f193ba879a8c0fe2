#include "text/grammar/automaton.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "text/grammar/draft.h"
#include "text/grammar/fragments.h"

namespace puna::text::grammar {
namespace {

// From a draft whose rules are what they will be: only what the root can come to.
class Finish {
 public:
  explicit Finish(const Draft& draft) : draft_(draft), rules_(draft.rules.size(), kNone), states_(draft.states.size(), kNone) {}

  std::shared_ptr<const Automaton> run(RuleId root, std::vector<TokenId> tokens, bool accepts_empty) {
    result_->accepts_empty = accepts_empty;
    result_->tokens = std::move(tokens);
    result_->root = number_rule(root);
    for (StateId next = 0; next < origins_.size(); ++next) add_state(origins_[next]);
    rank();
    find_classes();
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  StateId number_state(StateId state) {
    if (states_[state] == kNone) {
      states_[state] = static_cast<StateId>(origins_.size());
      origins_.push_back(state);
    }
    return states_[state];
  }

  RuleId number_rule(RuleId rule) {
    if (rules_[rule] == kNone) {
      rules_[rule] = static_cast<RuleId>(rule_origins_.size());
      rule_origins_.push_back(rule);
      result_->rules.push_back({.start = number_state(draft_.rules[rule].start)});
    }
    return rules_[rule];
  }

  void add_state(StateId origin) {
    const Draft::State& from = draft_.states[origin];
    const Draft::Rule& rule = draft_.rules[from.rule];
    Automaton::State state{.first_edge = static_cast<std::uint32_t>(result_->edges.size()),
                           .first_call = static_cast<std::uint32_t>(result_->calls.size()),
                           .is_final = from.is_final};
    for (const Automaton::Edge& edge : from.edges) add_edge({edge.first, edge.last, number_state(edge.to)}, state);
    for (const Automaton::Call& call : from.calls) {
      const StateId to = number_state(call.to);
      result_->calls.push_back({number_rule(call.rule), to});
    }
    if (rule.has_counter && rule.start == origin) {
      state.has_counter = result_->has_counters = true;
      state.min = std::max(rule.min, 1u);
      state.max = rule.max;
      result_->calls.push_back({number_rule(rule.body), states_[origin]});
    }
    state.n_edges = static_cast<std::uint32_t>(result_->edges.size()) - state.first_edge;
    state.n_calls = static_cast<std::uint32_t>(result_->calls.size()) - state.first_call;
    result_->states.push_back(state);
  }

  void add_edge(const Automaton::Edge& edge, const Automaton::State& state) {
    const bool has_last = result_->edges.size() > state.first_edge;
    if (has_last && result_->edges.back().to == edge.to && result_->edges.back().last + 1 == edge.first)
      result_->edges.back().last = edge.last;
    else
      result_->edges.push_back(edge);
  }

  void rank() {
    std::vector<std::vector<RuleId>> called(result_->rules.size());
    for (RuleId rule = 0; rule < called.size(); ++rule) {
      const Automaton::State& start = result_->states[result_->rules[rule].start];
      for (std::uint32_t i = 0; i < start.n_calls; ++i) called[rule].push_back(result_->calls[start.first_call + i].rule);
    }
    const std::vector<std::uint32_t> component = components(called);
    for (RuleId rule = 0; rule < called.size(); ++rule) {
      result_->rules[rule].rank = static_cast<std::uint32_t>(called.size()) - component[rule];
      for (const RuleId callee : called[rule]) PUNA_CHECK(component[callee] < component[rule], "left recursion is left");
    }
  }

  void find_classes() {
    const std::size_t n_symbols = kFirstToken + result_->tokens.size() + 1;
    std::vector<bool> begins(n_symbols + 1);
    begins[0] = begins[kFirstToken] = true;
    for (std::size_t symbol = kFirstToken; symbol < n_symbols; ++symbol) begins[symbol] = true;
    for (const Automaton::Edge& edge : result_->edges) begins[edge.first] = begins[edge.last + 1u] = true;
    for (std::size_t symbol = 0; symbol < n_symbols; ++symbol) {
      if (begins[symbol]) result_->representative.push_back(static_cast<Symbol>(symbol));
      result_->class_of.push_back(static_cast<std::uint16_t>(result_->representative.size() - 1));
    }
  }

  const Draft& draft_;
  std::shared_ptr<Automaton> result_ = std::make_shared<Automaton>();
  std::vector<RuleId> rules_, rule_origins_;
  std::vector<StateId> states_, origins_;
};

}  // namespace

Result<std::shared_ptr<const Automaton>> compile(const Grammar& grammar) {
  PUNA_CHECK(grammar.root < grammar.rules.size(), "a grammar without a root");
  Fragments fragments = PUNA_TRY(make_fragments(grammar));
  const std::vector<bool> nullable = find_nullable(fragments);
  Draft draft = PUNA_TRY(without_empty(fragments, nullable));
  prune(draft);
  if (!nullable[grammar.root] && !can_end(draft, grammar.root))
    return std::unexpected(error(ErrorKind::invalid,
                                 "the grammar matches no text at all: '{}' never ends, or no character is left for it",
                                 grammar.rules[grammar.root].name)
                               .with_hint("a rule that calls itself needs another way out"));
  PUNA_TRY(remove_left_recursion(draft));
  merge_equal_states(draft);
  return Finish(draft).run(grammar.root, std::move(fragments.tokens), nullable[grammar.root]);
}

}  // namespace puna::text::grammar
