#include "text/grammar/fragments.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "text/grammar/code_points.h"
#include "text/grammar/dfa.h"

namespace puna::text::grammar {
namespace {

// Repetitions whose copies have no more states than this are written out: their masks do not depend on a count then.
constexpr std::uint64_t kMostCopiedStates = 64;
// Rules up to this size that do not call themselves become part of their callers: no frame is pushed for a character. Those
// that loop, as strings do, are worth more alone: their masks serve every caller.
constexpr std::uint64_t kMostInlinedStates = 40, kMostInlinedLoop = 8;
constexpr std::size_t kMostInlinedDfa = 4;
constexpr std::uint64_t kHuge = std::numeric_limits<std::uint32_t>::max();

template <class Take>
void for_each_part(const Node& node, const Take& take) {
  if (const auto* sequence = std::get_if<Sequence>(&node))
    for (const NodeId part : sequence->parts) take(part);
  if (const auto* choice = std::get_if<Choice>(&node))
    for (const NodeId option : choice->options) take(option);
  if (const auto* repeat = std::get_if<Repeat>(&node)) take(repeat->body);
}

// How often a repetition that is written out has its body.
std::uint64_t n_copies(const Repeat& repeat) { return repeat.max ? *repeat.max : std::max(repeat.min, 1u); }

// How many states a node will take, rules that are called included where they are small enough to be copied.
class Sizes {
 public:
  explicit Sizes(const Grammar& grammar)
      : grammar_(grammar), sizes_(grammar.nodes.size(), 0), loops_(grammar.nodes.size()), inlined_(grammar.rules.size()) {
    std::vector<std::vector<std::uint32_t>> called(grammar.rules.size());
    std::vector<std::vector<NodeId>> nodes(grammar.rules.size());
    for (RuleId rule = 0; rule < grammar.rules.size(); ++rule) collect(rule, called[rule], nodes[rule]);
    const std::vector<std::uint32_t> component = components(called);
    std::vector<RuleId> order(grammar.rules.size());
    std::vector<std::uint32_t> n_members(grammar.rules.size());
    for (RuleId rule = 0; rule < order.size(); ++rule) order[rule] = rule, ++n_members[component[rule]];
    std::ranges::sort(order, {}, [&](RuleId rule) { return component[rule]; });
    for (const RuleId rule : order) {
      for (const NodeId node : nodes[rule]) {
        sizes_[node] = size_of(grammar.nodes[node]);
        loops_[node] = does_loop(grammar.nodes[node]);
      }
      const bool calls_itself = n_members[component[rule]] > 1 || std::ranges::find(called[rule], rule) != called[rule].end();
      const NodeId body = grammar.rules[rule].body;
      inlined_[rule] = !calls_itself && of(body) <= (loops_[body] ? kMostInlinedLoop : kMostInlinedStates);
    }
  }

  std::uint64_t of(NodeId node) const { return sizes_[node]; }
  bool is_inlined(RuleId rule) const { return inlined_[rule]; }

 private:
  // What the rule calls, and its nodes, parts before wholes.
  void collect(RuleId rule, std::vector<std::uint32_t>& called, std::vector<NodeId>& nodes) {
    std::vector<NodeId> open{grammar_.rules[rule].body};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      PUNA_CHECK(node < grammar_.nodes.size());
      if (sizes_[node] != 0) continue;  // another rule has it too
      sizes_[node] = 1;
      nodes.push_back(node);
      if (const auto* call = std::get_if<Call>(&grammar_.nodes[node])) called.push_back(call->rule);
      for_each_part(grammar_.nodes[node], [&](NodeId part) {
        PUNA_CHECK(part < node, "a node's parts come before it");
        open.push_back(part);
      });
    }
    std::ranges::sort(nodes);
  }

