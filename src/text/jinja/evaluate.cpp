// Expressions.
#include <algorithm>
#include <cmath>

#include "text/jinja/filters.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/show.h"
#include "text/jinja/tests.h"

namespace puna::text::jinja {

Any& Interpreter::slot(const Slot& slot) {
  Activation* activation = &activation_;
  for (std::uint32_t i = 0; i < slot.hops; ++i) activation = activation->outer;
  return activation->slots[slot.index];
}

namespace {

bool is_negative(const Any& value) {
  if (const double* real = value.if_real()) return std::signbit(*real);
  return value.if_integer().value_or(0) < 0;
}

// What can stand as a constant in compiled code; an undefined value, a generator or a method cannot.
bool is_plain(const Any& value) {
  switch (value.kind()) {
    case Kind::none:
    case Kind::boolean:
    case Kind::integer:
    case Kind::real:
    case Kind::text:
    case Kind::range:
      return true;
    case Kind::list:
    case Kind::tuple: {
      const auto& items = value.if_sequence()->items;
      return std::all_of(items.begin(), items.end(), is_plain);
    }
    case Kind::dict: {
      const auto& entries = value.if_dict()->entries;
      return std::all_of(entries.begin(), entries.end(),
                         [](const auto& entry) { return is_plain(entry.first) && is_plain(entry.second); });
    }
    default:
      return false;
  }
}

std::unexpected<Error> not_constant() { return fail("not known beforehand"); }

}  // namespace

// Jinja computes constant expressions when it compiles, by other rules for slices: of what has none they are undefined
// there, and an error when the template runs. Nothing where the two cannot differ, or where computing fails.
Result<std::optional<Any>> Interpreter::evaluate_beforehand(const Expression& expression) {
  if (!expression.may_be_constant || !expression.has_slice || is_beforehand_) return std::nullopt;
  is_beforehand_ = true;
  Result<Any> value = evaluate(expression);
  is_beforehand_ = false;
  if (!value && render_.budget.steps == 0) return std::unexpected(std::move(value).error());
  return value ? std::optional<Any>(*std::move(value)) : std::nullopt;
}

Result<Any> Interpreter::evaluate(const Expression& expression) {
  const Render::Level level(render_);
  PUNA_TRY(render_.check_level());
  PUNA_TRY(render_.budget.spend());
  if (expression.has_slice) {
    const auto constant = PUNA_TRY(evaluate_beforehand(expression));
    if (constant && is_plain(*constant)) return *constant;
  }
  Result<Any> value = std::visit([this](const auto& node) { return compute(node); }, expression.node);
  if (!value && !is_beforehand_) render_.note_place(expression.at);
  return value;
}

Result<Any> Interpreter::compute(const Name& node) {
  if (is_beforehand_) return not_constant();
  const Any& value = slot(node.slot);
  return value.is_missing() ? Any(Undefined{node.name.get(), Undefined::Of::variable}) : value;
}

Result<Any> Interpreter::compute(const NamespaceField& node) {
  return fail("'{}.{}' is only a target", node.space->bytes, node.field->bytes);
}

Result<std::vector<Any>> Interpreter::evaluate_all(const std::vector<ExpressionPtr>& expressions) {
  std::vector<Any> values;
  values.reserve(expressions.size());
  for (const Expression* one : expressions) values.push_back(PUNA_TRY(evaluate(*one)));
  return values;
}

Result<Any> Interpreter::compute(const ListDisplay& node) {
  return make_list(render_.budget, PUNA_TRY(evaluate_all(node.items)));
}
Result<Any> Interpreter::compute(const TupleDisplay& node) {
  return make_tuple(render_.budget, PUNA_TRY(evaluate_all(node.items)));
}

Result<Any> Interpreter::compute(const DictDisplay& node) {
  std::vector<Dict::Entry> entries;
  entries.reserve(node.items.size());
  for (const auto& [key, value] : node.items) {
    Any evaluated = PUNA_TRY(evaluate(*key));
    entries.emplace_back(std::move(evaluated), PUNA_TRY(evaluate(*value)));
  }
  return make_dict(render_.budget, std::move(entries));
}

Result<Any> Interpreter::compute(const Unary& node) { return unary(render_, node.op, PUNA_TRY(evaluate(*node.operand))); }

Result<Any> Interpreter::compute(const Binary& node) {
  const Any left = PUNA_TRY(evaluate(*node.left));
  if (node.op == BinaryOp::logical_and) return truth(left) ? evaluate(*node.right) : Result<Any>(left);
  if (node.op == BinaryOp::logical_or) return truth(left) ? Result<Any>(left) : evaluate(*node.right);
  const Any right = PUNA_TRY(evaluate(*node.right));
  // A negative constant meets ** as jinja2 writes it into Python, without parentheses: -1 ** x is -(1 ** x).
  if (node.op == BinaryOp::power && node.left->may_be_constant && !node.right->may_be_constant && is_negative(left)) {
    const Any magnitude = PUNA_TRY(unary(render_, UnaryOp::negate, left));
    return unary(render_, UnaryOp::negate, PUNA_TRY(binary(render_, node.op, magnitude, right)));
  }
  return binary(render_, node.op, left, right);
}

Result<Any> Interpreter::compute(const Concatenation& node) {
  TextBuilder text;
  for (const Expression* item : node.items) PUNA_TRY(append_text(render_.budget, text, PUNA_TRY(evaluate(*item))));
  return make_string(render_.budget, text);
}

Result<bool> Interpreter::compare(CompareOp op, const Any& left, const Any& right) {
  Budget& budget = render_.budget;
  switch (op) {
    case CompareOp::eq:
      return equals(budget, left, right);
    case CompareOp::ne:
      return !PUNA_TRY(equals(budget, left, right));
    case CompareOp::lt:
      return less(budget, left, right);
    case CompareOp::gt:
      return less(budget, right, left);
    case CompareOp::le:
    case CompareOp::ge: {
      const bool is_le = op == CompareOp::le;
      if (PUNA_TRY(less(budget, is_le ? left : right, is_le ? right : left))) return true;
      return equals(budget, left, right);
    }
    case CompareOp::in:
      return contains(render_, right, left);
    case CompareOp::not_in:
      return !PUNA_TRY(contains(render_, right, left));
  }
  return false;
}

Result<Any> Interpreter::compute(const Comparison& node) {
  Any left = PUNA_TRY(evaluate(*node.first));
  for (const auto& [op, operand] : node.rest) {
    Any right = PUNA_TRY(evaluate(*operand));
    if (!PUNA_TRY(compare(op, left, right))) return Any(false);
    left = std::move(right);
  }
  return Any(true);
}

Result<Any> Interpreter::compute(const Conditional& node) {
  static const TextRef kNoElse = literal_text("the condition was false, and there is no else");
  if (truth(PUNA_TRY(evaluate(*node.test)))) return evaluate(*node.then);
  if (node.otherwise != nullptr) return evaluate(*node.otherwise);
  if (is_beforehand_) return not_constant();
  return Any(Undefined{kNoElse.get(), Undefined::Of::note});
}

Result<Any> Interpreter::compute(const Attribute& node) {
  return get_attribute(render_, PUNA_TRY(evaluate(*node.object)), node.name);
}

Result<Any> Interpreter::compute(const Item& node) {
  const Any object = PUNA_TRY(evaluate(*node.object));
  return get_item(render_, object, PUNA_TRY(evaluate(*node.key)));
}

Result<Any> Interpreter::compute(const Slice& node) {
  const Any object = PUNA_TRY(evaluate(*node.object));
  const auto part = [this](const Expression* one) { return one != nullptr ? evaluate(*one) : Result<Any>(Any()); };
  const Any start = PUNA_TRY(part(node.start));
  const Any stop = PUNA_TRY(part(node.stop));
  const Any step = PUNA_TRY(part(node.step));
  if (is_beforehand_ && !object.is_undefined() && !can_slice(object, start, stop, step)) {
    return Any(Undefined{nullptr, Undefined::Of::attribute});
  }
  return get_slice(render_, object, start, stop, step);
}

Result<void> Interpreter::spread_named(const Expression& expression, Arguments& arguments) {
  const Any more = PUNA_TRY(evaluate(expression));
  const Dict* dict = more.if_dict();
  if (dict == nullptr) return fail("what follows ** must be a mapping, not {}", type_name(more));
  for (const auto& [key, value] : dict->entries) {
    if (!key.is(Kind::text)) return fail("the names of arguments must be strings, not {}", type_name(key));
    for (const auto& [name, other] : arguments.named) {
      if (name->bytes == key.if_text()->bytes) return fail("two values for the argument '{}'", name->bytes);
    }
    PUNA_TRY(render_.budget.spend(arguments.named.size() + 1));
    arguments.named.emplace_back(key.text_ref(), value);
  }
  return {};
}

Result<Arguments> Interpreter::evaluate_arguments(const CallArguments& call) {
  Arguments arguments;
  arguments.positional = PUNA_TRY(evaluate_all(call.positional));
  for (const auto& [name, value] : call.named) arguments.named.emplace_back(name, PUNA_TRY(evaluate(*value)));
  if (call.more_positional != nullptr) {
    std::vector<Any> more = PUNA_TRY(collect(render_, PUNA_TRY(evaluate(*call.more_positional))));
    arguments.positional.insert(arguments.positional.end(), more.begin(), more.end());
  }
  if (call.more_named != nullptr) PUNA_TRY(spread_named(*call.more_named, arguments));
  return arguments;
}

Result<Any> Interpreter::evaluate_call(const Call& node, const Any* caller) {
  static const TextRef kCaller = literal_text("caller");
  const Any callee = PUNA_TRY(evaluate(*node.callee));
  Arguments arguments = PUNA_TRY(evaluate_arguments(node.arguments));
  if (caller != nullptr) arguments.named.emplace_back(kCaller, *caller);
  return render_.call(callee, std::move(arguments));
}

Result<Any> Interpreter::compute(const Call& node) {
  if (is_beforehand_) return not_constant();
  return evaluate_call(node, nullptr);
}

Result<Any> Interpreter::compute(const FilterCall& node) {
  if (node.filter == nullptr) return fail("there is no filter '{}'", node.name->bytes);
  if (is_beforehand_ && (node.input == nullptr || node.filter->run_open != nullptr)) return not_constant();
  Any input = node.input != nullptr ? PUNA_TRY(evaluate(*node.input)) : *filter_input_;
  return apply_filter(render_, *node.filter, input, PUNA_TRY(evaluate_arguments(node.arguments)));
}

Result<Any> Interpreter::compute(const TestCall& node) {
  if (node.test == nullptr) return fail("there is no test '{}'", node.name->bytes);
  const Any input = PUNA_TRY(evaluate(*node.input));
  return Any(PUNA_TRY(apply_test(render_, *node.test, input, PUNA_TRY(evaluate_arguments(node.arguments)))));
}

}  // namespace puna::text::jinja
