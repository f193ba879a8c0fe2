// Statements.
#include "text/jinja/interpreter.h"

#include "text/jinja/show.h"

namespace puna::text::jinja {

Result<void> Interpreter::enter(const Scope& scope) {
  PUNA_TRY(render_.budget.spend(scope.loads.size()));
  for (const SlotLoad& load : scope.loads) {
    Any& target = activation_.slots[load.index];
    if (load.how == SlotLoad::How::clear) target = Any();
    if (load.how == SlotLoad::How::copy) target = slot(load.from);
    if (load.how == SlotLoad::How::context) target = render_.variable(load.name->bytes);
  }
  return {};
}

void Interpreter::leave(const Scope& scope) {
  for (const SlotLoad& load : scope.loads) activation_.slots[load.index] = Any();
  for (const std::uint32_t parameter : scope.parameters) activation_.slots[parameter] = Any();
}

Result<Flow> Interpreter::run(const Body& body) {
  const Render::Level level(render_);
  PUNA_TRY(render_.check_level());
  for (const Statement& statement : body) {
    PUNA_TRY(render_.budget.spend());
    const Result<Flow> flow = std::visit(Jump{*this, statement.at}, statement.node);
    if (!flow) render_.note_place(statement.at);
    if (!flow || *flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Result<Flow> Interpreter::run_output(const Output& node) {
  for (const Expression* part : node.parts) {
    const auto constant = PUNA_TRY(evaluate_beforehand(*part));
    PUNA_TRY(append_text(render_.budget, out_, constant ? *constant : PUNA_TRY(evaluate(*part))));
  }
  return Flow::normal;
}

Result<Flow> Interpreter::run_if(const If& node) {
  for (const auto& [test, body] : node.branches) {
    if (truth(PUNA_TRY(evaluate(*test)))) return run(body);
  }
  return run(node.otherwise);
}

// The items that a loop really sees: with `if` behind the `in`, those that pass, tested one by one as the loop asks.
Result<Iterator> Interpreter::loop_items(const For& node, const Any& items, Activation& outer) {
  Iterator all = PUNA_TRY(Iterator::over(items));
  if (node.test == nullptr) return all;
  bool entered = false;
  return Iterator([&node, &outer, all, entered](Render& render) mutable -> Result<std::optional<Any>> {
    TextBuilder nothing;
    Interpreter tester(render, outer, nothing);
    if (!std::exchange(entered, true)) PUNA_TRY(tester.enter(node.test_scope));
    while (auto item = PUNA_TRY(all.next(render))) {
      PUNA_TRY(tester.assign(*node.test_target, *item));
      if (truth(PUNA_TRY(tester.evaluate(*node.test)))) return item;
    }
    return std::nullopt;
  });
}

Result<Loop*> Interpreter::make_loop(const For& node, const Any& items, Activation& outer) {
  Loop* loop = PUNA_TRY(render_.make<Loop>(PUNA_TRY(loop_items(node, items, outer))));
  if (node.recursive) {
    loop->recursive = &node;
    loop->closure = &outer;
  }
  return loop;
}

Result<Flow> Interpreter::run_for(const For& node) {
  const Any items = PUNA_TRY(evaluate(*node.iterable));
  Loop* loop = PUNA_TRY(make_loop(node, items, activation_));
  if (!node.recursive) return run_loop(node, *loop);
  activation_.captured = true;
  const auto own = PUNA_TRY(render_.activate(node.n_slots, &activation_));
  return Interpreter(render_, *own, out_).run_loop(node, *loop);
}

Result<Any> Interpreter::call_loop(Render& render, Loop& loop, const Any& items) {
  if (loop.recursive == nullptr) {
    return std::unexpected(Error{ErrorKind::invalid, "this loop cannot be called", "Write {% for … in … recursive %}."});
  }
  TextBuilder text;
  const auto own = PUNA_TRY(render.activate(loop.recursive->n_slots, loop.closure));
  Interpreter interpreter(render, *own, text);
  Loop* inner = PUNA_TRY(interpreter.make_loop(*loop.recursive, items, *loop.closure));
  inner->depth0 = loop.depth0 + 1;
  PUNA_TRY(interpreter.run_loop(*loop.recursive, *inner));
  return make_string(render.budget, text);
}

Result<Flow> Interpreter::run_loop(const For& node, Loop& loop) {
  bool finished_none = true;  // else runs unless some pass came to the end of the body
  while (PUNA_TRY(loop.advance(render_))) {
    activation_.slots[node.loop_slot.index] = Any(static_cast<Object*>(&loop));
    PUNA_TRY(assign(*node.target, *loop.current));
    PUNA_TRY(enter(node.body_scope));
    const Flow flow = PUNA_TRY(run(node.body));
    if (flow == Flow::leave_loop) break;
    if (flow == Flow::normal) finished_none = false;
  }
  leave(node.body_scope);
  if (!finished_none || node.otherwise.empty()) return Flow::normal;
  PUNA_TRY(enter(node.otherwise_scope));
  const Flow flow = PUNA_TRY(run(node.otherwise));
  leave(node.otherwise_scope);
  return flow;
}

Result<void> Interpreter::assign_all(const std::vector<ExpressionPtr>& targets, const Any& value) {
  Iterator items = PUNA_TRY(Iterator::over(value));
  std::vector<Any> values;
  while (auto item = PUNA_TRY(items.next(render_))) {
    values.push_back(*std::move(item));
    if (values.size() > targets.size()) return fail("there are more values than the {} names to unpack them to", targets.size());
  }
  if (values.size() < targets.size()) return fail("there are {} values for {} names", values.size(), targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) PUNA_TRY(assign(*targets[i], std::move(values[i])));
  return {};
}

Result<void> Interpreter::assign(const Expression& target, Any value) {
  if (const auto* name = std::get_if<Name>(&target.node)) {
    slot(name->slot) = std::move(value);
    return {};
  }
  if (const auto* tuple = std::get_if<TupleDisplay>(&target.node)) return assign_all(tuple->items, value);
  const auto& field = std::get<NamespaceField>(target.node);
  auto* space = slot(field.slot).if_object<Namespace>(Object::Type::name_space);
  if (space == nullptr) return fail("'{}' is no namespace, so its attributes cannot be set", field.space->bytes);
  if (field.field->bytes.starts_with('_')) return fail("a namespace takes no name that begins with '_': {}", field.field->bytes);
  PUNA_TRY(render_.budget.spend(space->fields.size() / 4));
  PUNA_TRY(render_.budget.allocate(sizeof(Any)));
  space->set(field.field, std::move(value));
  return {};
}

// Before the value is computed, as Jinja does: what is no namespace is an error whatever the value.
Result<void> Interpreter::check_namespaces(const Expression& target) {
  if (const auto* tuple = std::get_if<TupleDisplay>(&target.node)) {
    for (const Expression* item : tuple->items) PUNA_TRY(check_namespaces(*item));
  } else if (const auto* field = std::get_if<NamespaceField>(&target.node)) {
    if (slot(field->slot).if_object<Namespace>(Object::Type::name_space) != nullptr) return {};
    return std::unexpected(Error{ErrorKind::invalid,
                                 fmt::format("'{}' is no namespace, so its attributes cannot be set", field->space->bytes),
                                 "Make one first: {% set x = namespace() %}."});
  }
  return {};
}

Result<Flow> Interpreter::run_set(const Set& node) {
  PUNA_TRY(check_namespaces(*node.target));
  PUNA_TRY(assign(*node.target, PUNA_TRY(evaluate(*node.value))));
  return Flow::normal;
}

Result<Any> Interpreter::block_text(TextBuilder& text, ExpressionPtr filter) {
  const Any captured = PUNA_TRY(make_string(render_.budget, text));
  if (filter == nullptr) return captured;
  const Any* outer = std::exchange(filter_input_, &captured);
  Result<Any> filtered = evaluate(*filter);
  filter_input_ = outer;
  return filtered;
}

// What a whole block turned into; unlike the value of an expression it is not made a string.
Result<void> Interpreter::append_block(const Any& value, std::string_view tag) {
  if (!value.is(Kind::text)) return fail("a {} block must come to a string, not to {}", tag, type_name(value));
  return append_text(render_.budget, out_, value);
}

Result<Flow> Interpreter::run_set_block(const SetBlock& node) {
  TextBuilder text;
  Interpreter inner(render_, activation_, text);
  PUNA_TRY(inner.enter(node.scope));
  const Flow flow = PUNA_TRY(inner.run(node.body));
  if (flow != Flow::normal) return flow;
  PUNA_TRY(assign(*node.target, PUNA_TRY(inner.block_text(text, node.filter))));
  leave(node.scope);
  return Flow::normal;
}

Result<Flow> Interpreter::run_filter_block(const FilterBlock& node) {
  TextBuilder text;
  Interpreter inner(render_, activation_, text);
  PUNA_TRY(inner.enter(node.scope));
  const Flow flow = PUNA_TRY(inner.run(node.body));
  if (flow != Flow::normal) return flow;
  PUNA_TRY(append_block(PUNA_TRY(inner.block_text(text, node.filter)), "filter"));
  leave(node.scope);
  return Flow::normal;
}

Result<Flow> Interpreter::run_with(const With& node) {
  PUNA_TRY(enter(node.scope));
  for (const auto& [target, value] : node.bindings) PUNA_TRY(assign(*target, PUNA_TRY(evaluate(*value))));
  const Flow flow = PUNA_TRY(run(node.body));
  leave(node.scope);
  return flow;
}

Result<Flow> Interpreter::run_macro(const MacroDefinition& node) {
  activation_.captured = true;
  slot(node.slot) = Any(static_cast<Object*>(PUNA_TRY(render_.make<Macro>(node.code, activation_))));
  return Flow::normal;
}

Result<Flow> Interpreter::run_call_block(const CallBlock& node) {
  activation_.captured = true;
  const Any caller(static_cast<Object*>(PUNA_TRY(render_.make<Macro>(node.caller, activation_))));
  PUNA_TRY(append_block(PUNA_TRY(evaluate_call(std::get<Call>(node.call->node), &caller)), "call"));
  return Flow::normal;
}

Result<Flow> Interpreter::run_generation(const Generation& node) {
  activation_.captured = true;
  Macro* content = PUNA_TRY(render_.make<Macro>(node.content, activation_));
  PUNA_TRY(append_text(render_.budget, out_, PUNA_TRY(call_macro(render_, *content, {}))));
  return Flow::normal;
}

Result<Flow> Interpreter::refuse(const Refusal& node, Position at) {
  render_.note_place(at);
  return std::unexpected(
      Error{ErrorKind::unsupported, fmt::format("'{}' needs other templates, and a chat template has none", node.tag), ""});
}

namespace {

// Binds a macro's arguments to its parameters; what is left over goes to kwargs and varargs where the body uses them.
Result<void> bind_macro(Render& render, const MacroCode& code, Arguments& arguments, std::vector<Any>& slots) {
  const std::size_t n = code.parameters.size();
  const std::size_t n_positional = std::min(arguments.positional.size(), n);
  bool found_caller = false;
  const auto take_named = [&](std::string_view name) {
    for (auto at = arguments.named.begin(); at != arguments.named.end(); ++at) {
      if (at->first->bytes != name) continue;
      Any value = std::move(at->second);
      arguments.named.erase(at);
      return value;
    }
    return Any();
  };
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_caller = code.parameters[i]->bytes == "caller";
    if (i < n_positional) {
      slots[code.parameter_slots[i]] = std::move(arguments.positional[i]);
      found_caller = found_caller || (is_caller && n_positional == n);
    } else {
      slots[code.parameter_slots[i]] = take_named(code.parameters[i]->bytes);
      found_caller = found_caller || is_caller;
    }
  }
  arguments.positional.erase(arguments.positional.begin(),
                             arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_positional));
  if (code.uses_caller && !found_caller) {
    static const TextRef kNoCaller = literal_text("there is no caller");
    const Any caller = take_named("caller");
    slots[code.caller_slot.index] =
        caller.is_missing() || caller.is_none() ? Any(Undefined{kNoCaller.get(), Undefined::Of::note}) : caller;
  }
  if (code.uses_kwargs) {
    std::vector<Dict::Entry> rest;
    for (auto& [name, value] : arguments.named) rest.emplace_back(name, std::move(value));
    slots[code.kwargs_slot.index] = PUNA_TRY(make_dict(render.budget, std::move(rest)));
  } else if (!arguments.named.empty()) {
    return fail("the macro takes no argument '{}'", arguments.named.front().first->bytes);
  }
  if (code.uses_varargs) {
    slots[code.varargs_slot.index] = PUNA_TRY(make_tuple(render.budget, std::move(arguments.positional)));
  } else if (!arguments.positional.empty()) {
    return fail("the macro takes at most {} arguments", n);
  }
  return {};
}

}  // namespace

Result<Any> Interpreter::call_macro(Render& render, Macro& macro, Arguments arguments) {
  const MacroCode& code = macro.code;
  TextBuilder text;
  const auto own = PUNA_TRY(render.activate(code.n_slots, &macro.closure));
  Result<void> bound = bind_macro(render, code, arguments, own->slots);
  if (!bound) {
    const std::string name = code.name != nullptr ? fmt::format("macro '{}'", code.name->bytes) : "caller";
    return std::unexpected(std::move(bound).error().within(name));
  }
  Interpreter interpreter(render, *own, text);
  PUNA_TRY(interpreter.enter(code.scope));
  const std::size_t first_default = code.parameters.size() - code.defaults.size();
  for (std::size_t i = 0; i < code.parameters.size(); ++i) {
    if (!own->slots[code.parameter_slots[i]].is_missing()) continue;
    own->slots[code.parameter_slots[i]] = i >= first_default ? PUNA_TRY(interpreter.evaluate(*code.defaults[i - first_default]))
                                              : Any(Undefined{code.parameters[i].get(), Undefined::Of::parameter});
  }
  PUNA_TRY(interpreter.run(code.body));
  return make_string(render.budget, text);
}

}  // namespace puna::text::jinja