  std::uint64_t size_of(const Node& node) const {
    if (const auto* points = std::get_if<CodePoints>(&node))
      return points->ranges.empty() || points->ranges.back().last < 0x80 ? 1 : 8;
    if (const auto* literal = std::get_if<Literal>(&node)) return literal->bytes.size();
    if (const auto* regular = std::get_if<Regular>(&node))
      return regular->dfa->size() <= kMostInlinedDfa ? regular->dfa->size() : 1;
    if (const auto* call = std::get_if<Call>(&node)) return inlined_[call->rule] ? of(grammar_.rules[call->rule].body) : 1;
    if (const auto* repeat = std::get_if<Repeat>(&node)) {
      const std::uint64_t times = n_copies(*repeat), copies = of(repeat->body) * times;
      return times <= 1 || copies <= kMostCopiedStates ? std::min(kHuge, copies + 1) : 3;
    }
    std::uint64_t sum = 1;
    for_each_part(node, [&](NodeId part) { sum = std::min(kHuge, sum + of(part)); });
    return sum;
  }

  bool does_loop(const Node& node) const {
    if (const auto* repeat = std::get_if<Repeat>(&node); repeat && !repeat->max) return true;
    if (const auto* call = std::get_if<Call>(&node)) return inlined_[call->rule] && loops_[grammar_.rules[call->rule].body];
    bool loops = false;
    for_each_part(node, [&](NodeId part) { loops = loops || loops_[part]; });
    return loops;
  }

  const Grammar& grammar_;
  std::vector<std::uint64_t> sizes_;  // by NodeId
  std::vector<bool> loops_;           // by NodeId
  std::vector<bool> inlined_;         // by RuleId
};

class Builder {
 public:
  explicit Builder(const Grammar& grammar) : grammar_(grammar), sizes_(grammar) {}

  Result<Fragments> build() {
    PUNA_TRY(number_tokens());
    for (const Rule& rule : grammar_.rules) add_rule(rule.body);
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      add(task);
      if (result_.arcs.size() + tasks_.size() > kMostArcs)
        return std::unexpected(error(ErrorKind::unsupported, "the grammar is too large: more than {} transitions", kMostArcs)
                                   .with_hint("repeat a rule by name rather than its text"));
    }
    return std::move(result_);
  }

 private:
  // A node still to be put between two states.
  struct Task {
    NodeId node = 0;
    StateId from = 0, to = 0;
  };

  StateId new_state() { return result_.n_states++; }
  void symbols(StateId from, Symbol first, Symbol last, StateId to) {
    result_.arcs.push_back({.kind = Fragments::Arc::Kind::symbols, .first = first, .last = last, .from = from, .to = to});
  }
  void empty(StateId from, StateId to) { result_.arcs.push_back({.from = from, .to = to}); }
  void bypass(StateId from, RuleId rule, StateId to) {
    result_.arcs.push_back({.kind = Fragments::Arc::Kind::bypass, .rule = rule, .from = from, .to = to});
  }
  void call(StateId from, RuleId rule, StateId to) {
    result_.arcs.push_back({.kind = Fragments::Arc::Kind::call, .rule = rule, .from = from, .to = to});
  }

  RuleId add_rule(NodeId body) {
    const StateId start = new_state(), end = new_state();
    result_.rules.push_back({.start = start, .end = end});
    tasks_.push_back({body, start, end});
    return static_cast<RuleId>(result_.rules.size() - 1);
  }

  Result<void> number_tokens() {
    for (const Node& node : grammar_.nodes) {
      const auto* token = std::get_if<Token>(&node);
      if (!token) continue;
      if (token->id == kNoToken)
        return fail(ErrorKind::unsupported, "the token {} means nothing without a model's vocabulary", token->text);
      const auto next = static_cast<Symbol>(kFirstToken + result_.tokens.size());
      if (token_symbols_.try_emplace(token->id, next).second) result_.tokens.push_back(token->id);
      if (result_.tokens.size() > kMostTokens) return fail("the grammar names more than {} tokens", kMostTokens);
    }
    return {};
  }

  void add(const Task& task) {
    std::visit([&](const auto& node) { add(node, task); }, grammar_.nodes[task.node]);
  }

