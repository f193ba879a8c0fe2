// A parsed template: expressions and statements as plain data, owned by their Program.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja/lexer.h"
#include "text/jinja/value.h"

namespace puna::text::jinja {

struct FilterEntry;
struct TestEntry;
struct Expression;
using ExpressionPtr = Expression*;  // owned by the Program; null where optional and absent

// Where a variable lives: `hops` functions outward (a template, a macro, a call block, a recursive loop are functions), slot
// `index` of its activation. Filled in by resolve_names.
struct Slot {
  std::uint32_t hops = 0;
  std::uint32_t index = 0;
};

enum class UnaryOp : std::uint8_t { negate, plus, negate_truth };
enum class BinaryOp : std::uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power, logical_and, logical_or };
enum class CompareOp : std::uint8_t { eq, ne, lt, le, gt, ge, in, not_in };

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<TextRef, ExpressionPtr>> named;
  ExpressionPtr more_positional = nullptr;  // *args
  ExpressionPtr more_named = nullptr;       // **kwargs
};

struct Constant {
  Any value;
};
struct Name {
  TextRef name;
  Slot slot;
};
struct NamespaceField {  // only as the target of a set
  TextRef space;
  TextRef field;
  Slot slot;
};
struct ListDisplay {
  std::vector<ExpressionPtr> items;
};
struct TupleDisplay {
  std::vector<ExpressionPtr> items;
};
struct DictDisplay {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};
struct Unary {
  UnaryOp op;
  ExpressionPtr operand;
};
struct Binary {
  BinaryOp op;
  ExpressionPtr left, right;
};
struct Concatenation {  // a ~ b ~ c
  std::vector<ExpressionPtr> items;
};
struct Comparison {  // a < b <= c
  ExpressionPtr first;
  std::vector<std::pair<CompareOp, ExpressionPtr>> rest = {};
};
struct Conditional {
  ExpressionPtr test, then, otherwise;  // otherwise: may be null
};
struct Attribute {
  ExpressionPtr object;
  TextRef name;
};
struct Item {
  ExpressionPtr object, key;
};
struct Slice {
  ExpressionPtr object, start, stop, step;  // the last three may be null
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct FilterCall {
  ExpressionPtr input;  // null at the head of a filter or set block: the block's text
  TextRef name;
  const FilterEntry* filter;  // null: no such filter, an error once it is reached
  CallArguments arguments;
};
struct TestCall {
  ExpressionPtr input;
  TextRef name;
  const TestEntry* test;  // null: no such test, an error once it is reached
  CallArguments arguments;
};

struct Expression {
  Position at;
  int height = 1;                // of the tree below
  bool may_be_constant = false;  // it may depend on nothing but itself
  bool has_slice = false;        // somewhere in the tree
  std::variant<Constant, Name, NamespaceField, ListDisplay, TupleDisplay, DictDisplay, Unary, Binary, Concatenation, Comparison,
               Conditional, Attribute, Item, Slice, Call, FilterCall, TestCall>
      node;
};

struct Statement;
using Body = std::vector<Statement>;

// What happens to a variable of a scope when the scope is entered.
struct SlotLoad {
  enum class How : std::uint8_t { context, copy, clear } how;
  std::uint32_t index;
  TextRef name;  // context: the variable of the rendering
  Slot from;     // copy: the variable of an outer scope
};
// The variables of a scope: a loop's body, a macro, a with block … Filled in by resolve_names.
struct Scope {
  std::vector<SlotLoad> loads;
  std::vector<std::uint32_t> parameters;  // slots that the statement itself fills
};

// The code of a macro or of a call block: a function with its own activation.
struct MacroCode {
  TextRef name;  // null for call blocks
  std::vector<TextRef> parameters;
  std::vector<ExpressionPtr> defaults;  // of the last parameters
  Body body;
  Scope scope;
  std::vector<std::uint32_t> parameter_slots;
  bool uses_caller = false, uses_kwargs = false, uses_varargs = false;
  Slot caller_slot, kwargs_slot, varargs_slot;
  std::uint32_t n_slots = 0;
};

struct Output {
  std::vector<ExpressionPtr> parts;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct For {
  ExpressionPtr target = nullptr, iterable = nullptr, test = nullptr;  // test: may stay null
  Body body, otherwise;
  bool recursive = false;
  Scope body_scope, test_scope, otherwise_scope;
  ExpressionPtr test_target = nullptr;  // the target again, in the scope of the test
  Slot loop_slot;
  std::uint32_t n_slots = 0;  // of a recursive loop, which is a function
};
struct Set {
  ExpressionPtr target, value;
};
struct SetBlock {
  ExpressionPtr target = nullptr;
  ExpressionPtr filter = nullptr;  // may be null
  Body body;
  Scope scope;
};
struct MacroDefinition {
  MacroCode code;
  Slot slot;
};
struct CallBlock {  // {% call(x) f() %}…{% endcall %}
  MacroCode caller;
  ExpressionPtr call = nullptr;  // a Call
};
struct Generation {  // {% generation %}…{% endgeneration %}: what the assistant says; renders as its content
  MacroCode content;
};
struct FilterBlock {
  ExpressionPtr filter = nullptr;
  Body body;
  Scope scope;
};
struct With {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> bindings;
  Body body;
  Scope scope;
};
struct Break {};
struct Continue {};
struct Refusal {  // a statement that cannot work without other templates
  std::string tag;
};

struct Statement {
  Position at;
  std::variant<Output, If, For, Set, SetBlock, MacroDefinition, CallBlock, Generation, FilterBlock, With, Break, Continue,
               Refusal>
      node;
};

class Program {
 public:
  // Errors: line, column, what is wrong, and a hint where one helps.
  static Result<std::shared_ptr<const Program>> parse(std::string source);

  const std::string& source() const { return source_; }
  const Body& body() const { return body_; }
  const Scope& scope() const { return scope_; }
  std::uint32_t n_slots() const { return n_slots_; }

 private:
  friend class Parser;
  std::string source_;
  std::deque<Expression> expressions_;
  Body body_;
  Scope scope_;
  std::uint32_t n_slots_ = 0;
};

// Decides where every variable lives, by Jinja's rules of scope. Error: more work than any honest template needs.
struct RootScope {
  Scope scope;
  std::uint32_t n_slots = 0;
};
Result<RootScope> resolve_names(Body& body);

}  // namespace puna::text::jinja
