// Where variables live. Jinja decides this before anything runs: each scope (a loop's body, a macro, a block that captures)
// has its own variables for the names it stores; a name that no scope around stores is looked up in the variables of the
// rendering once, when the scope is entered. An `if` is no scope, but what only one of its branches stores still shows the
// outer value in the other.
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "text/jinja/ast_walk.h"

namespace puna::text::jinja {
namespace {

constexpr std::size_t kMaxWork = 4'000'000;  // entries copied or visited; real templates need some ten thousand

struct Function {
  std::uint32_t depth = 0;
  std::uint32_t n_slots = 0;
};

struct Address {
  const Function* function;
  std::uint32_t index;
};

// The names a scope refers to, as far as its statements have been read.
struct Symbol {
  std::uint32_t index = 0;
  enum class Load { parameter, context, copy, clear } load = Load::clear;
  std::optional<Address> from = std::nullopt;
  bool stored = false;
  TextRef name;
};
using Symbols = std::map<std::string_view, Symbol>;

struct Frame {
  Frame(Frame* parent_, Function& function_) : parent(parent_), function(function_) {}
  Frame* parent;
  Function& function;
  Symbols symbols;
  std::map<std::string_view, std::uint32_t> slots;  // one per name, whichever branch meets it first

  std::uint32_t slot_for(std::string_view name) {
    const auto [at, is_new] = slots.try_emplace(name, function.n_slots);
    if (is_new) ++function.n_slots;
    return at->second;
  }
  std::optional<Address> find(std::string_view name) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->parent) {
      const auto found = frame->symbols.find(name);
      if (found != frame->symbols.end()) return Address{&frame->function, found->second.index};
    }
    return std::nullopt;
  }
  std::optional<Address> find_outside(std::string_view name) const {
    return parent != nullptr ? parent->find(name) : std::nullopt;
  }
};

// Whether a body reads the name before it stores it, nested bodies included: decides whether a macro has `caller` …
class ReadsName {
 public:
  explicit ReadsName(std::string_view name) : name_(name) {}
  bool in(const Body& body) {
    for (const Statement& statement : body) std::visit(*this, statement.node);
    return answer_.value_or(false);
  }

  void operator()(const Output& output) {
    for (ExpressionPtr part : output.parts) look(part, false);
  }
  void operator()(const If& node) {
    for (const auto& [test, body] : node.branches) {
      look(test, false);
      in(body);
    }
    in(node.otherwise);
  }
  void operator()(const For& node) {
    look(node.target, true);
    look(node.iterable, false);
    in(node.body);
    in(node.otherwise);
    look(node.test, false);
  }
  void operator()(const Set& node) {
    look(node.target, true);
    look(node.value, false);
  }
  void operator()(const SetBlock& node) {
    look(node.target, true);
    look(node.filter, false);
    in(node.body);
  }
  void operator()(const MacroDefinition& node) { in_code(node.code); }
  void operator()(const CallBlock& node) {
    look(node.call, false);
    in_code(node.caller);
  }
  void operator()(const Generation& node) { in_code(node.content); }
  void operator()(const FilterBlock& node) {
    in(node.body);
    look(node.filter, false);
  }
  void operator()(const With& node) {
    for (const auto& [target, value] : node.bindings) look(target, true);
    for (const auto& [target, value] : node.bindings) look(value, false);
    in(node.body);
  }
  void operator()(const Break&) {}
  void operator()(const Continue&) {}
  void operator()(const Refusal&) {}

 private:
  void in_code(const MacroCode& code) {
    for (const TextRef& parameter : code.parameters) {
      if (parameter->bytes == name_ && !answer_) answer_ = false;
    }
    for (ExpressionPtr value : code.defaults) look(value, false);
    in(code.body);
  }
  void look(ExpressionPtr expression, bool stores) {
    if (expression == nullptr || answer_) return;
    if (const auto* name = std::get_if<Name>(&expression->node)) {
      if (name->name->bytes == name_) answer_ = !stores;
      return;
    }
    for_each_child(*expression, [&](Expression& child) { look(&child, stores); });
  }

  std::string_view name_;
  std::optional<bool> answer_;
};