  void add(const Literal& literal, const Task& task) {
    StateId from = task.from;
    for (std::size_t i = 0; i < literal.bytes.size(); ++i) {
      const StateId to = i + 1 == literal.bytes.size() ? task.to : new_state();
      const auto byte = static_cast<unsigned char>(literal.bytes[i]);
      symbols(from, byte, byte, to);
      from = to;
    }
    if (literal.bytes.empty()) empty(task.from, task.to);
  }

  // Sequences of bytes that end alike share their ends.
  void add(const CodePoints& points, const Task& task) {
    std::map<std::vector<std::uint8_t>, StateId> tails;
    for (const CodePoints::Range range : points.ranges)
      for (const ByteRanges& bytes : utf8_ranges(range)) {
        StateId to = task.to;
        std::vector<std::uint8_t> tail;
        for (std::size_t i = bytes.length - 1u; i > 0; --i) {
          tail.push_back(bytes.first[i]);
          tail.push_back(bytes.last[i]);
          const auto [entry, is_new] = tails.try_emplace(tail, 0);
          if (is_new) {
            entry->second = new_state();
            symbols(entry->second, bytes.first[i], bytes.last[i], to);
          }
          to = entry->second;
        }
        symbols(task.from, bytes.first[0], bytes.last[0], to);
      }
  }

  void add(const Token& token, const Task& task) {
    const Symbol symbol = token_symbols_.at(token.id);
    if (!token.is_negated) return symbols(task.from, symbol, symbol, task.to);
    const auto last = static_cast<Symbol>(kFirstToken + result_.tokens.size());
    if (symbol > kFirstToken) symbols(task.from, kFirstToken, static_cast<Symbol>(symbol - 1), task.to);
    symbols(task.from, static_cast<Symbol>(symbol + 1), last, task.to);
  }

  void add(const Regular& regular, const Task& task) {
    const Dfa& dfa = *regular.dfa;
    if (dfa.empty()) return;
    if (dfa.size() <= kMostInlinedDfa) return add_dfa(dfa, task.from, task.to);
    const auto [entry, is_new] = dfas_.try_emplace(regular.dfa.get(), static_cast<RuleId>(result_.rules.size()));
    if (is_new) {
      const StateId start = new_state(), end = new_state();
      result_.rules.push_back({.start = start, .end = end});
      add_dfa(dfa, start, end);
    }
    call(task.from, entry->second, task.to);
    bypass(task.from, entry->second, task.to);
  }

  void add_dfa(const Dfa& dfa, StateId from, StateId to) {
    const StateId first = result_.n_states;
    result_.n_states += static_cast<std::uint32_t>(dfa.size());
    empty(from, first + dfa.start());
    for (Dfa::State state = 0; state < dfa.size(); ++state) {
      if (dfa.accepting(state)) empty(first + state, to);
      for (unsigned byte = 0; byte < 256;) {
        const Dfa::State next = dfa.next(state, static_cast<unsigned char>(byte));
        const unsigned begin = byte;
        while (byte < 256 && dfa.next(state, static_cast<unsigned char>(byte)) == next) ++byte;
        if (next != Dfa::kDead) symbols(first + state, static_cast<Symbol>(begin), static_cast<Symbol>(byte - 1), first + next);
      }
    }
  }

  void add(const Sequence& sequence, const Task& task) {
    StateId from = task.from;
    for (std::size_t i = 0; i < sequence.parts.size(); ++i) {
      const StateId to = i + 1 == sequence.parts.size() ? task.to : new_state();
      tasks_.push_back({sequence.parts[i], from, to});
      from = to;
    }
    if (sequence.parts.empty()) empty(task.from, task.to);
  }

  void add(const Choice& choice, const Task& task) {
    for (const NodeId option : choice.options) tasks_.push_back({option, task.from, task.to});
  }

  void add(const Call& called, const Task& task) {
    if (sizes_.is_inlined(called.rule)) return tasks_.push_back({grammar_.rules[called.rule].body, task.from, task.to});
    call(task.from, called.rule, task.to);
    bypass(task.from, called.rule, task.to);
  }

