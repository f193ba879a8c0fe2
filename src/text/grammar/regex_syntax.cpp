#include "text/grammar/regex_syntax.h"

#include <algorithm>

#include "text/grammar/regex_escapes.h"
#include "text/utf8.h"

namespace puna::text::grammar {
namespace {

constexpr int kMaxDepth = 50;
constexpr std::uint32_t kMaxCount = 1'000'000;

class Parser {
 public:
  explicit Parser(std::string_view pattern) : in_(pattern) {}

  Result<RegexTree> run() {
    PUNA_TRY(in_.check_utf8());
    tree_.root = PUNA_TRY(choice(0));
    if (!in_.at_end()) return in_.wrong("a ')' that closes nothing");
    return std::move(tree_);
  }

 private:
  using Kind = RegexNode::Kind;
  using Id = std::uint32_t;

  Id add(RegexNode node) {
    tree_.nodes.push_back(std::move(node));
    return static_cast<Id>(tree_.nodes.size() - 1);
  }
  Id add_set(CharSet set) { return add({Kind::set, std::move(set), {}, 0, {}}); }

  Result<Id> choice(int depth) {
    if (depth > kMaxDepth) return in_.wrong("groups more than 50 deep");
    RegexNode node{Kind::choice, {}, {}, 0, {}};
    do node.parts.push_back(PUNA_TRY(sequence(depth)));
    while (in_.take('|'));
    return node.parts.size() == 1 ? node.parts[0] : add(std::move(node));
  }

  Result<Id> sequence(int depth) {
    RegexNode node{Kind::sequence, {}, {}, 0, {}};
    while (!in_.at_end() && in_.peek() != '|' && in_.peek() != ')') node.parts.push_back(PUNA_TRY(term(depth)));
    return node.parts.size() == 1 ? node.parts[0] : add(std::move(node));
  }

  Result<Id> term(int depth) {
    if (in_.take('^')) return anchor(Kind::at_start);
    if (in_.take('$')) return anchor(Kind::at_end);
    Id atom = PUNA_TRY(this->atom(depth));
    RegexNode node{Kind::repeat, {}, {atom}, 0, {}};
    if (!PUNA_TRY(quantifier(node))) return atom;
    in_.take('?');  // lazy: which match comes first is of no interest here
    RegexNode unused;
    if (PUNA_TRY(quantifier(unused))) return in_.wrong("a quantifier after a quantifier");
    return add(std::move(node));
  }

  Result<Id> anchor(Kind kind) {
    RegexNode unused;
    if (PUNA_TRY(quantifier(unused))) return in_.wrong("a quantifier after an anchor");
    return add({kind, {}, {}, 0, {}});
  }

  // Whether there is one. A brace that is not one stands for itself.
  Result<bool> quantifier(RegexNode& node) {
    if (in_.take('*')) return true;
    if (in_.take('+')) return node.min = 1, true;
    if (in_.take('?')) return node.max = 1, true;
    const auto before = in_.place();
    if (!in_.take('{')) return false;
    const auto min = in_.number(kMaxCount);
    std::optional<std::uint32_t> max = min;
    if (min && in_.take(',')) max = in_.number(kMaxCount);
    if (!min || !in_.take('}')) {
      in_.go_back(before);
      return false;
    }
    if (*min >= kMaxCount || (max && *max >= kMaxCount)) return in_.wrong("a repeat of a million or more");
    if (max && *max < *min) return in_.wrong("a repeat whose numbers are out of order");
    node.min = *min;
    node.max = max;
    return true;
  }

  Result<Id> atom(int depth) {
    if (in_.take('(')) return group(depth);
    if (in_.take('[')) return add_set(PUNA_TRY(bracket()));
    if (in_.take('.')) return add_set(line_ends().inverse());
    if (in_.take('\\')) {
      const auto escape = PUNA_TRY(read_escape(in_, false));
      return add_set(escape.set);
    }
    if (in_.peek() == '*' || in_.peek() == '+' || in_.peek() == '?') return in_.wrong("a quantifier with nothing to repeat");
    const char32_t code = in_.next();
    return add_set(CharSet::of(code, code));
  }

  Result<Id> group(int depth) {
    if (in_.take('?')) {
      if (in_.take(':')) {
        // a group that is not captured; here none is
      } else if (in_.take('P') ? in_.take('<') : in_.take('<')) {
        if (in_.peek() == '=' || in_.peek() == '!') return in_.wrong("look-behind, which no automaton can run");
        while (!in_.at_end() && in_.peek() != '>') in_.next();
        if (!in_.take('>')) return in_.wrong("a group's name without its '>'");
      } else if (in_.peek() == '=' || in_.peek() == '!') {
        return in_.wrong("look-ahead, which no automaton can run");
      } else {
        return in_.wrong("a kind of group that is not known here");
      }
    }
    const Id body = PUNA_TRY(choice(depth + 1));
    if (!in_.take(')')) return in_.wrong("a '(' without its ')'");
    return body;
  }

  Result<CharSet> bracket() {
    const bool inverted = in_.take('^');
    CharSet set;
    while (!in_.take(']')) {
      const auto low = PUNA_TRY(class_atom());
      set.add(low.set);
      const auto before = in_.place();
      if (!in_.take('-')) continue;
      if (in_.at_end() || in_.peek() == ']') {
        in_.go_back(before);  // a dash at the end stands for itself
        continue;
      }
      const auto high = PUNA_TRY(class_atom());
      if (low.is_class || high.is_class) {
        set.add('-', '-').add(high.set);
        continue;
      }
      if (low.code > high.code) return in_.wrong("a range whose ends are out of order");
      set.add(low.code, high.code);
    }
    return inverted ? set.inverse() : set;
  }

  Result<RegexEscape> class_atom() {
    if (in_.at_end()) return in_.wrong("a '[' without its ']'");
    if (in_.take('\\')) return read_escape(in_, true);
    const char32_t code = in_.next();
    return RegexEscape{CharSet::of(code, code), code, false};
  }

  RegexInput in_;
  RegexTree tree_;
};

}  // namespace

Result<RegexTree> parse_regex(std::string_view pattern) { return Parser(pattern).run(); }

}  // namespace puna::text::grammar