class Resolver {
 public:
  Result<RootScope> run(Body& body) {
    Function function;
    Frame root(nullptr, function);
    PUNA_TRY(read(root, body));
    PUNA_TRY(resolve(root, body, false));
    return RootScope{scope_of(root), function.n_slots};
  }

 private:
  Result<void> spend(std::size_t work) {
    work_ += work;
    if (work_ > kMaxWork) return fail("the template is too large and too deeply nested to be read");
    return {};
  }

  // First pass over one scope: which names it loads and stores. It stops where inner scopes begin.
  static void load(Frame& frame, const TextRef& name) {
    if (frame.find(name->bytes)) return;
    frame.symbols[name->bytes] = {.index = frame.slot_for(name->bytes), .load = Symbol::Load::context, .name = name};
  }
  static void store(Frame& frame, const TextRef& name) {
    const auto [at, is_new] = frame.symbols.try_emplace(name->bytes);
    Symbol& symbol = at->second;
    symbol.stored = true;
    if (!is_new) return;
    symbol.index = frame.slot_for(name->bytes);
    symbol.name = name;
    symbol.from = frame.find_outside(name->bytes);
    symbol.load = symbol.from ? Symbol::Load::copy : Symbol::Load::clear;
  }
  static std::uint32_t declare(Frame& frame, const TextRef& name) {
    const std::uint32_t index = frame.slot_for(name->bytes);
    frame.symbols[name->bytes] = {.index = index, .load = Symbol::Load::parameter, .stored = true, .name = name};
    return index;
  }

  enum class Use { load, store, parameter };
  Result<void> read(Frame& frame, Expression* expression, Use use = Use::load) {
    if (expression == nullptr) return {};
    PUNA_TRY(spend(1));
    if (const auto* name = std::get_if<Name>(&expression->node)) {
      if (use == Use::load) load(frame, name->name);
      if (use == Use::store) store(frame, name->name);
      if (use == Use::parameter) declare(frame, name->name);
    } else if (const auto* field = std::get_if<NamespaceField>(&expression->node)) {
      load(frame, field->space);
    } else {
      Result<void> trouble;
      for_each_child(*expression, [&](Expression& child) {
        if (trouble) trouble = read(frame, &child, use);
      });
      return trouble;
    }
    return {};
  }

  Result<void> read(Frame& frame, Body& body) {
    for (Statement& statement : body) PUNA_TRY(read(frame, statement));
    return {};
  }

  Result<void> read(Frame& frame, Statement& statement) {
    if (auto* output = std::get_if<Output>(&statement.node)) {
      for (ExpressionPtr part : output->parts) PUNA_TRY(read(frame, part));
    } else if (auto* branches = std::get_if<If>(&statement.node)) {
      return read_if(frame, *branches);
    } else if (auto* loop = std::get_if<For>(&statement.node)) {
      return read(frame, loop->iterable);
    } else if (auto* set = std::get_if<Set>(&statement.node)) {
      PUNA_TRY(read(frame, set->value));
      return read(frame, set->target, Use::store);
    } else if (auto* block = std::get_if<SetBlock>(&statement.node)) {
      return read(frame, block->target, Use::store);
    } else if (auto* macro = std::get_if<MacroDefinition>(&statement.node)) {
      store(frame, macro->code.name);
    } else if (auto* call = std::get_if<CallBlock>(&statement.node)) {
      return read(frame, call->call);
    } else if (auto* filter = std::get_if<FilterBlock>(&statement.node)) {
      return read(frame, filter->filter);
    } else if (auto* with = std::get_if<With>(&statement.node)) {
      for (auto& [target, value] : with->bindings) PUNA_TRY(read(frame, value));
    }
    return {};
  }

  // All branches of an `if`: each is read from the same start, then joined.
  Result<void> read_if(Frame& frame, If& node) {
    PUNA_TRY(read(frame, node.branches.front().first));
    const Symbols before = frame.symbols;
    std::vector<Symbols> after;
    PUNA_TRY(read(frame, node.branches.front().second));
    after.push_back(std::exchange(frame.symbols, before));
    for (std::size_t i = 1; i < node.branches.size(); ++i) PUNA_TRY(read_elif(frame, node.branches[i]));
    after.push_back(std::exchange(frame.symbols, before));
    PUNA_TRY(read(frame, node.otherwise));
    after.push_back(std::exchange(frame.symbols, before));
    return join(frame, after);
  }

