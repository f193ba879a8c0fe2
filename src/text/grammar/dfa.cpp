#include "text/grammar/dfa.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "text/grammar/nfa.h"

namespace puna::text::grammar {

Result<void> Budget::spend(std::size_t steps, std::string_view what) {
  if (steps > left_) {
    left_ = 0;
    return std::unexpected(error(ErrorKind::unsupported, "{} would grow too large", what)
                               .with_hint("Shorter repeats such as {1,50} and smaller lengths make smaller automata."));
  }
  left_ -= steps;
  return {};
}

bool Dfa::matches(std::string_view word) const {
  State state = start();
  for (char c : word) {
    if (state == kDead) return false;
    state = next(state, static_cast<unsigned char>(c));
  }
  return state != kDead && accepting(state);
}

std::optional<std::string> Dfa::shortest() const {
  if (empty()) return std::nullopt;
  struct Step {
    State before = kDead;
    char byte = 0;
  };
  std::vector<Step> steps(size());
  std::vector<State> queue{0};
  std::vector<std::uint8_t> seen(size());
  seen[0] = 1;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    State state = queue[at];
    if (accepting(state)) {
      std::string word;
      for (; state != 0; state = steps[state].before) word += steps[state].byte;
      return std::string(word.rbegin(), word.rend());
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      const State to = next(state, static_cast<unsigned char>(byte));
      if (to == kDead || seen[to]) continue;
      seen[to] = 1;
      steps[to] = {state, static_cast<char>(byte)};
      queue.push_back(to);
    }
  }
  PUNA_CHECK(false, "a Dfa whose states cannot finish");
}

std::optional<std::vector<std::string>> Dfa::words(std::size_t most) const {
  constexpr std::size_t kLongestWord = 256;
  std::vector<std::string> found;
  std::vector<std::pair<State, std::string>> layer, next_layer;
  if (!empty()) layer.emplace_back(0, "");
  // Every prefix leads to a word of its own or to one that it shares with longer prefixes, so a layer has at most `most`.
  for (std::size_t length = 0; !layer.empty(); ++length) {
    if (length > std::min(size(), kLongestWord)) return std::nullopt;
    next_layer.clear();
    for (auto& [state, word] : layer) {
      if (accepting(state)) found.push_back(word);
      if (found.size() > most) return std::nullopt;
      for (unsigned byte = 0; byte < 256; ++byte) {
        const State to = next(state, static_cast<unsigned char>(byte));
        if (to != kDead) next_layer.emplace_back(to, word + static_cast<char>(byte));
        if (next_layer.size() > most) return std::nullopt;
      }
    }
    std::swap(layer, next_layer);
  }
  return found;
}

namespace {

enum class Product { both, first_only, either };

// The automaton of pairs of states, as far as the start reaches.
Result<Dfa> product(const Dfa& a, const Dfa& b, Product kind, Budget& budget) {
  Dfa::Table table;
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> classes;
  std::vector<unsigned char> example;  // a byte of each class
  for (unsigned i = 0; i < 256; ++i) {
    const auto byte = static_cast<unsigned char>(i);
    const auto [place, fresh] =
        classes.try_emplace({a.class_of(byte), b.class_of(byte)}, static_cast<std::uint8_t>(example.size()));
    if (fresh) example.push_back(byte);
    table.class_of[i] = place->second;
  }
  table.n_classes = example.size();

  std::unordered_map<std::uint64_t, Dfa::State> numbers;
  std::vector<std::pair<Dfa::State, Dfa::State>> pairs;
  const auto live = [](Dfa::State state) { return state != Dfa::kDead; };
  const auto number = [&](Dfa::State x, Dfa::State y) -> Dfa::State {
    if (kind == Product::both ? !live(x) || !live(y) : kind == Product::first_only ? !live(x) : !live(x) && !live(y))
      return Dfa::kDead;
    const auto [place, fresh] = numbers.try_emplace(std::uint64_t{x} << 32 | y, static_cast<Dfa::State>(pairs.size()));
    if (fresh) {
      const bool in_a = live(x) && a.accepting(x), in_b = live(y) && b.accepting(y);
      table.accepting.push_back(kind == Product::both         ? in_a && in_b
                                : kind == Product::first_only ? in_a && !in_b
                                                              : in_a || in_b);
      pairs.emplace_back(x, y);
    }
    return place->second;
  };
  if (!live(number(a.start(), b.start()))) return Dfa();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [x, y] = pairs[i];
    PUNA_TRY(budget.spend(4 * example.size(), "the combination of two automata"));
    if ((i + 1) * example.size() > Dfa::kMaxCells) {
      return fail(ErrorKind::unsupported, "the combination of automata of {} and {} states has more than {} states", a.size(),
                  b.size(), i);
    }
    for (const auto byte : example) {
      const Dfa::State next_x = live(x) ? a.next(x, byte) : Dfa::kDead, next_y = live(y) ? b.next(y, byte) : Dfa::kDead;
      table.next.push_back(number(next_x, next_y));
    }
  }
  return Dfa::from(std::move(table), budget);
}

}  // namespace

Result<Dfa> intersect(const Dfa& a, const Dfa& b, Budget& budget) { return product(a, b, Product::both, budget); }
Result<Dfa> subtract(const Dfa& a, const Dfa& b, Budget& budget) { return product(a, b, Product::first_only, budget); }
Result<Dfa> unite(const Dfa& a, const Dfa& b, Budget& budget) { return product(a, b, Product::either, budget); }

Result<Dfa> repeat(const Dfa& body, std::size_t min, std::optional<std::size_t> max, Budget& budget) {
  Nfa nfa;
  const auto begin = nfa.add(), end = nfa.add();
  auto at = begin;
  const std::size_t copies = max.value_or(min);
  for (std::size_t i = 0; i < copies; ++i) {
    if (i >= min) nfa.jump(at, end);
    const std::size_t before = nfa.n_edges();
    const auto part = nfa.embed(body);
    PUNA_TRY(budget.spend(Nfa::kCost * (nfa.n_edges() - before), "a repeated automaton"));
    nfa.jump(at, part.begin);
    at = part.end;
  }
  if (!max) {
    const auto part = nfa.embed(body);
    nfa.jump(at, part.begin);
    nfa.jump(part.end, at);
  }
  nfa.jump(at, end);
  return nfa.determine(begin, end, budget);
}

Result<Dfa> any_of(const std::vector<std::string>& words, Budget& budget) {
  Nfa nfa;
  const auto begin = nfa.add(), end = nfa.add();
  for (const auto& word : words) {
    PUNA_TRY(budget.spend(Nfa::kCost * (1 + word.size()), "a list of words"));
    nfa.word(begin, word, end);
  }
  return nfa.determine(begin, end, budget);
}

}  // namespace puna::text::grammar
