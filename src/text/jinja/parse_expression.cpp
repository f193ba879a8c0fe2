#include <algorithm>
#include <limits>

#include "text/jinja/ast_walk.h"
#include "text/jinja/filters.h"
#include "text/jinja/parser.h"
#include "text/jinja/tests.h"

namespace puna::text::jinja {
namespace {

constexpr int kMaxHeight = 200;  // of an expression: as deep as Python's own parser goes

// How many of its children must be known for an expression to be computed before anything runs; nullopt: it never can be.
std::optional<std::size_t> n_needed(const decltype(Expression::node)& node) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  if (std::holds_alternative<Name>(node) || std::holds_alternative<Call>(node) || std::holds_alternative<NamespaceField>(node)) {
    return std::nullopt;
  }
  if (const auto* binary = std::get_if<Binary>(&node)) {
    return binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or ? 1 : kAll;
  }
  if (std::holds_alternative<Conditional>(node)) return 1;
  return std::holds_alternative<Comparison>(node) ? 2 : kAll;
}

}  // namespace

Result<ExpressionPtr> Parser::make(Position at, decltype(Expression::node) node) {
  const auto needed = n_needed(node);
  Expression made{
      .at = at, .may_be_constant = needed.has_value(), .has_slice = std::holds_alternative<Slice>(node), .node = std::move(node)};
  std::size_t n_seen = 0;
  for_each_child(made, [&](const Expression& child) {
    made.height = std::max(made.height, child.height + 1);
    made.may_be_constant = made.may_be_constant && (child.may_be_constant || n_seen >= *needed);
    made.has_slice = made.has_slice || child.has_slice;
    ++n_seen;
  });
  if (made.height > kMaxHeight) return fail_at(at, fmt::format("this expression is nested more than {} levels deep", kMaxHeight));
  program_.expressions_.push_back(std::move(made));
  return &program_.expressions_.back();
}

Result<ExpressionPtr> Parser::parse_tuple(TupleRules rules) {
  const Position at = current().at;
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) PUNA_TRY(expect_op(","));
    const bool ends = current().kind == TokenKind::variable_end || current().kind == TokenKind::block_end || at_op(")") ||
                      (!rules.end_name.empty() && at_name(rules.end_name));
    if (ends) break;
    items.push_back(PUNA_TRY(rules.simplified ? parse_primary(rules.with_namespace) : parse_expression(rules.with_conditional)));
    if (!at_op(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return items.front();
    if (!rules.in_parentheses) return unexpected("an expression");
  }
  return make(at, TupleDisplay{std::move(items)});
}

Result<void> Parser::check_target(const Expression& target) const {
  if (std::holds_alternative<Name>(target.node) || std::holds_alternative<NamespaceField>(target.node)) return {};
  if (const auto* tuple = std::get_if<TupleDisplay>(&target.node)) {
    for (const Expression* item : tuple->items) PUNA_TRY(check_target(*item));
    return {};
  }
  return fail_at(target.at, "this cannot be assigned to", "Only names, tuples of names and attributes of a namespace can.");
}

Result<ExpressionPtr> Parser::parse_target(std::string_view end_name, bool with_namespace) {
  ExpressionPtr target = PUNA_TRY(parse_tuple({.simplified = true, .with_namespace = with_namespace, .end_name = end_name}));
  PUNA_TRY(check_target(*target));
  return target;
}

Result<ExpressionPtr> Parser::parse_expression(bool with_conditional) {
  const Nested nested(*this);
  PUNA_TRY(check_depth());
  return with_conditional ? parse_conditional() : parse_logical(BinaryOp::logical_or);
}

Result<ExpressionPtr> Parser::parse_conditional() {
  const Position at = current().at;
  ExpressionPtr value = PUNA_TRY(parse_logical(BinaryOp::logical_or));
  while (skip_name("if")) {
    ExpressionPtr test = PUNA_TRY(parse_logical(BinaryOp::logical_or));
    ExpressionPtr otherwise = nullptr;
    if (skip_name("else")) otherwise = PUNA_TRY(parse_expression());
    value = PUNA_TRY(make(at, Conditional{test, value, otherwise}));
  }
  return value;
}

