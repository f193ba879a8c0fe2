// One rendering of a program: what it may use, the objects it makes, and the services that filters, tests and methods need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/value.h"

namespace puna::text::jinja {

// The variables of one run of a function (the template, a macro, a call block, a recursive loop).
struct Activation {
  Activation* outer = nullptr;  // of the function around its code
  std::vector<Any> slots;
  bool captured = false;  // a macro made in here may outlive the run
};

struct Macro : Object {
  Macro(const MacroCode& code_, Activation& closure_) : Object(Type::macro), code(code_), closure(closure_) {}
  std::string label() const override;
  const MacroCode& code;
  Activation& closure;
};

// Reads a value's items, one after the other.
class Iterator {
 public:
  // Error: not iterable.
  static Result<Iterator> over(const Any& value);
  explicit Iterator(Stream::Next next) : stream_(std::move(next)) {}
  Result<std::optional<Any>> next(Render& render);
  std::optional<std::size_t> length() const { return length_; }  // where it is known beforehand

 private:
  Iterator() = default;
  Any source_;
  std::size_t position_ = 0;
  std::optional<std::size_t> length_;
  Stream::Next stream_;
};

// The variable `loop`. Looks one item ahead only when asked whether there is one.
struct Loop : Object {
  explicit Loop(Iterator items_) : Object(Type::loop), items(std::move(items_)) {}
  std::string label() const override;
  Result<bool> advance(Render& render);  // to the next item; false at the end
  Result<std::size_t> length(Render& render);
  Result<bool> has_next(Render& render);

  Iterator items;
  std::int64_t index0 = -1;
  std::int64_t depth0 = 0;
  std::optional<Any> previous, current, after;
  bool exhausted = false;
  std::optional<std::size_t> known_length;
  std::optional<Any> last_changed;  // what changed() was called with, as a tuple
  const For* recursive = nullptr;   // where the loop may call itself
  Activation* closure = nullptr;
};

class Render;

// An activation for as long as its function runs.
class ActivationHandle {
 public:
  ActivationHandle(Render& render, std::unique_ptr<Activation> activation)
      : render_(&render), activation_(std::move(activation)) {}
  ActivationHandle(ActivationHandle&&) = default;
  ActivationHandle& operator=(ActivationHandle&&) = delete;
  ~ActivationHandle();
  Activation& operator*() const { return *activation_; }
  Activation* operator->() const { return activation_.get(); }

 private:
  Render* render_;
  std::unique_ptr<Activation> activation_;
};

class Render {
 public:
  struct Setup {
    Budget budget;
    std::vector<std::pair<std::string_view, Any>> variables;
    std::optional<std::int64_t> now;  // unix seconds, shown in UTC; otherwise the clock, local time
    std::string name;                 // of the template, for errors
  };
  Render(const Program& program, Setup setup);
  ~Render();
  Render(const Render&) = delete;
  Render& operator=(const Render&) = delete;

  // Errors: what the template raised, in its own words; anything else with the template's name, line and column.
  Result<Text> run();

  Budget budget;
  std::optional<std::int64_t> now() const { return now_; }

  // An object that lives as long as this rendering.
  template <class T, class... Args>
  Result<T*> make(Args&&... args) {
    PUNA_TRY(budget.allocate(sizeof(T) + 64));
    auto made = std::make_unique<T>(std::forward<Args>(args)...);
    T* object = made.get();
    objects_.push_back(std::move(made));
    return object;
  }
  Result<Any> make_stream(Stream::Next next);

  Result<Any> call(const Any& callee, Arguments arguments);
  // What the template itself raises: reported in its own words, without a place.
  std::unexpected<Error> raise(std::string_view sentence);
  // Holds for one level of recursion through values and code; check it before going on.
  class Level;
  Result<void> check_level() const;
  // Where an operation failed: the first call counts, which is the innermost place.
  void note_place(Position at) {
    if (!place_) place_ = at;
  }

  Any variable(std::string_view name) const;  // of the rendering, or a function of the language; missing where there is none
  Result<ActivationHandle> activate(std::uint32_t n_slots, Activation* outer);

 private:
  friend class ActivationHandle;
  const Program& program_;
  std::vector<std::pair<std::string_view, Any>> variables_;
  std::optional<std::int64_t> now_;
  std::string name_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<std::unique_ptr<Activation>> kept_;
  std::vector<std::unique_ptr<Activation>> spare_;
  std::optional<Position> place_;
  int level_ = 0;
  bool raised_ = false;
};

class Render::Level {
 public:
  explicit Level(Render& render) : render_(render) { ++render_.level_; }
  ~Level() { --render_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Render& render_;
};

Result<std::vector<Any>> collect(Render& render, const Any& value);  // list(value)
Result<std::size_t> length_of(Render& render, const Any& value);     // len(value)
Result<bool> contains(Render& render, const Any& container, const Any& item);

// value.name and value[name]: attribute first or item first; an undefined value where there is neither.
Result<Any> get_attribute(Render& render, const Any& value, const TextRef& name);
Result<Any> get_item(Render& render, const Any& value, const Any& key);
Result<Any> get_slice(Render& render, const Any& value, const Any& start, const Any& stop, const Any& step);
bool can_slice(const Any& value, const Any& start, const Any& stop, const Any& step);
// The attribute alone, without a look at the items. Missing where there is none.
Result<Any> find_attribute(Render& render, const Any& value, const TextRef& name);

Result<Any> binary(Render& render, BinaryOp op, const Any& left, const Any& right);  // all but `and` and `or`
Result<Any> unary(Render& render, UnaryOp op, const Any& operand);

std::unexpected<Error> undefined_error(const Any& value);

}  // namespace puna::text::jinja