  // To Jinja each elif is an `if` of its own inside the first one's middle branch.
  Result<void> read_elif(Frame& frame, std::pair<ExpressionPtr, Body>& branch) {
    PUNA_TRY(read(frame, branch.first));
    const Symbols before = frame.symbols;
    PUNA_TRY(read(frame, branch.second));
    std::vector<Symbols> after;
    after.push_back(std::exchange(frame.symbols, before));
    return join(frame, after);
  }

  Result<void> join(Frame& frame, const std::vector<Symbols>& branches) {
    std::map<std::string_view, bool> stored;  // name → by a branch alone
    for (const Symbols& branch : branches) {
      PUNA_TRY(spend(2 * branch.size()));
      for (const auto& [name, symbol] : branch) {
        if (!symbol.stored) continue;
        const auto own = frame.symbols.find(name);
        if (own == frame.symbols.end() || !own->second.stored) stored[name] = true;
      }
    }
    for (const Symbols& branch : branches) {
      for (const auto& [name, symbol] : branch) {
        Symbol& own = frame.symbols[name];
        const bool was_stored = own.stored;
        own = symbol;
        own.stored = symbol.stored || was_stored;
      }
    }
    for (const auto& [name, only_branch] : stored) {
      Symbol& own = frame.symbols[name];
      own.from = frame.find_outside(name);
      own.load = own.from ? Symbol::Load::copy : Symbol::Load::context;
    }
    return {};
  }

  // What the finished frame does on entry.
  static Scope scope_of(const Frame& frame) {
    Scope scope;
    for (const auto& [name, symbol] : frame.symbols) {
      SlotLoad load{.how = SlotLoad::How::clear, .index = symbol.index, .name = symbol.name, .from = {}};
      if (symbol.load == Symbol::Load::parameter) {
        scope.parameters.push_back(symbol.index);
        continue;
      }
      if (symbol.load == Symbol::Load::context) load.how = SlotLoad::How::context;
      if (symbol.load == Symbol::Load::copy) {
        load.how = SlotLoad::How::copy;
        load.from = slot_from(frame, *symbol.from);
      }
      scope.loads.push_back(std::move(load));
    }
    return scope;
  }
  static Slot slot_from(const Frame& frame, const Address& address) {
    return {frame.function.depth - address.function->depth, address.index};
  }

  // Jinja drops the operands behind one that decides a constant `and`, `or` or comparison before it looks into them. How
  // many it looks into for certain.
  static std::size_t n_compiled(const Expression& expression) {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    if (const auto* binary = std::get_if<Binary>(&expression.node)) {
      const bool is_logical = binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or;
      return is_logical && binary->left->may_be_constant ? 1 : kAll;
    }
    const auto* comparison = std::get_if<Comparison>(&expression.node);
    return comparison != nullptr && comparison->first->may_be_constant ? 2 : kAll;
  }

  // Second pass: every name gets its slot, every inner scope its turn. `soft`: inside an if, where a filter or test that
  // does not exist matters only once it is reached.
  Result<void> resolve(Frame& frame, Expression* expression, bool soft) {
    if (expression == nullptr) return {};
    if (auto* name = std::get_if<Name>(&expression->node)) {
      const auto address = frame.find(name->name->bytes);
      if (!address) return fail_at(expression->at, fmt::format("the variable '{}' cannot be resolved here", name->name->bytes));
      name->slot = slot_from(frame, *address);
    } else if (auto* field = std::get_if<NamespaceField>(&expression->node)) {
      const auto address = frame.find(field->space->bytes);
      if (!address) return fail_at(expression->at, fmt::format("the variable '{}' cannot be resolved here", field->space->bytes));
      field->slot = slot_from(frame, *address);
    } else if (auto* filter = std::get_if<FilterCall>(&expression->node);
               filter != nullptr && filter->filter == nullptr && !soft) {
      return fail_at(expression->at, fmt::format("there is no filter '{}'", filter->name->bytes));
    } else if (auto* test = std::get_if<TestCall>(&expression->node); test != nullptr && test->test == nullptr && !soft) {
      return fail_at(expression->at, fmt::format("there is no test '{}'", test->name->bytes));
    }
    const std::size_t n_known = n_compiled(*expression);
    std::size_t n_seen = 0;
    const bool inner_soft = soft || std::holds_alternative<Conditional>(expression->node);
    Result<void> trouble;
    for_each_child(*expression, [&](Expression& child) {
      if (trouble) trouble = resolve(frame, &child, inner_soft || n_seen >= n_known);
      ++n_seen;
    });
    return trouble;
  }

