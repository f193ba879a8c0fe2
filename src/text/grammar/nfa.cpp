#include "text/grammar/nfa.h"

#include <algorithm>
#include <bitset>
#include <unordered_map>

namespace puna::text::grammar {

Nfa::State Nfa::add() {
  states_.emplace_back();
  return static_cast<State>(states_.size() - 1);
}

void Nfa::edge(State from, unsigned char first, unsigned char last, State to) {
  edges_.push_back({first, last, to, states_[from].edges});
  states_[from].edges = static_cast<std::uint32_t>(edges_.size() - 1);
}

void Nfa::jump(State from, State to, Where where) {
  jumps_.push_back({where, to, states_[from].jumps});
  states_[from].jumps = static_cast<std::uint32_t>(jumps_.size() - 1);
}

void Nfa::word(State from, std::string_view bytes, State to) {
  for (char c : bytes) {
    const State next = add();
    edge(from, static_cast<unsigned char>(c), static_cast<unsigned char>(c), next);
    from = next;
  }
  jump(from, to);
}

Nfa::Part Nfa::embed(const Dfa& dfa) {
  const Part part{add(), add()};
  if (dfa.empty()) return part;
  const State base = static_cast<State>(size());
  for (std::size_t i = 0; i < dfa.size(); ++i) add();
  jump(part.begin, base);
  for (Dfa::State state = 0; state < dfa.size(); ++state) {
    if (dfa.accepting(state)) jump(base + state, part.end);
    for (unsigned first = 0; first < 256;) {
      const Dfa::State to = dfa.next(state, static_cast<unsigned char>(first));
      unsigned last = first;
      while (last < 255 && dfa.next(state, static_cast<unsigned char>(last + 1)) == to) ++last;
      if (to != Dfa::kDead) edge(base + state, static_cast<unsigned char>(first), static_cast<unsigned char>(last), base + to);
      first = last + 1;
    }
  }
  return part;
}

// The construction by sets of states. A set is kept as those of its states that have edges, and whether it accepts.
class Determinizer {
 public:
  Determinizer(const Nfa& nfa, Nfa::State final, Budget& budget) : nfa_(nfa), final_(final), budget_(budget), seen_(nfa.size()) {}

  Result<Dfa> run(Nfa::State start) {
    find_classes();
    PUNA_TRY(set_of({start}, true));
    std::vector<std::vector<Nfa::State>> targets(table_.n_classes);
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if ((i + 1) * table_.n_classes > Dfa::kMaxCells) {
        return fail(ErrorKind::unsupported, "the automaton of the expression has more than {} states", i);
      }
      std::size_t steps = table_.n_classes;
      const Set& set = *sets_[i];
      for (std::size_t at = 0; at + 1 < set.size(); ++at) {
        for (auto e = nfa_.states_[set[at]].edges; e != Nfa::kNone; e = nfa_.edges_[e].next) {
          const auto& edge = nfa_.edges_[e];
          for (unsigned c = table_.class_of[edge.first]; c <= table_.class_of[edge.last]; ++c, ++steps)
            targets[c].push_back(edge.to);
        }
      }
      PUNA_TRY(budget_.spend(steps, "the automaton of the expression"));
      for (std::size_t c = 0; c < table_.n_classes; ++c) {
        table_.next.push_back(targets[c].empty() ? Dfa::kDead : PUNA_TRY(set_of(targets[c], false)));
        targets[c].clear();
      }
    }
    return Dfa::from(std::move(table_), budget_);
  }

 private:
  using Set = std::vector<Nfa::State>;
  struct Hash {
    std::size_t operator()(const Set& set) const {
      std::uint64_t hash = set.size();
      for (const auto state : set) hash = (hash ^ state) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
      return hash;
    }
  };

  void find_classes() {
    std::bitset<257> begins;
    for (const auto& edge : nfa_.edges_) begins.set(edge.first), begins.set(edge.last + 1u);
    unsigned now = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (byte > 0 && begins[byte]) ++now;
      table_.class_of[byte] = static_cast<std::uint8_t>(now);
    }
    table_.n_classes = now + 1;
  }

  // What can be reached from `states` by jumps. The word begins here where `at_start`; where it ended here, jumps bound to
  // the end would count too, so they decide about acceptance alone.
  Result<Dfa::State> set_of(const Set& states, bool at_start) {
    ++round_;
    Set reached, ends;
    bool accepts = false;
    const auto visit = [&](Nfa::State state) {
      if (seen_[state] != round_) seen_[state] = round_, reached.push_back(state);
    };
    for (const auto state : states) visit(state);
    std::size_t steps = 1;
    const auto follow = [&](std::size_t from, bool at_end) {
      for (std::size_t at = from; at < reached.size(); ++at, ++steps) {
        if (reached[at] == final_) accepts = true;
        for (auto j = nfa_.states_[reached[at]].jumps; j != Nfa::kNone; j = nfa_.jumps_[j].next, ++steps) {
          const auto& jump = nfa_.jumps_[j];
          if (jump.where == Nfa::Where::at_start && !at_start) continue;
          if (jump.where == Nfa::Where::at_end && !at_end) {
            ends.push_back(jump.to);
            continue;
          }
          visit(jump.to);
        }
      }
    };
    follow(0, false);
    Set key;
    for (const auto state : reached) {
      if (nfa_.states_[state].edges != Nfa::kNone) key.push_back(state);
    }
    if (!accepts && !ends.empty()) {
      const std::size_t before = reached.size();
      for (const auto state : Set(ends)) visit(state);
      follow(before, true);
    }
    PUNA_TRY(budget_.spend(steps + 4 * key.size(), "the automaton of the expression"));
    std::sort(key.begin(), key.end());
    key.push_back(accepts ? 1 : 0);
    const auto [place, fresh] = numbers_.try_emplace(std::move(key), static_cast<Dfa::State>(sets_.size()));
    if (fresh) {
      sets_.push_back(&place->first);
      table_.accepting.push_back(accepts);
    }
    return place->second;
  }

  const Nfa& nfa_;
  const Nfa::State final_;
  Budget& budget_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
  std::unordered_map<Set, Dfa::State, Hash> numbers_;
  std::vector<const Set*> sets_;  // in the map, whose nodes stay where they are
  Dfa::Table table_;
};

Result<Dfa> Nfa::determine(State start, State final, Budget& budget) const {
  return Determinizer(*this, final, budget).run(start);
}

}  // namespace puna::text::grammar
