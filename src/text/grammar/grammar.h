// A language over bytes as plain data: rules of nodes. GBNF, regular expressions and JSON Schema compile to it, and
// text/grammar/matcher runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/token.h"

namespace puna::text::grammar {

class Dfa;  // text/grammar/dfa.h: a deterministic automaton over bytes

using NodeId = std::uint32_t;  // index into Grammar::nodes
using RuleId = std::uint32_t;  // index into Grammar::rules

struct CodePoints {  // one character out of these, in UTF-8
  struct Range {
    char32_t first = 0;
    char32_t last = 0;  // inclusive
  };
  std::vector<Range> ranges;  // ascending, disjoint, without surrogates
};
struct Literal {
  std::string bytes;
};
struct Regular {  // one word of a regular language
  std::shared_ptr<const Dfa> dfa;
};
struct Sequence {
  std::vector<NodeId> parts;
};
struct Choice {
  std::vector<NodeId> options;
};
struct Repeat {
  NodeId body = 0;
  std::uint32_t min = 0;
  std::optional<std::uint32_t> max;  // none: any number
};
struct Call {
  RuleId rule = 0;
};
struct Token {       // one whole token, whatever it stands for in a text; or any but this one
  std::string text;  // as the vocabulary writes it; empty: `id` says which
  TokenId id = kNoToken;
  bool is_negated = false;
};
using Node = std::variant<CodePoints, Literal, Regular, Sequence, Choice, Repeat, Call, Token>;

struct Rule {
  std::string name;  // for messages
  NodeId body = 0;
};

struct Grammar {
  std::vector<Node> nodes;  // a node's parts have lower numbers than itself
  std::vector<Rule> rules;
  RuleId root = 0;

  NodeId add(Node node);
  RuleId add_rule(std::string name, NodeId body);
};

}  // namespace puna::text::grammar
