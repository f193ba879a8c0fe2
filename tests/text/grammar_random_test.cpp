// Random grammars, with all that makes grammars hard (rules that may be empty, that call themselves first or last, that never
// end, counts, ambiguity), against a recogniser that knows nothing but what the notation means.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "text/grammar/matcher.h"

namespace puna::text::grammar {
namespace {

// Which parts [from, to) of a text a node or a rule matches: the least answer that agrees with itself.
class Reference {
 public:
  Reference(const Grammar& grammar, const std::string& text) : grammar_(grammar), text_(text), n_(text.size() + 1) {
    rules_.assign(grammar.rules.size(), Spans(n_ * n_));
    for (bool changed = true; changed;) {
      changed = false;
      for (RuleId rule = 0; rule < grammar.rules.size(); ++rule) {
        Spans spans = find(grammar.rules[rule].body);
        changed = changed || spans != rules_[rule];
        rules_[rule] = std::move(spans);
      }
    }
  }
  bool matches() const { return rules_[grammar_.root][n_ - 1]; }

 private:
  using Spans = std::vector<bool>;  // [from * n_ + to]

  Spans nothing() const {
    Spans spans(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i) spans[i * n_ + i] = true;
    return spans;
  }
  Spans then(const Spans& a, const Spans& b) const {
    Spans result(n_ * n_);
    for (std::size_t from = 0; from < n_; ++from)
      for (std::size_t middle = from; middle < n_; ++middle)
        for (std::size_t to = middle; a[from * n_ + middle] && to < n_; ++to)
          if (b[middle * n_ + to]) result[from * n_ + to] = true;
    return result;
  }
  Spans either(Spans a, const Spans& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
    return a;
  }

  Spans find(NodeId id) {
    const Node& node = grammar_.nodes[id];
    if (const auto* literal = std::get_if<Literal>(&node)) {
      Spans spans(n_ * n_);
      for (std::size_t i = 0; i + literal->bytes.size() < n_; ++i)
        if (text_.substr(i, literal->bytes.size()) == literal->bytes) spans[i * n_ + i + literal->bytes.size()] = true;
      return spans;
    }
    if (const auto* points = std::get_if<CodePoints>(&node)) {
      Spans spans(n_ * n_);
      for (std::size_t i = 0; i + 1 < n_; ++i)
        for (const auto [first, last] : points->ranges)
          if (static_cast<char32_t>(text_[i]) >= first && static_cast<char32_t>(text_[i]) <= last) spans[i * n_ + i + 1] = true;
      return spans;
    }
    if (const auto* call = std::get_if<Call>(&node)) return rules_[call->rule];
    if (const auto* sequence = std::get_if<Sequence>(&node)) {
      Spans spans = nothing();
      for (const NodeId part : sequence->parts) spans = then(spans, find(part));
      return spans;
    }
    if (const auto* choice = std::get_if<Choice>(&node)) {
      Spans spans(n_ * n_);
      for (const NodeId option : choice->options) spans = either(std::move(spans), find(option));
      return spans;
    }
    const Repeat& repeat = std::get<Repeat>(node);
    const Spans body = find(repeat.body);
    Spans power = nothing(), result(n_ * n_);
    // Beyond the least count, as many more as the text has bytes say all.
    const std::size_t most = std::min<std::size_t>(repeat.max.value_or(0xFFFFFFFF), repeat.min + n_);
    for (std::size_t i = 0; i <= most; ++i) {
      if (i >= repeat.min) result = either(std::move(result), power);
      power = then(power, body);
    }
    return result;
  }

  const Grammar& grammar_;
  const std::string& text_;
  std::size_t n_;
  std::vector<Spans> rules_;
};

class RandomGrammar {
 public:
  explicit RandomGrammar(unsigned seed) : random_(seed) {}

  Grammar make() {
    const std::uint32_t n_rules = 1 + random_() % 4;
    for (std::uint32_t rule = 0; rule < n_rules; ++rule) grammar_.add_rule("r" + std::to_string(rule), 0);
    for (std::uint32_t rule = 0; rule < n_rules; ++rule) {
      const NodeId body = node(n_rules, 3);
      grammar_.rules[rule].body = body;
    }
    return grammar_;
  }

