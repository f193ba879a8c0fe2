#include "text/grammar/prune.h"

#include <algorithm>

#include "text/grammar/dfa.h"

namespace puna::text::grammar {
namespace {

const std::vector<NodeId>& parts_of(const Node& node, std::vector<NodeId>& room) {
  room.clear();
  if (const auto* sequence = std::get_if<Sequence>(&node)) return sequence->parts;
  if (const auto* choice = std::get_if<Choice>(&node)) return choice->options;
  if (const auto* repeat = std::get_if<Repeat>(&node)) room.push_back(repeat->body);
  return room;
}

class Pruner {
 public:
  explicit Pruner(const Grammar& grammar) : from_(grammar) {}

  Grammar run() {
    find_wordy();
    find_used();
    copy();
    return std::move(to_);
  }

 private:
  bool is_leaf(const Node& node) const {
    return !std::holds_alternative<Sequence>(node) && !std::holds_alternative<Choice>(node) &&
           !std::holds_alternative<Repeat>(node) && !std::holds_alternative<Call>(node);
  }

  // Nodes that have a word, from the leaves up, each once all the parts that it needs have one.
  void find_wordy() {
    const std::size_t n = from_.nodes.size();
    std::vector<std::vector<NodeId>> users(n), callers(from_.rules.size()), bodies(n);
    std::vector<std::uint32_t> missing(n);
    wordy_.assign(n, 0);
    std::vector<NodeId> queue, room;
    const auto add = [&](NodeId id) {
      if (!wordy_[id]) wordy_[id] = 1, queue.push_back(id);
    };
    for (NodeId id = 0; id < n; ++id) {
      const Node& node = from_.nodes[id];
      const auto& parts = parts_of(node, room);
      for (const NodeId part : parts) users[part].push_back(id);
      missing[id] = std::holds_alternative<Sequence>(node) ? static_cast<std::uint32_t>(parts.size()) : 1;
      if (const auto* call = std::get_if<Call>(&node)) callers[call->rule].push_back(id);
      const auto* regular = std::get_if<Regular>(&node);
      const auto* points = std::get_if<CodePoints>(&node);
      const auto* repeat = std::get_if<Repeat>(&node);
      const bool leaf = is_leaf(node) && !(regular && regular->dfa->empty()) && !(points && points->ranges.empty());
      if (leaf || missing[id] == 0 || (repeat && repeat->min == 0)) add(id);
    }
    for (RuleId rule = 0; rule < from_.rules.size(); ++rule) bodies[from_.rules[rule].body].push_back(rule);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const NodeId user : users[queue[at]]) {
        if (missing[user] > 0 && --missing[user] == 0) add(user);
      }
      for (const RuleId rule : bodies[queue[at]]) {
        for (const NodeId caller : callers[rule]) add(caller);
      }
    }
  }

  void find_used() {
    used_.assign(from_.nodes.size(), 0);
    rule_used_.assign(from_.rules.size(), 0);
    std::vector<NodeId> stack, room;
    const auto use = [&](NodeId id) {
      if (wordy_[id] && !used_[id]) used_[id] = 1, stack.push_back(id);
    };
    const auto use_rule = [&](RuleId rule) {
      if (!rule_used_[rule]) rule_used_[rule] = 1, use(from_.rules[rule].body);
    };
    use_rule(from_.root);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (const auto* call = std::get_if<Call>(&from_.nodes[id])) use_rule(call->rule);
      for (const NodeId part : parts_of(from_.nodes[id], room)) use(part);
    }
  }

  void copy() {
    std::vector<RuleId> rule_at(from_.rules.size());
    for (RuleId rule = 0; rule < from_.rules.size(); ++rule) {
      if (rule_used_[rule]) rule_at[rule] = to_.add_rule(from_.rules[rule].name, 0);
    }
    std::vector<NodeId> at(from_.nodes.size());
    const auto move_all = [&](const std::vector<NodeId>& ids) {
      std::vector<NodeId> kept;
      for (const NodeId id : ids) {
        if (wordy_[id]) kept.push_back(at[id]);
      }
      return kept;
    };
    for (NodeId id = 0; id < from_.nodes.size(); ++id) {
      if (!used_[id]) continue;
      Node node = from_.nodes[id];
      if (auto* sequence = std::get_if<Sequence>(&node)) sequence->parts = move_all(sequence->parts);
      if (auto* choice = std::get_if<Choice>(&node)) choice->options = move_all(choice->options);
      if (auto* call = std::get_if<Call>(&node)) call->rule = rule_at[call->rule];
      if (auto* repeat = std::get_if<Repeat>(&node)) {
        if (wordy_[repeat->body])
          repeat->body = at[repeat->body];
        else
          node = Sequence{};  // none of them
      }
      at[id] = to_.add(std::move(node));
    }
    for (RuleId rule = 0; rule < from_.rules.size(); ++rule) {
      if (!rule_used_[rule]) continue;
      const NodeId body = from_.rules[rule].body;
      to_.rules[rule_at[rule]].body = wordy_[body] ? at[body] : to_.add(Choice{});
    }
    to_.root = rule_at[from_.root];
  }

  const Grammar& from_;
  Grammar to_;
  std::vector<std::uint8_t> wordy_, used_, rule_used_;
};

}  // namespace

Grammar pruned(const Grammar& grammar) { return Pruner(grammar).run(); }

bool has_word(const Grammar& pruned) {
  const auto* choice = std::get_if<Choice>(&pruned.nodes[pruned.rules[pruned.root].body]);
  return !choice || !choice->options.empty();
}

}  // namespace puna::text::grammar