// `and` and `or`; the operand of `or` is a chain of `and`, that of `and` a negation.
Result<ExpressionPtr> Parser::parse_logical(BinaryOp op) {
  const bool is_or = op == BinaryOp::logical_or;
  const Position at = current().at;
  ExpressionPtr left = PUNA_TRY(is_or ? parse_logical(BinaryOp::logical_and) : parse_not());
  while (skip_name(is_or ? "or" : "and")) {
    ExpressionPtr right = PUNA_TRY(is_or ? parse_logical(BinaryOp::logical_and) : parse_not());
    left = PUNA_TRY(make(at, Binary{op, left, right}));
  }
  return left;
}

Result<ExpressionPtr> Parser::parse_not() {
  const Position at = current().at;
  if (!skip_name("not")) return parse_comparison();
  const Nested nested(*this);
  PUNA_TRY(check_depth());
  return make(at, Unary { UnaryOp::negate_truth, PUNA_TRY(parse_not()) });
}

Result<ExpressionPtr> Parser::parse_comparison() {
  struct Spelling {
    std::string_view text;
    CompareOp op;
  };
  constexpr Spelling kOps[] = {{"==", CompareOp::eq}, {"!=", CompareOp::ne}, {"<", CompareOp::lt},
                               {"<=", CompareOp::le}, {">", CompareOp::gt},  {">=", CompareOp::ge}};
  const Position at = current().at;
  Comparison comparison { .first = PUNA_TRY(parse_sum()) };
  while (true) {
    std::optional<CompareOp> op;
    for (const Spelling& one : kOps) {
      if (at_op(one.text)) op = one.op;
    }
    if (op) {
      advance();
    } else if (skip_name("in")) {
      op = CompareOp::in;
    } else if (at_name("not") && look().kind == TokenKind::name && look().text == "in") {
      advance();
      advance();
      op = CompareOp::not_in;
    } else {
      break;
    }
    comparison.rest.emplace_back(*op, PUNA_TRY(parse_sum()));
  }
  if (comparison.rest.empty()) return comparison.first;
  return make(at, std::move(comparison));
}

Result<ExpressionPtr> Parser::parse_sum() {
  const Position at = current().at;
  ExpressionPtr left = PUNA_TRY(parse_concatenation());
  while (at_op("+") || at_op("-")) {
    const BinaryOp op = advance().text == "+" ? BinaryOp::add : BinaryOp::subtract;
    ExpressionPtr right = PUNA_TRY(parse_concatenation());
    left = PUNA_TRY(make(at, Binary{op, left, right}));
  }
  return left;
}

Result<ExpressionPtr> Parser::parse_concatenation() {
  const Position at = current().at;
  Concatenation join;
  join.items.push_back(PUNA_TRY(parse_product()));
  while (skip_op("~")) join.items.push_back(PUNA_TRY(parse_product()));
  if (join.items.size() == 1) return join.items.front();
  return make(at, std::move(join));
}

Result<ExpressionPtr> Parser::parse_product() {
  const Position at = current().at;
  ExpressionPtr left = PUNA_TRY(parse_power());
  while (true) {
    BinaryOp op;
    if (at_op("*")) {
      op = BinaryOp::multiply;
    } else if (at_op("/")) {
      op = BinaryOp::divide;
    } else if (at_op("//")) {
      op = BinaryOp::floor_divide;
    } else if (at_op("%")) {
      op = BinaryOp::modulo;
    } else {
      return left;
    }
    advance();
    ExpressionPtr right = PUNA_TRY(parse_power());
    left = PUNA_TRY(make(at, Binary{op, left, right}));
  }
}

// Unlike Python's, Jinja's ** groups from the left.
Result<ExpressionPtr> Parser::parse_power() {
  const Position at = current().at;
  ExpressionPtr left = PUNA_TRY(parse_unary(true));
  while (skip_op("**")) {
    ExpressionPtr right = PUNA_TRY(parse_unary(true));
    left = PUNA_TRY(make(at, Binary{BinaryOp::power, left, right}));
  }
  return left;
}

Result<ExpressionPtr> Parser::parse_unary(bool with_filter) {
  const Nested nested(*this);
  PUNA_TRY(check_depth());
  const Position at = current().at;
  ExpressionPtr value = nullptr;
  if (at_op("-") || at_op("+")) {
    const UnaryOp op = advance().text == "-" ? UnaryOp::negate : UnaryOp::plus;
    ExpressionPtr operand = PUNA_TRY(parse_unary(false));
    value = PUNA_TRY(make(at, Unary{op, operand}));
  } else {
    value = PUNA_TRY(parse_primary(false));
  }
  value = PUNA_TRY(parse_postfix(value));
  return with_filter ? parse_filters_and_tests(value) : Result<ExpressionPtr>(value);
}