  void add(const Repeat& repeat, const Task& task) {
    const std::uint64_t times = n_copies(repeat);
    if (times > 1 && times * sizes_.of(repeat.body) > kMostCopiedStates) return add_counted(repeat, task);
    StateId from = task.from;
    for (std::uint32_t i = 0; i < times; ++i) {
      if (i >= repeat.min) empty(from, task.to);
      const bool goes_on = !repeat.max && i + 1 == times;  // the last copy is repeated
      const StateId begin = goes_on ? new_state() : from, end = new_state();
      if (goes_on) {
        empty(from, begin);
        empty(end, begin);
      }
      tasks_.push_back({repeat.body, begin, end});
      from = end;
    }
    empty(from, task.to);
  }

  // The body once, then a rule that counts the others: so no rule that counts is ever called before something was read.
  void add_counted(const Repeat& repeat, const Task& task) {
    const RuleId body = repeated_rule(repeat.body);
    const RuleId others = static_cast<RuleId>(result_.rules.size());
    const StateId start = new_state(), end = new_state();
    result_.rules.push_back({.start = start,
                             .end = end,
                             .has_counter = true,
                             .body = body,
                             .min = std::max(repeat.min, 1u) - 1,
                             .max = repeat.max ? *repeat.max - 1 : kEndless});
    const StateId once = new_state();
    call(task.from, body, once);
    call(once, others, task.to);
    bypass(task.from, body, task.to);
    bypass(once, body, task.to);
    if (repeat.min == 0) empty(task.from, task.to);
    if (repeat.min <= 1) empty(once, task.to);
  }

  RuleId repeated_rule(NodeId body) {
    if (const auto* called = std::get_if<Call>(&grammar_.nodes[body])) return called->rule;
    const auto [entry, is_new] = bodies_.try_emplace(body, 0);
    if (is_new) entry->second = add_rule(body);
    return entry->second;
  }

  const Grammar& grammar_;
  Sizes sizes_;
  Fragments result_;
  std::vector<Task> tasks_;
  std::unordered_map<TokenId, Symbol> token_symbols_;
  std::unordered_map<const Dfa*, RuleId> dfas_;
  std::unordered_map<NodeId, RuleId> bodies_;
};

}  // namespace

Result<Fragments> make_fragments(const Grammar& grammar) { return Builder(grammar).build(); }

std::vector<std::uint32_t> components(const std::vector<std::vector<std::uint32_t>>& targets) {
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = targets.size();
  std::vector<std::uint32_t> component(n, kUnseen), order(n, kUnseen), lowest(n), stack;
  struct Visit {
    std::uint32_t thing = 0;
    std::size_t next = 0;
  };
  std::vector<Visit> visits;
  std::uint32_t n_seen = 0, n_components = 0;
  for (std::uint32_t first = 0; first < n; ++first) {
    if (order[first] != kUnseen) continue;
    visits.push_back({first});
    while (!visits.empty()) {
      auto& [thing, next] = visits.back();
      if (next == 0) {
        order[thing] = lowest[thing] = n_seen++;
        stack.push_back(thing);
      }
      if (next < targets[thing].size()) {
        const std::uint32_t target = targets[thing][next++];
        if (order[target] == kUnseen)
          visits.push_back({target});
        else if (component[target] == kUnseen)
          lowest[thing] = std::min(lowest[thing], order[target]);
        continue;
      }
      if (lowest[thing] == order[thing]) {
        std::uint32_t member = 0;
        do {
          member = stack.back();
          stack.pop_back();
          component[member] = n_components;
        } while (member != thing);
        ++n_components;
      }
      const std::uint32_t done = thing;
      visits.pop_back();
      if (!visits.empty()) lowest[visits.back().thing] = std::min(lowest[visits.back().thing], lowest[done]);
    }
  }
  return component;
}

}  // namespace puna::text::grammar