  Result<void> resolve(Frame& frame, Body& body, bool soft) {
    for (Statement& statement : body) PUNA_TRY(resolve(frame, statement, soft));
    return {};
  }

  Result<void> resolve(Frame& frame, Statement& statement, bool soft) {
    if (auto* output = std::get_if<Output>(&statement.node)) {
      for (ExpressionPtr part : output->parts) PUNA_TRY(resolve(frame, part, soft));
    } else if (auto* branches = std::get_if<If>(&statement.node)) {
      for (auto& [test, body] : branches->branches) {
        PUNA_TRY(resolve(frame, test, true));
        PUNA_TRY(resolve(frame, body, true));
      }
      return resolve(frame, branches->otherwise, true);
    } else if (auto* loop = std::get_if<For>(&statement.node)) {
      return resolve_for(frame, *loop, soft);
    } else if (auto* set = std::get_if<Set>(&statement.node)) {
      PUNA_TRY(check_loop_target(*set->target));
      PUNA_TRY(resolve(frame, set->target, soft));
      return resolve(frame, set->value, soft);
    } else if (auto* block = std::get_if<SetBlock>(&statement.node)) {
      PUNA_TRY(check_loop_target(*block->target));
      return resolve_set_block(frame, *block, soft);
    } else if (auto* macro = std::get_if<MacroDefinition>(&statement.node)) {
      macro->slot = slot_from(frame, *frame.find(macro->code.name->bytes));
      return resolve_code(frame, macro->code);
    } else if (auto* call = std::get_if<CallBlock>(&statement.node)) {
      PUNA_TRY(resolve_code(frame, call->caller));
      return resolve(frame, call->call, soft);
    } else if (auto* generation = std::get_if<Generation>(&statement.node)) {
      return resolve_code(frame, generation->content);
    } else if (auto* filter = std::get_if<FilterBlock>(&statement.node)) {
      Frame inner(&frame, frame.function);
      PUNA_TRY(read(inner, filter->body));
      PUNA_TRY(read(inner, filter->filter));
      PUNA_TRY(resolve(inner, filter->body, false));
      PUNA_TRY(resolve(inner, filter->filter, false));
      filter->scope = scope_of(inner);
    } else if (auto* with = std::get_if<With>(&statement.node)) {
      return resolve_with(frame, *with, soft);
    }
    return {};
  }

  Result<void> check_loop_target(const Expression& target) {
    if (loops_ == 0) return {};
    if (const auto* name = std::get_if<Name>(&target.node); name != nullptr && name->name->bytes == "loop") {
      return fail_at(target.at, "'loop' cannot be assigned inside a for loop");
    }
    if (const auto* tuple = std::get_if<TupleDisplay>(&target.node)) {
      for (const Expression* item : tuple->items) PUNA_TRY(check_loop_target(*item));
    }
    return {};
  }

