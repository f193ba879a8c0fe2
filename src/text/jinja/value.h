// The data of a template program, with Python's kinds and rules. Text, lists, tuples and dicts never change once made (the
// sandbox refuses every method that would change them) and are shared by count; what changes (namespaces, loops, macros,
// generators) is an Object, owned by the Render that made it, so that no cycle outlives a rendering.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "text/jinja/text.h"

namespace puna::text::jinja {

__extension__ using Integer = __int128;  // Python's are unbounded; beyond this an operation is an error

class Any;
class Render;
struct Builtin;  // a function of the language: range, namespace, raise_exception …
struct Sequence;
struct Dict;

struct Missing {};  // no value was passed or stored; only inside the interpreter
struct None {};
struct Undefined {
  enum class Of : std::uint8_t { variable, attribute, parameter, note, unsafe };
  const Text* name = nullptr;  // of the template (`note`: the whole sentence), so it lives as long as the program
  Of of = Of::variable;
};
struct ListRef {
  std::shared_ptr<const Sequence> data;
};
struct TupleRef {
  std::shared_ptr<const Sequence> data;
};
using DictRef = std::shared_ptr<const Dict>;
struct Range {
  std::int64_t start, stop, step;
  std::int64_t size() const;
};
struct RangeRef {
  std::shared_ptr<const Range> data;
};
enum class ViewOf : std::uint8_t { keys, values, items };
struct DictView {
  DictRef dict;
  ViewOf of;
};
struct Method;  // a method with the value it belongs to
using MethodRef = std::shared_ptr<const Method>;

struct Object {
  enum class Type : std::uint8_t { name_space, macro, loop, stream, cycler, joiner };
  explicit Object(Type t) : type(t) {}
  virtual ~Object() = default;
  virtual std::string label() const = 0;  // what it prints as
  const Type type;
};

enum class Kind : std::uint8_t {
  missing,
  undefined,
  none,
  boolean,
  integer,
  real,
  text,
  list,
  tuple,
  dict,
  range,
  view,
  method,
  builtin,
  object
};

class Any {
 public:
  Any() = default;
  Any(None) : data_(None{}) {}
  Any(Undefined value) : data_(value) {}
  Any(bool value) : data_(value) {}
  Any(Integer value) : data_(value) {}
  Any(int value) : data_(Integer{value}) {}
  Any(std::int64_t value) : data_(Integer{value}) {}
  Any(std::size_t value) : data_(static_cast<Integer>(value)) {}
  Any(double value) : data_(value) {}
  Any(TextRef value) : data_(std::move(value)) {}
  Any(ListRef value) : data_(std::move(value)) {}
  Any(TupleRef value) : data_(std::move(value)) {}
  Any(DictRef value) : data_(std::move(value)) {}
  Any(RangeRef value) : data_(std::move(value)) {}
  Any(DictView value) : data_(std::move(value)) {}
  Any(MethodRef value) : data_(std::move(value)) {}
  Any(const Builtin* value) : data_(value) {}
  Any(Object* value) : data_(value) {}

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind kind_) const { return kind() == kind_; }
  bool is_missing() const { return is(Kind::missing); }
  bool is_undefined() const { return is(Kind::undefined); }
  bool is_none() const { return is(Kind::none); }

  const Undefined& undefined() const { return *std::get_if<Undefined>(&data_); }
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const double* if_real() const { return std::get_if<double>(&data_); }
  const Text* if_text() const;
  const TextRef& text_ref() const { return *std::get_if<TextRef>(&data_); }
  const Sequence* if_list() const;
  const Sequence* if_tuple() const;
  const Sequence* if_sequence() const { return is(Kind::list) ? if_list() : if_tuple(); }
  const Dict* if_dict() const;
  const DictRef& dict_ref() const { return *std::get_if<DictRef>(&data_); }
  const Range* if_range() const;
  const DictView* if_view() const { return std::get_if<DictView>(&data_); }
  const Method* if_method() const;
  const Builtin* if_builtin() const;
  Object* if_object() const;
  template <class T>
  T* if_object(Object::Type type) const {
    Object* found = if_object();
    return found != nullptr && found->type == type ? static_cast<T*>(found) : nullptr;
  }
  std::optional<Integer> if_integer() const;  // of an integer or a boolean, which is one too
  std::optional<double> if_number() const;    // integer, boolean or real

