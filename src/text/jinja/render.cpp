#include "text/jinja/render.h"

#include "text/jinja/globals.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/methods.h"

namespace puna::text::jinja {
namespace {

constexpr int kMaxLevel = 256;  // expressions in statements in macros …: each costs some hundred bytes of stack

}  // namespace

Render::Render(const Program& program, Setup setup)
    : budget(setup.budget),
      program_(program),
      variables_(std::move(setup.variables)),
      now_(setup.now),
      name_(std::move(setup.name)) {}

Render::~Render() = default;

Result<void> Render::check_level() const {
  if (level_ <= kMaxLevel) return {};
  return std::unexpected(Error{ErrorKind::invalid, "the template goes too deep", "A macro in it may call itself without end."});
}

Any Render::variable(std::string_view name) const {
  for (const auto& [known, value] : variables_) {
    if (known == name) return value;
  }
  const Any* global = find_global(name);
  return global != nullptr ? *global : Any();
}

Result<ActivationHandle> Render::activate(std::uint32_t n_slots, Activation* outer) {
  PUNA_TRY(budget.allocate(sizeof(Activation) + n_slots * sizeof(Any)));
  std::unique_ptr<Activation> activation;
  if (spare_.empty()) {
    activation = std::make_unique<Activation>();
  } else {
    activation = std::move(spare_.back());
    spare_.pop_back();
  }
  activation->outer = outer;
  activation->slots.assign(n_slots, Any());
  return ActivationHandle(*this, std::move(activation));
}

// A macro that was made in it may still be called, so it stays; otherwise the next run of some function uses it again.
ActivationHandle::~ActivationHandle() {
  if (activation_ == nullptr) return;
  if (activation_->captured) {
    render_->kept_.push_back(std::move(activation_));
  } else {
    activation_->slots.clear();
    render_->spare_.push_back(std::move(activation_));
  }
}

Result<Any> Render::make_stream(Stream::Next next) { return Any(static_cast<Object*>(PUNA_TRY(make<Stream>(std::move(next))))); }

std::unexpected<Error> Render::raise(std::string_view sentence) {
  raised_ = true;
  return std::unexpected(Error{ErrorKind::invalid, std::string(sentence), ""});
}

Result<Any> Render::call(const Any& callee, Arguments arguments) {
  const Level level(*this);
  PUNA_TRY(check_level());
  PUNA_TRY(budget.spend(4));
  if (const Method* method = callee.if_method()) return call_method(*this, *method, std::move(arguments));
  if (const Builtin* builtin = callee.if_builtin()) return builtin->run(*this, std::move(arguments));
  if (auto* macro = callee.if_object<Macro>(Object::Type::macro))
    return Interpreter::call_macro(*this, *macro, std::move(arguments));
  if (auto* joiner = callee.if_object<Joiner>(Object::Type::joiner)) {
    if (std::exchange(joiner->used, true)) return joiner->separator;
    return Any(literal_text(""));
  }
  if (auto* loop = callee.if_object<Loop>(Object::Type::loop)) {
    if (arguments.positional.size() != 1 || !arguments.named.empty())
      return fail("a loop is called with the items to go through");
    return Interpreter::call_loop(*this, *loop, arguments.positional.front());
  }
  if (callee.is_undefined()) return undefined_error(callee);
  return fail("a value of type {} cannot be called", type_name(callee));
}

Result<Text> Render::run() {
  TextBuilder out;
  auto activation = PUNA_TRY(activate(program_.n_slots(), nullptr));
  Interpreter interpreter(*this, *activation, out);
  Result<void> entered = interpreter.enter(program_.scope());
  Result<Flow> flow = entered ? interpreter.run(program_.body()) : Result<Flow>(std::unexpected(entered.error()));
  if (flow) return out.take();
  Error trouble = std::move(flow).error();
  if (raised_) return std::unexpected(std::move(trouble));
  const Position at = place_.value_or(Position());
  return std::unexpected(std::move(trouble).within(fmt::format("{}: line {}, column {}", name_, at.line, at.column)));
}

}  // namespace puna::text::jinja
