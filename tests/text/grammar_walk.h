// Plain and slow: whether a text is a word of a grammar, by all its derivations side by side; and random words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "text/grammar/dfa.h"
#include "text/grammar/grammar.h"

namespace puna::text::grammar {

// For grammars without characters (CodePoints) whose rules do not call themselves before they read something.
class Recognizer {
 public:
  explicit Recognizer(const Grammar& grammar) : grammar_(grammar) { restart(); }

  void restart() {
    now_.clear();
    begin_step();
    enter(grammar_.rules[grammar_.root].body, kDone);
    now_ = std::move(next_);
    complete_ = next_complete_;
  }
  // False where no word begins so; nothing can follow then.
  bool accept(unsigned char byte) {
    begin_step();
    for (const auto& [node, place, then] : now_) {
      if (const auto* literal = std::get_if<Literal>(&grammar_.nodes[node])) {
        if (static_cast<unsigned char>(literal->bytes[place]) == byte) go_on(node, place + 1, then);
      } else if (const auto* regular = std::get_if<Regular>(&grammar_.nodes[node])) {
        const auto to = regular->dfa->next(place, byte);
        if (to != Dfa::kDead) go_on(node, to, then);
      }
    }
    now_ = std::move(next_);
    complete_ = next_complete_;
    return complete_ || !now_.empty();
  }
  bool is_complete() const { return complete_; }
  bool matches(std::string_view text) {
    restart();
    for (char c : text) {
      if (!accept(static_cast<unsigned char>(c))) return false;
    }
    return complete_;
  }

 private:
  // What follows: a sequence's parts from `place` on, or one more round of a repeat after `place` of them.
  struct Cell {
    NodeId node;
    std::uint32_t place;
    std::uint32_t then;
    auto operator<=>(const Cell&) const = default;
  };
  static constexpr std::uint32_t kDone = 0;

  void begin_step() {
    next_.clear();
    entered_.clear();
    resumed_.clear();
    next_complete_ = false;
  }
  std::uint32_t cell(NodeId node, std::uint32_t place, std::uint32_t then) {
    const auto [found, fresh] = ids_.try_emplace(Cell{node, place, then}, static_cast<std::uint32_t>(cells_.size()));
    if (fresh) cells_.push_back({node, place, then});
    return found->second;
  }
  // At a place inside of a leaf.
  void go_on(NodeId node, std::uint32_t place, std::uint32_t then) {
    if (const auto* literal = std::get_if<Literal>(&grammar_.nodes[node])) {
      if (place == literal->bytes.size()) return resume(then);
    } else if (std::get<Regular>(grammar_.nodes[node]).dfa->accepting(place)) {
      resume(then);
    }
    next_.insert({node, place, then});
  }
  void enter(NodeId node, std::uint32_t then) {
    if (!entered_.insert({node, then}).second) return;
    const Node& one = grammar_.nodes[node];
    if (std::holds_alternative<Sequence>(one)) resume(cell(node, 0, then));
    if (std::holds_alternative<Repeat>(one)) resume(cell(node, 0, then));
    if (const auto* choice = std::get_if<Choice>(&one)) {
      for (const NodeId option : choice->options) enter(option, then);
    }
    if (const auto* call = std::get_if<Call>(&one)) enter(grammar_.rules[call->rule].body, then);
    if (const auto* literal = std::get_if<Literal>(&one)) {
      if (literal->bytes.empty()) return resume(then);
      next_.insert({node, 0, then});
    }
    if (const auto* regular = std::get_if<Regular>(&one)) {
      if (regular->dfa->accepting(0)) resume(then);
      next_.insert({node, 0, then});
    }
  }
  void resume(std::uint32_t id) {
    if (!resumed_.insert(id).second) return;
    if (id == kDone) {
      next_complete_ = true;
      return;
    }
    const Cell here = cells_[id];
    if (const auto* sequence = std::get_if<Sequence>(&grammar_.nodes[here.node])) {
      if (here.place == sequence->parts.size()) return resume(here.then);
      const bool last = here.place + 1 == sequence->parts.size();
      enter(sequence->parts[here.place], last ? here.then : cell(here.node, here.place + 1, here.then));
    } else {
      const auto& repeat = std::get<Repeat>(grammar_.nodes[here.node]);
      if (here.place >= repeat.min) resume(here.then);
      if (repeat.max && here.place >= *repeat.max) return;
      const std::uint32_t next = repeat.max ? here.place + 1 : std::min(here.place + 1, repeat.min);
      enter(repeat.body, cell(here.node, next, here.then));
    }
  }

