// A walk over expressions.
#pragma once

#include "text/jinja/ast.h"

namespace puna::text::jinja {

// Calls `visit` for every expression that hangs directly on this one, in Jinja's order.
template <class Visit>
void for_each_child(Expression& expression, Visit visit) {
  const auto one = [&](ExpressionPtr child) {
    if (child != nullptr) visit(*child);
  };
  const auto call = [&](CallArguments& arguments) {
    for (ExpressionPtr value : arguments.positional) one(value);
    for (auto& [name, value] : arguments.named) one(value);
    one(arguments.more_positional);
    one(arguments.more_named);
  };
  struct Visitor {
    decltype(one)& each;
    decltype(call)& arguments;
    void operator()(Constant&) {}
    void operator()(Name&) {}
    void operator()(NamespaceField&) {}
    void operator()(ListDisplay& list) {
      for (ExpressionPtr item : list.items) each(item);
    }
    void operator()(TupleDisplay& tuple) {
      for (ExpressionPtr item : tuple.items) each(item);
    }
    void operator()(DictDisplay& dict) {
      for (auto& [key, value] : dict.items) {
        each(key);
        each(value);
      }
    }
    void operator()(Unary& unary) { each(unary.operand); }
    void operator()(Binary& binary) {
      each(binary.left);
      each(binary.right);
    }
    void operator()(Concatenation& join) {
      for (ExpressionPtr item : join.items) each(item);
    }
    void operator()(Comparison& comparison) {
      each(comparison.first);
      for (auto& [op, operand] : comparison.rest) each(operand);
    }
    void operator()(Conditional& conditional) {
      each(conditional.test);
      each(conditional.then);
      each(conditional.otherwise);
    }
    void operator()(Attribute& attribute) { each(attribute.object); }
    void operator()(Item& item) {
      each(item.object);
      each(item.key);
    }
    void operator()(Slice& slice) {
      each(slice.object);
      each(slice.start);
      each(slice.stop);
      each(slice.step);
    }
    void operator()(Call& node) {
      each(node.callee);
      arguments(node.arguments);
    }
    void operator()(FilterCall& node) {
      each(node.input);
      arguments(node.arguments);
    }
    void operator()(TestCall& node) {
      each(node.input);
      arguments(node.arguments);
    }
  };
  std::visit(Visitor{one, call}, expression.node);
}

}  // namespace puna::text::jinja