 private:
  NodeId node(std::uint32_t n_rules, int depth) {
    const std::uint32_t kind = random_() % (depth > 0 ? 10 : 4);
    if (kind < 2) return grammar_.add(Literal{std::string(random_() % 3, random_() % 2 ? 'a' : 'b')});
    if (kind == 2) return grammar_.add(CodePoints{{{U'a', random_() % 2 ? U'a' : U'b'}}});
    if (kind == 3) return grammar_.add(Call{static_cast<RuleId>(random_() % n_rules)});
    if (kind == 9) {
      const NodeId body = node(n_rules, depth - 1);
      const std::uint32_t min = random_() % 4 == 0 ? 2 : random_() % 2, more = random_() % 4;
      // Counts too large to be written out need a rule that counts.
      const bool is_counted = random_() % 3 == 0;
      if (is_counted) return grammar_.add(Repeat{body, min, 100 + more});
      return grammar_.add(Repeat{body, min, more == 3 ? std::nullopt : std::optional(min + more)});
    }
    std::vector<NodeId> parts;
    for (std::uint32_t n = random_() % 3 + 1; n > 0; --n) parts.push_back(node(n_rules, depth - 1));
    if (kind < 7) return grammar_.add(Sequence{std::move(parts)});
    return grammar_.add(Choice{std::move(parts)});
  }

  std::mt19937 random_;
  Grammar grammar_;
};

std::string show(const Grammar& grammar, NodeId id) {
  const Node& node = grammar.nodes[id];
  if (const auto* literal = std::get_if<Literal>(&node)) return "\"" + literal->bytes + "\"";
  if (const auto* points = std::get_if<CodePoints>(&node)) return points->ranges[0].last == U'a' ? "[a]" : "[ab]";
  if (const auto* call = std::get_if<Call>(&node)) return grammar.rules[call->rule].name;
  std::string text;
  if (const auto* repeat = std::get_if<Repeat>(&node)) {
    text = "(" + show(grammar, repeat->body) + "){" + std::to_string(repeat->min) + ",";
    return text + (repeat->max ? std::to_string(*repeat->max) : "") + "}";
  }
  if (const auto* sequence = std::get_if<Sequence>(&node))
    for (const NodeId part : sequence->parts) text += (text.empty() ? "" : " ") + show(grammar, part);
  if (const auto* choice = std::get_if<Choice>(&node))
    for (std::size_t i = 0; i < choice->options.size(); ++i) text += (i ? " | " : "") + show(grammar, choice->options[i]);
  return "(" + text + ")";
}

std::string show(const Grammar& grammar) {
  std::string text;
  for (const Rule& rule : grammar.rules) text += rule.name + " ::= " + show(grammar, rule.body) + "\n";
  return text;
}

TEST(GrammarRandom, MatchesWhatTheNotationMeans) {
  int n_matched = 0, n_endless = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Grammar grammar = RandomGrammar(seed).make();
    const auto automaton = compile(grammar);
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; texts[i].size() < 5; ++i)
      for (const char c : {'a', 'b'}) texts.push_back(texts[i] + c);
    bool is_endless = true;
    std::map<std::string, bool> is_beginning;
    for (const std::string& text : texts) {
      const bool expected = Reference(grammar, text).matches();
      if (expected) ++n_matched, is_endless = false;
      if (!automaton) {
        ASSERT_FALSE(expected) << seed << "\n" << show(grammar) << text << ": " << automaton.error().message;
        continue;
      }
      const auto found = matches(*automaton, text);
      ASSERT_TRUE(found) << seed << "\n" << show(grammar) << found.error().message;
      ASSERT_EQ(*found, expected) << seed << "\n" << show(grammar) << "'" << text << "'";
      for (std::size_t n = 0; expected && n <= text.size(); ++n) is_beginning[text.substr(0, n)] = true;
    }
    n_endless += is_endless;
    if (!automaton) continue;
    for (const auto& [beginning, _] : is_beginning) {
      Matcher matcher = *Matcher::make(*automaton);
      ASSERT_TRUE(*matcher.accept(beginning)) << seed << "\n" << show(grammar) << beginning;
    }
  }
  EXPECT_GT(n_matched, 5000);
  EXPECT_GT(n_endless, 100);
}

}  // namespace
}  // namespace puna::text::grammar