  bool same_as(const Any& other) const;  // Python's `is`, as far as it can be told

 private:
  // in the order of Kind
  std::variant<Missing, Undefined, None, bool, Integer, double, TextRef, ListRef, TupleRef, DictRef, RangeRef, DictView,
               MethodRef, const Builtin*, Object*>
      data_;
};

struct Sequence {
  std::vector<Any> items;
  int depth = 1;          // of nesting; Render refuses what is too deep for the recursive walks
  bool is_group = false;  // a tuple of the groupby filter: its fields have names, grouper and list
};

// In order of insertion. A repeated key keeps its place and takes the last value.
struct Dict {
  using Entry = std::pair<Any, Any>;
  std::vector<Entry> entries;
  std::vector<std::pair<std::size_t, std::uint32_t>> index;  // (hash, entry) by hash, where there are many entries
  int depth = 1;
  const Any* find(std::string_view key) const;
};

struct Method {
  Any self;
  std::uint16_t id;  // see methods.h
};

struct Namespace : Object {
  Namespace() : Object(Type::name_space) {}
  std::vector<std::pair<TextRef, Any>> fields;
  const Any* find(std::string_view name) const;
  void set(const TextRef& name, Any value);
  std::string label() const override { return "<Namespace>"; }
};

// A sequence that is made while it is read, once: what the filters map, select, unique … return.
struct Stream : Object {
  using Next = std::function<Result<std::optional<Any>>(Render&)>;
  explicit Stream(Next next_) : Object(Type::stream), next(std::move(next_)) {}
  std::string label() const override { return "<generator object>"; }
  Next next;
};

struct Cycler : Object {
  Cycler() : Object(Type::cycler) {}
  std::string label() const override { return "<Cycler object>"; }
  std::vector<Any> items;
  std::size_t position = 0;
};

struct Joiner : Object {
  Joiner() : Object(Type::joiner) {}
  std::string label() const override { return "<Joiner object>"; }
  Any separator;
  bool used = false;
};

struct Arguments {
  std::vector<Any> positional;
  std::vector<std::pair<TextRef, Any>> named;
};

// What a rendering may still use. Every operation that grows with its input pays here first.
struct Budget {
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;
  Result<void> spend(std::uint64_t n_steps = 1);
  Result<void> allocate(std::uint64_t n_bytes);  // and the steps to fill them
};

bool truth(const Any& value);
std::string_view type_name(const Any& value);      // Python's: str, int, NoneType …
std::string describe_undefined(const Any& value);  // "'x' is undefined"

Result<bool> equals(Budget& budget, const Any& a, const Any& b);
// Python's hash: equal values, equal hashes. Error: an unhashable type.
Result<std::size_t> hash_of(Budget& budget, const Any& value);
Result<const Any*> find_key(Budget& budget, const Dict& dict, const Any& key);  // null where it is not in
// a < b. Error: types without an order.
Result<bool> less(Budget& budget, const Any& a, const Any& b);
// The indices of `keys` in the order of a stable sort.
Result<std::vector<std::size_t>> sorted_order(Budget& budget, const std::vector<Any>& keys, bool descending);

Result<Any> make_list(Budget& budget, std::vector<Any> items);
Result<Any> make_tuple(Budget& budget, std::vector<Any> items, bool is_group = false);
Result<Any> make_dict(Budget& budget, std::vector<Dict::Entry> entries);
Result<Any> make_string(Budget& budget, Text text);
Result<Any> make_string(Budget& budget, TextBuilder& builder, bool markup = false);
// JSON data as the program sees it; its strings are the user's.
Result<Any> from_json(Budget& budget, const Value& value);

}  // namespace puna::text::jinja