Result<ExpressionPtr> Parser::parse_primary(bool with_namespace) {
  const Position at = current().at;
  switch (current().kind) {
    case TokenKind::name: {
      const std::string name = advance().text;
      if (name == "true" || name == "True") return make(at, Constant{Any(true)});
      if (name == "false" || name == "False") return make(at, Constant{Any(false)});
      if (name == "none" || name == "None") return make(at, Constant{Any(None{})});
      if (!with_namespace || !skip_op(".")) return make(at, Name{literal_text(name), {}});
      return make(
          at, NamespaceField {
            literal_text(name), PUNA_TRY(expect_identifier())
            , {}
          });
    }
    case TokenKind::string: {
      std::string text;
      while (current().kind == TokenKind::string) text += advance().text;
      return make(at, Constant{literal_text(std::move(text))});
    }
    case TokenKind::integer:
      return make(at, Constant{advance().integer});
    case TokenKind::real:
      return make(at, Constant{advance().real});
    case TokenKind::op:
      if (skip_op("(")) {
        ExpressionPtr value = PUNA_TRY(parse_tuple({.in_parentheses = true}));
        PUNA_TRY(expect_op(")"));
        return value;
      }
      if (at_op("[")) return parse_list();
      if (at_op("{")) return parse_dict();
      [[fallthrough]];
    default:
      return unexpected("an expression");
  }
}

Result<ExpressionPtr> Parser::parse_list() {
  const Position at = advance().at;
  ListDisplay list;
  while (!at_op("]")) {
    if (!list.items.empty()) PUNA_TRY(expect_op(","));
    if (at_op("]")) break;
    list.items.push_back(PUNA_TRY(parse_expression()));
  }
  advance();
  return make(at, std::move(list));
}

Result<ExpressionPtr> Parser::parse_dict() {
  const Position at = advance().at;
  DictDisplay dict;
  while (!at_op("}")) {
    if (!dict.items.empty()) PUNA_TRY(expect_op(","));
    if (at_op("}")) break;
    ExpressionPtr key = PUNA_TRY(parse_expression());
    PUNA_TRY(expect_op(":"));
    dict.items.emplace_back(key, PUNA_TRY(parse_expression()));
  }
  advance();
  return make(at, std::move(dict));
}

Result<ExpressionPtr> Parser::parse_postfix(ExpressionPtr left) {
  while (true) {
    if (at_op(".") || at_op("[")) {
      left = PUNA_TRY(parse_subscript(left));
    } else if (at_op("(")) {
      left = PUNA_TRY(parse_call(left));
    } else {
      return left;
    }
  }
}

Result<ExpressionPtr> Parser::parse_filters_and_tests(ExpressionPtr left) {
  while (true) {
    if (at_op("|")) {
      left = PUNA_TRY(parse_filter_chain(left));
    } else if (at_name("is")) {
      left = PUNA_TRY(parse_test(left));
    } else if (at_op("(")) {
      left = PUNA_TRY(parse_call(left));
    } else {
      return left;
    }
  }
}

Result<ExpressionPtr> Parser::parse_subscript(ExpressionPtr left) {
  const Position at = current().at;
  if (skip_op(".")) {
    if (current().kind == TokenKind::name) return make(at, Attribute { left, PUNA_TRY(expect_identifier()) });
    if (current().kind != TokenKind::integer) return unexpected("a name or a number");
    ExpressionPtr index = PUNA_TRY(make(current().at, Constant{current().integer}));
    advance();
    return make(at, Item{left, index});
  }
  advance();
  std::vector<ExpressionPtr> keys;
  while (!at_op("]")) {
    if (!keys.empty()) PUNA_TRY(expect_op(","));
    if (keys.empty() && at_op(":")) return parse_slice(left, nullptr, at);
    keys.push_back(PUNA_TRY(parse_expression()));
    if (keys.size() == 1 && at_op(":")) return parse_slice(left, keys.front(), at);
  }
  advance();
  ExpressionPtr key = keys.size() == 1 ? keys.front() : PUNA_TRY(make(at, TupleDisplay{std::move(keys)}));
  return make(at, Item{left, key});
}

