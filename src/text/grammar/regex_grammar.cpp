#include "text/grammar/regex_grammar.h"

#include <map>

#include "text/grammar/nfa.h"
#include "text/grammar/regex_syntax.h"

namespace puna::text::grammar {
namespace {

class RegexBuilder {
 public:
  RegexBuilder(const RegexTree& tree, RegexOptions options, Budget& budget) : tree_(tree), options_(options), budget_(budget) {}

  Result<Dfa> run() {
    const auto begin = nfa_.add(), end = nfa_.add();
    if (options_.reach == Reach::anywhere) {
      PUNA_TRY(add_set(CharSet::all(), begin, begin));
      PUNA_TRY(add_set(CharSet::all(), end, end));
    }
    // ^ holds at the start of the text, not in the loop that skips its beginning: the states keep them apart.
    PUNA_TRY(add(tree_.root, begin, end));
    return nfa_.determine(begin, end, budget_);
  }

 private:
  using Kind = RegexNode::Kind;
  using State = Nfa::State;
  static constexpr std::size_t kFewRanges = 4;

  // Recursion as deep as the tree, whose depth its parser bounds.
  Result<void> add(std::uint32_t id, State from, State to) {
    const RegexNode& node = tree_.nodes[id];
    switch (node.kind) {
      case Kind::set:
        return add_set(node.set, from, to);
      case Kind::at_start:
        return nfa_.jump(from, to, Nfa::Where::at_start), Result<void>();
      case Kind::at_end:
        return nfa_.jump(from, to, Nfa::Where::at_end), Result<void>();
      case Kind::repeat:
        return add_repeat(node, from, to);
      case Kind::choice:
        for (const auto part : node.parts) {
          PUNA_TRY(add_apart(part, from, to));
        }
        return {};
      case Kind::sequence:
        for (const auto part : node.parts) {
          const auto next = nfa_.add();
          PUNA_TRY(add(part, from, next));
          from = next;
        }
        nfa_.jump(from, to);
        return {};
    }
    return {};
  }

  // With states of its own at both ends, which loops inside of it may use.
  Result<void> add_apart(std::uint32_t id, State from, State to) {
    const auto begin = nfa_.add(), end = nfa_.add();
    nfa_.jump(from, begin);
    nfa_.jump(end, to);
    return add(id, begin, end);
  }

  Result<void> add_repeat(const RegexNode& node, State from, State to) {
    const std::uint32_t copies = node.max.value_or(node.min);
    for (std::uint32_t i = 0; i < copies; ++i) {
      if (i >= node.min) nfa_.jump(from, to);
      const auto next = nfa_.add();
      PUNA_TRY(budget_.spend(4 * Nfa::kCost, "a repeat in a regular expression"));
      PUNA_TRY(add_apart(node.parts[0], from, next));
      from = next;
    }
    if (!node.max) {
      const auto loop = nfa_.add();
      nfa_.jump(from, loop);
      PUNA_TRY(add_apart(node.parts[0], loop, loop));
      from = loop;
    }
    nfa_.jump(from, to);
    return {};
  }

  Result<void> add_set(const CharSet& set, State from, State to) {
    if (set.ranges().size() <= kFewRanges && (set.ranges().empty() || set.ranges().back().last < 0x80)) {
      PUNA_TRY(budget_.spend(4 * Nfa::kCost, "a regular expression"));
      add_char(nfa_, set, options_.spelling, from, to);
      return {};
    }
    // The bytes of large sets have automata of their own, made once.
    auto place = sets_.find(set);
    if (place == sets_.end()) {
      Nfa one;
      const auto begin = one.add(), end = one.add();
      add_char(one, set, options_.spelling, begin, end);
      place = sets_.emplace(set, PUNA_TRY(one.determine(begin, end, budget_))).first;
    }
    const std::size_t before = nfa_.n_edges();
    const auto part = nfa_.embed(place->second);
    PUNA_TRY(budget_.spend(Nfa::kCost * (nfa_.n_edges() - before), "a regular expression"));
    nfa_.jump(from, part.begin);
    nfa_.jump(part.end, to);
    return {};
  }

  const RegexTree& tree_;
  const RegexOptions options_;
  Budget& budget_;
  Nfa nfa_;
  std::map<CharSet, Dfa> sets_;
};

}  // namespace

Result<Dfa> regex_dfa(std::string_view pattern, RegexOptions options, Budget& budget) {
  const auto tree = PUNA_TRY(parse_regex(pattern));
  auto dfa = RegexBuilder(tree, options, budget).run();
  if (!dfa && pattern.size() <= 200)
    return std::unexpected(std::move(dfa).error().within(fmt::format("regular expression {}", pattern)));
  return dfa;
}

Result<Grammar> regex_grammar(std::string_view pattern) {
  Budget budget;
  auto dfa = PUNA_TRY(regex_dfa(pattern, {}, budget));
  if (dfa.empty()) return fail("regular expression {}: no text matches it", pattern.substr(0, 200));
  Grammar grammar;
  const auto body = grammar.add(Regular{std::make_shared<const Dfa>(std::move(dfa))});
  grammar.root = grammar.add_rule("root", body);
  return grammar;
}

}  // namespace puna::text::grammar