  Result<void> resolve_for(Frame& frame, For& loop, bool soft) {
    ++loops_;
    PUNA_TRY(check_loop_target(*loop.target));
    PUNA_TRY(resolve(frame, loop.iterable, soft));
    if (loop.test != nullptr) {
      Frame test(&frame, frame.function);
      PUNA_TRY(read(test, loop.test_target, Use::parameter));
      PUNA_TRY(read(test, loop.test));
      PUNA_TRY(resolve(test, loop.test_target, false));
      PUNA_TRY(resolve(test, loop.test, false));
      loop.test_scope = scope_of(test);
    }
    Function own{.depth = frame.function.depth + 1};
    Function& function = loop.recursive ? own : frame.function;
    Frame body(&frame, function);
    const TextRef loop_name = literal_text("loop");
    if (loop.recursive || ReadsName("loop").in(loop.body)) declare(body, loop_name);
    PUNA_TRY(spend(1 + loop.body.size()));
    PUNA_TRY(read(body, loop.target, Use::parameter));
    PUNA_TRY(read(body, loop.body));
    Frame otherwise(&frame, function);
    PUNA_TRY(read(otherwise, loop.otherwise));
    PUNA_TRY(resolve(body, loop.target, false));
    PUNA_TRY(resolve(body, loop.body, false));
    PUNA_TRY(resolve(otherwise, loop.otherwise, false));
    loop.loop_slot = {0, body.slot_for(loop_name->bytes)};
    loop.body_scope = scope_of(body);
    loop.otherwise_scope = scope_of(otherwise);
    loop.n_slots = own.n_slots;
    --loops_;
    return {};
  }

  Result<void> resolve_set_block(Frame& frame, SetBlock& block, bool soft) {
    Frame inner(&frame, frame.function);
    PUNA_TRY(read(inner, block.body));
    PUNA_TRY(read(inner, block.filter));  // Jinja forgets to, and fails on names that occur nowhere else
    PUNA_TRY(resolve(inner, block.body, false));
    PUNA_TRY(resolve(inner, block.filter, false));
    PUNA_TRY(resolve(frame, block.target, soft));
    block.scope = scope_of(inner);
    return {};
  }

  Result<void> resolve_with(Frame& frame, With& with, bool soft) {
    Frame inner(&frame, frame.function);
    for (auto& [target, value] : with.bindings) PUNA_TRY(read(inner, target, Use::parameter));
    PUNA_TRY(read(inner, with.body));
    for (auto& [target, value] : with.bindings) {
      PUNA_TRY(resolve(inner, target, false));
      PUNA_TRY(resolve(frame, value, soft));
    }
    PUNA_TRY(resolve(inner, with.body, false));
    with.scope = scope_of(inner);
    return {};
  }

  Result<void> resolve_code(Frame& frame, MacroCode& code) {
    Function function{.depth = frame.function.depth + 1};
    Frame inner(&frame, function);
    std::set<std::string_view> names;
    for (const TextRef& parameter : code.parameters) {
      if (!names.insert(parameter->bytes).second) return fail("the parameter '{}' of a macro is there twice", parameter->bytes);
      code.parameter_slots.push_back(declare(inner, parameter));
    }
    const auto special = [&](const char* name, bool& uses, Slot& slot) {
      if (!ReadsName(name).in(code.body) || names.contains(name)) return;
      uses = true;
      slot = {0, declare(inner, literal_text(name))};
    };
    if (names.contains("caller") && ReadsName("caller").in(code.body)) PUNA_TRY(check_explicit_caller(code));
    special("caller", code.uses_caller, code.caller_slot);
    special("kwargs", code.uses_kwargs, code.kwargs_slot);
    special("varargs", code.uses_varargs, code.varargs_slot);
    PUNA_TRY(spend(3 * (1 + code.body.size())));
    for (ExpressionPtr value : code.defaults) PUNA_TRY(read(inner, value));
    PUNA_TRY(read(inner, code.body));
    for (ExpressionPtr value : code.defaults) PUNA_TRY(resolve(inner, value, false));
    PUNA_TRY(resolve(inner, code.body, false));
    code.scope = scope_of(inner);
    code.n_slots = function.n_slots;
    return {};
  }

  static Result<void> check_explicit_caller(MacroCode& code) {
    const std::size_t first_default = code.parameters.size() - code.defaults.size();
    for (std::size_t i = 0; i < first_default; ++i) {
      if (code.parameters[i]->bytes == "caller") return fail("the parameter 'caller' of a macro needs a default");
    }
    return {};
  }

  std::size_t work_ = 0;
  int loops_ = 0;
};

}  // namespace

Result<RootScope> resolve_names(Body& body) { return Resolver().run(body); }

}  // namespace puna::text::jinja