Result<ExpressionPtr> Parser::parse_slice(ExpressionPtr object, ExpressionPtr start, Position at) {
  Slice slice{.object = object, .start = start, .stop = nullptr, .step = nullptr};
  PUNA_TRY(expect_op(":"));
  if (!at_op(":") && !at_op("]")) slice.stop = PUNA_TRY(parse_expression());
  if (skip_op(":") && !at_op("]")) slice.step = PUNA_TRY(parse_expression());
  PUNA_TRY(expect_op("]"));
  return make(at, slice);
}

Result<CallArguments> Parser::parse_arguments() {
  const Position at = current().at;
  const auto broken = [&] {
    return fail_at(at, "the arguments of this call are out of order", "Write f(a, *args, name=value, **kwargs).");
  };
  PUNA_TRY(expect_op("("));
  CallArguments arguments;
  bool any = false;
  while (!at_op(")")) {
    if (any) {
      PUNA_TRY(expect_op(","));
      if (at_op(")")) break;
    }
    any = true;
    if (skip_op("*")) {
      if (arguments.more_positional != nullptr || arguments.more_named != nullptr) return broken();
      arguments.more_positional = PUNA_TRY(parse_expression());
    } else if (skip_op("**")) {
      if (arguments.more_named != nullptr) return broken();
      arguments.more_named = PUNA_TRY(parse_expression());
    } else if (current().kind == TokenKind::name && look().kind == TokenKind::op && look().text == "=") {
      if (arguments.more_named != nullptr) return broken();
      TextRef name = literal_text(advance().text);
      for (const auto& [other, value] : arguments.named) {
        if (other->bytes == name->bytes) return fail_at(at, fmt::format("the argument '{}' is given twice", name->bytes));
      }
      advance();
      arguments.named.emplace_back(std::move(name), PUNA_TRY(parse_expression()));
    } else {
      if (arguments.more_positional != nullptr || arguments.more_named != nullptr || !arguments.named.empty()) return broken();
      arguments.positional.push_back(PUNA_TRY(parse_expression()));
    }
  }
  advance();
  return arguments;
}

Result<ExpressionPtr> Parser::parse_call(ExpressionPtr callee) {
  const Position at = current().at;
  return make(at, Call { callee, PUNA_TRY(parse_arguments()) });
}

Result<TextRef> Parser::parse_dotted_name() {
  if (current().kind != TokenKind::name) return unexpected("a name");
  std::string name = advance().text;
  while (skip_op(".")) {
    if (current().kind != TokenKind::name) return unexpected("a name");
    name += '.' + advance().text;
  }
  return literal_text(std::move(name));
}

Result<ExpressionPtr> Parser::parse_one_filter(ExpressionPtr input) {
  const Position at = current().at;
  FilterCall call {
    .input = input, .name = PUNA_TRY(parse_dotted_name())
    , .filter = nullptr, .arguments = {}
  };
  call.filter = find_filter(call.name->bytes);
  if (at_op("(")) call.arguments = PUNA_TRY(parse_arguments());
  return make(at, std::move(call));
}

Result<ExpressionPtr> Parser::parse_filter_chain(ExpressionPtr input) {
  while (skip_op("|")) input = PUNA_TRY(parse_one_filter(input));
  return input;
}

Result<ExpressionPtr> Parser::parse_test(ExpressionPtr input) {
  const Position at = advance().at;
  const bool negated = skip_name("not");
  TestCall call {
    .input = input, .name = PUNA_TRY(parse_dotted_name())
    , .test = nullptr, .arguments = {}
  };
  call.test = find_test(call.name->bytes);
  const TokenKind next = current().kind;
  const bool has_operand = next == TokenKind::string || next == TokenKind::integer || next == TokenKind::real || at_op("[") ||
                           at_op("{") || (next == TokenKind::name && !at_any({"else", "or", "and"}));
  if (at_op("(")) {
    call.arguments = PUNA_TRY(parse_arguments());
  } else if (has_operand) {
    if (at_name("is")) return fail_at(current().at, "tests cannot be chained with 'is'", "Join them with 'and'.");
    ExpressionPtr operand = PUNA_TRY(parse_primary(false));
    call.arguments.positional.push_back(PUNA_TRY(parse_postfix(operand)));
  }
  ExpressionPtr test = PUNA_TRY(make(at, std::move(call)));
  if (!negated) return test;
  return make(at, Unary{UnaryOp::negate_truth, test});
}

}  // namespace puna::text::jinja
