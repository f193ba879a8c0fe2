// Runs the statements and computes the expressions of a program, within one Render.
#pragma once

#include "text/jinja/render.h"

namespace puna::text::jinja {

enum class Flow : std::uint8_t { normal, leave_loop, next_item };

class Interpreter {
 public:
  Interpreter(Render& render, Activation& activation, TextBuilder& out) : render_(render), activation_(activation), out_(out) {}

  Result<void> enter(const Scope& scope);
  void leave(const Scope& scope);
  Result<Flow> run(const Body& body);
  Result<Any> evaluate(const Expression& expression);

  // The body of a macro, with its parameters bound; what it prints.
  static Result<Any> call_macro(Render& render, Macro& macro, Arguments arguments);
  static Result<Any> call_loop(Render& render, Loop& loop, const Any& items);

 private:
  struct Jump {
    Interpreter& self;
    Position at;
    Result<Flow> operator()(const Output& node) { return self.run_output(node); }
    Result<Flow> operator()(const If& node) { return self.run_if(node); }
    Result<Flow> operator()(const For& node) { return self.run_for(node); }
    Result<Flow> operator()(const Set& node) { return self.run_set(node); }
    Result<Flow> operator()(const SetBlock& node) { return self.run_set_block(node); }
    Result<Flow> operator()(const MacroDefinition& node) { return self.run_macro(node); }
    Result<Flow> operator()(const CallBlock& node) { return self.run_call_block(node); }
    Result<Flow> operator()(const Generation& node) { return self.run_generation(node); }
    Result<Flow> operator()(const FilterBlock& node) { return self.run_filter_block(node); }
    Result<Flow> operator()(const With& node) { return self.run_with(node); }
    Result<Flow> operator()(const Break&) { return Flow::leave_loop; }
    Result<Flow> operator()(const Continue&) { return Flow::next_item; }
    Result<Flow> operator()(const Refusal& node) { return self.refuse(node, at); }
  };
  Result<Flow> run_output(const Output& node);
  Result<Flow> run_if(const If& node);
  Result<Flow> run_for(const For& node);
  Result<Flow> run_loop(const For& node, Loop& loop);
  Result<Flow> run_set(const Set& node);
  Result<Flow> run_set_block(const SetBlock& node);
  Result<Flow> run_macro(const MacroDefinition& node);
  Result<Flow> run_call_block(const CallBlock& node);
  Result<Flow> run_generation(const Generation& node);
  Result<Flow> run_filter_block(const FilterBlock& node);
  Result<Flow> run_with(const With& node);
  Result<Flow> refuse(const Refusal& node, Position at);

  Result<Iterator> loop_items(const For& node, const Any& items, Activation& outer);
  Result<Loop*> make_loop(const For& node, const Any& items, Activation& outer);
  Result<void> assign(const Expression& target, Any value);
  Result<void> assign_all(const std::vector<ExpressionPtr>& targets, const Any& value);
  Result<void> check_namespaces(const Expression& target);
  Result<void> append_block(const Any& value, std::string_view tag);
  Result<Any> block_text(TextBuilder& text, ExpressionPtr filter);

  Result<Any> compute(const Constant& node) { return node.value; }
  Result<Any> compute(const Name& node);
  Result<Any> compute(const NamespaceField& node);
  Result<Any> compute(const ListDisplay& node);
  Result<Any> compute(const TupleDisplay& node);
  Result<Any> compute(const DictDisplay& node);
  Result<Any> compute(const Unary& node);
  Result<Any> compute(const Binary& node);
  Result<Any> compute(const Concatenation& node);
  Result<Any> compute(const Comparison& node);
  Result<Any> compute(const Conditional& node);
  Result<Any> compute(const Attribute& node);
  Result<Any> compute(const Item& node);
  Result<Any> compute(const Slice& node);
  Result<Any> compute(const Call& node);
  Result<Any> compute(const FilterCall& node);
  Result<Any> compute(const TestCall& node);

  Result<std::optional<Any>> evaluate_beforehand(const Expression& expression);
  Result<std::vector<Any>> evaluate_all(const std::vector<ExpressionPtr>& expressions);
  Result<Arguments> evaluate_arguments(const CallArguments& arguments);
  Result<void> spread_named(const Expression& expression, Arguments& arguments);
  Result<Any> evaluate_call(const Call& node, const Any* caller);
  Result<bool> compare(CompareOp op, const Any& left, const Any& right);

  Any& slot(const Slot& slot);

  Render& render_;
  Activation& activation_;
  TextBuilder& out_;
  bool is_beforehand_ = false;         // computing what Jinja computes when it compiles
  const Any* filter_input_ = nullptr;  // the text of the block whose filters are being applied
};

}  // namespace puna::text::jinja
