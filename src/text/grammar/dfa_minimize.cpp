// Dfa::from: useless states go, equal states are merged, equal columns too.
#include <algorithm>
#include <map>

#include "base/check.h"
#include "text/grammar/dfa.h"

namespace puna::text::grammar {

// Hopcroft's refinement ("An n log n algorithm for minimizing states in a finite automaton", 1971) over the transitions
// between useful states alone: a missing transition needs no splitter of its own, since what has it is split from what
// lacks it by the block it leads to.
class Minimizer {
 public:
  Minimizer(Dfa::Table table, Budget& budget) : table_(std::move(table)), budget_(budget) {}

  Result<Dfa> run() {
    const std::size_t n = table_.accepting.size(), k = table_.n_classes;
    PUNA_CHECK(table_.next.size() == n * k, "a table with holes");
    PUNA_TRY(budget_.spend(n * k, "an automaton"));
    index_sources();
    find_useful();
    if (n == 0 || !useful_[0]) return Dfa();
    begin_partition();
    while (!waiting_.empty()) {
      const auto block = waiting_.back();
      waiting_.pop_back();
      blocks_[block].waiting = false;
      PUNA_TRY(split_by(block));
    }
    return quotient();
  }

 private:
  struct Source {
    Dfa::State from;
    std::uint8_t by;  // class
  };
  struct Block {
    std::uint32_t first = 0, end = 0;  // in elements_
    std::uint32_t marked = 0;          // so many at its beginning
    bool waiting = true;
  };