  const Grammar& grammar_;
  std::map<Cell, std::uint32_t> ids_;
  std::vector<Cell> cells_{{0, 0, 0}};
  using Leaf = std::tuple<NodeId, std::uint32_t, std::uint32_t>;
  std::set<Leaf> now_, next_;
  std::set<std::pair<NodeId, std::uint32_t>> entered_;
  std::set<std::uint32_t> resumed_;
  bool complete_ = false, next_complete_ = false;
};

// Random words. Once a word has `soft` bytes, every choice is the one that ends soonest.
class Sampler {
 public:
  explicit Sampler(const Grammar& grammar) : grammar_(grammar), least_(grammar.nodes.size(), kNever) {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId id = 0; id < grammar.nodes.size(); ++id) {
        const auto least = least_of(id);
        if (least < least_[id]) least_[id] = least, changed = true;
      }
    }
  }
  std::string word(std::mt19937& random, std::size_t soft) {
    std::string text;
    add(grammar_.rules[grammar_.root].body, random, soft, text, 0);
    return text;
  }

 private:
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 40;
  static constexpr int kDeep = 200;

  const std::vector<std::uint64_t>& ends_of(const Dfa& dfa) {
    auto& ends = ends_[&dfa];
    if (!ends.empty() || dfa.empty()) return ends;
    // The length of the shortest end from each state.
    ends.assign(dfa.size(), kNever);
    for (bool changed = true; changed;) {
      changed = false;
      for (Dfa::State s = 0; s < dfa.size(); ++s) {
        std::uint64_t best = dfa.accepting(s) ? 0 : kNever;
        for (unsigned byte = 0; byte < 256; ++byte) {
          const auto to = dfa.next(s, static_cast<unsigned char>(byte));
          if (to != Dfa::kDead) best = std::min(best, ends[to] + 1);
        }
        if (best < ends[s]) ends[s] = best, changed = true;
      }
    }
    return ends;
  }
  std::uint64_t least_of(NodeId id) {
    const Node& node = grammar_.nodes[id];
    std::uint64_t sum = 0;
    if (const auto* literal = std::get_if<Literal>(&node)) return literal->bytes.size();
    if (const auto* regular = std::get_if<Regular>(&node)) return regular->dfa->empty() ? kNever : ends_of(*regular->dfa)[0];
    if (const auto* call = std::get_if<Call>(&node)) return std::min(kNever, least_[grammar_.rules[call->rule].body] + 1);
    if (const auto* repeat = std::get_if<Repeat>(&node))
      return repeat->min == 0 ? 0 : std::min(kNever, repeat->min * least_[repeat->body]);
    if (const auto* choice = std::get_if<Choice>(&node)) {
      sum = kNever;
      for (const NodeId option : choice->options) sum = std::min(sum, least_[option]);
      return sum;
    }
    if (const auto* sequence = std::get_if<Sequence>(&node)) {
      for (const NodeId part : sequence->parts) sum = std::min(kNever, sum + least_[part]);
    }
    return sum;
  }
  void add_word(const Dfa& dfa, std::mt19937& random, std::size_t soft, std::string& text) {
    const auto& ends = ends_of(dfa);
    PUNA_CHECK(!dfa.empty(), "a word of an empty language");
    for (Dfa::State state = 0;;) {
      const bool hurry = text.size() >= soft || random() % 12 == 0;
      if (dfa.accepting(state) && (hurry || random() % 4 == 0)) return;
      std::vector<unsigned char> bytes;
      for (unsigned byte = 0; byte < 256; ++byte) {
        const auto to = dfa.next(state, static_cast<unsigned char>(byte));
        if (to != Dfa::kDead && (!hurry || ends[to] < ends[state])) bytes.push_back(static_cast<unsigned char>(byte));
      }
      if (bytes.empty()) return;
      const auto byte = bytes[random() % bytes.size()];
      text += static_cast<char>(byte);
      state = dfa.next(state, byte);
    }
  }
  void add(NodeId id, std::mt19937& random, std::size_t soft, std::string& text, int depth) {
    const bool hurry = text.size() >= soft || depth > kDeep;
    const Node& node = grammar_.nodes[id];
    if (const auto* literal = std::get_if<Literal>(&node)) text += literal->bytes;
    if (const auto* regular = std::get_if<Regular>(&node)) add_word(*regular->dfa, random, hurry ? 0 : soft, text);
    if (const auto* call = std::get_if<Call>(&node)) add(grammar_.rules[call->rule].body, random, soft, text, depth + 1);
    if (const auto* sequence = std::get_if<Sequence>(&node)) {
      for (const NodeId part : sequence->parts) add(part, random, soft, text, depth);
    }
    if (const auto* choice = std::get_if<Choice>(&node)) {
      auto best = choice->options[random() % choice->options.size()];
      for (const NodeId option : choice->options) {
        if ((hurry || least_[best] >= kNever) && least_[option] < least_[best]) best = option;
      }
      add(best, random, soft, text, depth);
    }
    if (const auto* repeat = std::get_if<Repeat>(&node)) {
      for (std::uint32_t i = 0; !repeat->max || i < *repeat->max; ++i) {
        if (i >= repeat->min && (text.size() >= soft || depth > kDeep || random() % 3 == 0)) break;
        add(repeat->body, random, soft, text, depth);
      }
    }
  }

  const Grammar& grammar_;
  std::vector<std::uint64_t> least_;
  std::map<const Dfa*, std::vector<std::uint64_t>> ends_;
};

}  // namespace puna::text::grammar