  // The transitions by target, as one array: those into `s` lie at [source_begin_[s], source_begin_[s + 1]).
  void index_sources() {
    const std::size_t n = table_.accepting.size(), k = table_.n_classes;
    source_begin_.assign(n + 1, 0);
    for (const auto to : table_.next) {
      if (to != Dfa::kDead) ++source_begin_[to + 1];
    }
    for (std::size_t s = 0; s < n; ++s) source_begin_[s + 1] += source_begin_[s];
    sources_.resize(source_begin_[n]);
    std::vector<std::uint32_t> at(source_begin_.begin(), source_begin_.end() - 1);
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t c = 0; c < k; ++c) {
        const auto to = table_.next[s * k + c];
        if (to != Dfa::kDead) sources_[at[to]++] = {static_cast<Dfa::State>(s), static_cast<std::uint8_t>(c)};
      }
    }
  }

  // Those that the start reaches and that reach acceptance.
  void find_useful() {
    const std::size_t n = table_.accepting.size(), k = table_.n_classes;
    std::vector<std::uint8_t> reached(n);
    std::vector<Dfa::State> queue;
    const auto reach = [&](Dfa::State s) {
      if (!reached[s]) reached[s] = 1, queue.push_back(s);
    };
    if (n > 0) reach(0);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (std::size_t c = 0; c < k; ++c) {
        const auto to = table_.next[queue[at] * k + c];
        if (to != Dfa::kDead) reach(to);
      }
    }
    useful_.assign(n, 0);
    queue.clear();
    const auto finish = [&](Dfa::State s) {
      if (reached[s] && !useful_[s]) useful_[s] = 1, queue.push_back(s);
    };
    for (std::size_t s = 0; s < n; ++s) {
      if (table_.accepting[s]) finish(static_cast<Dfa::State>(s));
    }
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (auto i = source_begin_[queue[at]]; i < source_begin_[queue[at] + 1]; ++i) finish(sources_[i].from);
    }
  }

  void begin_partition() {
    const std::size_t n = table_.accepting.size();
    place_.assign(n, 0);
    block_of_.assign(n, 0);
    by_class_.resize(table_.n_classes);
    for (const int accepting : {1, 0}) {
      const auto first = static_cast<std::uint32_t>(elements_.size());
      for (std::size_t s = 0; s < n; ++s) {
        if (!useful_[s] || (table_.accepting[s] != 0) != (accepting == 1)) continue;
        place_[s] = static_cast<std::uint32_t>(elements_.size());
        block_of_[s] = static_cast<std::uint32_t>(blocks_.size());
        elements_.push_back(static_cast<Dfa::State>(s));
      }
      if (first == elements_.size()) continue;
      waiting_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.push_back({first, static_cast<std::uint32_t>(elements_.size()), 0, true});
    }
  }

  Result<void> split_by(std::uint32_t splitter) {
    std::size_t steps = table_.n_classes;
    for (auto i = blocks_[splitter].first; i < blocks_[splitter].end; ++i) {
      const auto to = elements_[i];
      for (auto j = source_begin_[to]; j < source_begin_[to + 1]; ++j, ++steps) {
        if (useful_[sources_[j].from]) by_class_[sources_[j].by].push_back(sources_[j].from);
      }
    }
    PUNA_TRY(budget_.spend(2 * steps, "an automaton"));
    for (auto& froms : by_class_) {
      touched_.clear();
      for (const auto s : froms) mark(s);
      froms.clear();
      for (const auto block : touched_) split(block);
    }
    return {};
  }

  void mark(Dfa::State s) {
    Block& block = blocks_[block_of_[s]];
    const auto to = block.first + block.marked;
    if (place_[s] < to) return;  // already
    if (block.marked++ == 0) touched_.push_back(block_of_[s]);
    const auto other = elements_[to];
    std::swap(elements_[to], elements_[place_[s]]);
    place_[other] = place_[s];
    place_[s] = to;
  }

  // The marked states of a block and the others part; the smaller half becomes the new block.
  void split(std::uint32_t block) {
    Block& old = blocks_[block];
    const auto middle = old.first + old.marked;
    old.marked = 0;
    if (middle == old.end) return;
    Block fresh;
    if (middle - old.first <= old.end - middle) {
      fresh = {old.first, middle, 0, true};
      old.first = middle;
    } else {
      fresh = {middle, old.end, 0, true};
      old.end = middle;
    }
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    for (auto i = fresh.first; i < fresh.end; ++i) block_of_[elements_[i]] = number;
    blocks_.push_back(fresh);
    waiting_.push_back(number);
  }

  // Blocks become states, numbered as a walk from the start meets them, which makes equal languages equal tables.
  Dfa quotient() {
    const std::size_t k = table_.n_classes;
    std::vector<Dfa::State> number(blocks_.size(), Dfa::kDead), order;
    const auto number_of = [&](Dfa::State s) {
      auto& mine = number[block_of_[s]];
      if (mine == Dfa::kDead) mine = static_cast<Dfa::State>(order.size()), order.push_back(s);
      return mine;
    };
    number_of(0);
    std::vector<std::vector<Dfa::State>> columns(k);
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (unsigned byte = 0, done = 256; byte < 256; ++byte) {
        const unsigned c = table_.class_of[byte];
        if (c == done || columns[c].size() > at) continue;
        const auto to = table_.next[order[at] * k + c];
        columns[c].push_back(to == Dfa::kDead || !useful_[to] ? Dfa::kDead : number_of(to));
        done = c;
      }
    }
    Dfa dfa;
    std::map<std::vector<Dfa::State>, std::uint8_t> kinds;
    std::vector<const std::vector<Dfa::State>*> kept;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto [place, fresh] = kinds.try_emplace(columns[table_.class_of[byte]], static_cast<std::uint8_t>(kept.size()));
      if (fresh) kept.push_back(&place->first);
      dfa.class_of_[byte] = place->second;
    }
    dfa.n_classes_ = kept.size();
    for (std::size_t s = 0; s < order.size(); ++s) {
      for (const auto* column : kept) dfa.next_.push_back((*column)[s]);
      dfa.accepting_.push_back(table_.accepting[order[s]]);
    }
    return dfa;
  }

  Dfa::Table table_;
  Budget& budget_;
  std::vector<std::uint32_t> source_begin_;
  std::vector<Source> sources_;
  std::vector<std::uint8_t> useful_;
  std::vector<Dfa::State> elements_;     // the useful states, block by block
  std::vector<std::uint32_t> place_;     // of a state in elements_
  std::vector<std::uint32_t> block_of_;  // of a state
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> waiting_;  // blocks by which nothing was split since they changed
  std::vector<std::uint32_t> touched_;
  std::vector<std::vector<Dfa::State>> by_class_;
};

Result<Dfa> Dfa::from(Table table, Budget& budget) { return Minimizer(std::move(table), budget).run(); }

}  // namespace puna::text::grammar
