// value.name, value[key] and value[a:b:c], as the sandboxed environment answers them.
#include <algorithm>
#include <array>
#include <limits>

#include "text/jinja/methods.h"

namespace puna::text::jinja {
namespace {

Any undefined_attribute(const TextRef& name) { return Any(Undefined{name.get(), Undefined::Of::attribute}); }

Result<Any> loop_attribute(Render& render, Loop& loop, std::string_view name) {
  static const TextRef kNoPrevious = literal_text("there is no previous item");
  static const TextRef kNoNext = literal_text("there is no next item");
  if (name == "index") return Any(loop.index0 + 1);
  if (name == "index0") return Any(loop.index0);
  if (name == "first") return Any(loop.index0 == 0);
  if (name == "last") return Any(!PUNA_TRY(loop.has_next(render)));
  if (name == "length") return Any(PUNA_TRY(loop.length(render)));
  if (name == "revindex") return Any(static_cast<std::int64_t>(PUNA_TRY(loop.length(render))) - loop.index0);
  if (name == "revindex0") return Any(static_cast<std::int64_t>(PUNA_TRY(loop.length(render))) - loop.index0 - 1);
  if (name == "depth") return Any(loop.depth0 + 1);
  if (name == "depth0") return Any(loop.depth0);
  if (name == "previtem") {
    return loop.index0 > 0 && loop.previous ? *loop.previous : Any(Undefined{kNoPrevious.get(), Undefined::Of::note});
  }
  if (name == "nextitem") {
    return PUNA_TRY(loop.has_next(render))
    ? *loop.after : Any(Undefined{kNoNext.get(), Undefined::Of::note});
  }
  return Any();
}

Result<Any> macro_attribute(Render& render, const Macro& macro, std::string_view name) {
  if (name == "name") return macro.code.name != nullptr ? Any(macro.code.name) : Any(None{});
  if (name == "catch_kwargs") return Any(macro.code.uses_kwargs);
  if (name == "catch_varargs") return Any(macro.code.uses_varargs);
  if (name == "caller") return Any(macro.code.uses_caller);
  if (name != "arguments") return Any();
  std::vector<Any> names(macro.code.parameters.begin(), macro.code.parameters.end());
  return make_tuple(render.budget, std::move(names));
}

Result<Any> object_attribute(Render& render, Object& object, std::string_view name) {
  switch (object.type) {
    case Object::Type::loop:
      return loop_attribute(render, static_cast<Loop&>(object), name);
    case Object::Type::macro:
      return macro_attribute(render, static_cast<Macro&>(object), name);
    case Object::Type::name_space: {
      const Any* found = static_cast<Namespace&>(object).find(name);
      return found != nullptr ? *found : Any();
    }
    case Object::Type::cycler: {
      const auto& cycler = static_cast<Cycler&>(object);
      if (name == "current") return cycler.items[cycler.position];
      if (name == "pos") return Any(cycler.position);
      return name == "items" ? make_tuple(render.budget, cycler.items) : Result<Any>(Any());
    }
    case Object::Type::joiner: {
      const auto& joiner = static_cast<Joiner&>(object);
      if (name == "sep") return joiner.separator;
      return name == "used" ? Any(joiner.used) : Any();
    }
    case Object::Type::stream:
      return Any();
  }
  return Any();
}

// The item at `key`, or missing where Python raises TypeError or LookupError.
Result<Any> find_item(Render& render, const Any& value, const Any& key) {
  if (const Dict* dict = value.if_dict()) {
    const Result<const Any*> found = find_key(render.budget, *dict, key);
    if (!found) return render.budget.steps == 0 ? Result<Any>(std::unexpected(found.error())) : Result<Any>(Any());
    return *found != nullptr ? **found : Any();
  }
  const auto number = key.if_integer();
  if (!number) return Any();
  const auto pick = [&](std::size_t size) -> std::optional<std::size_t> {
    const Integer n = static_cast<Integer>(size);
    const Integer index = *number < 0 ? *number + n : *number;
    if (index < 0 || index >= n) return std::nullopt;
    return static_cast<std::size_t>(index);
  };
  if (const Sequence* sequence = value.if_sequence()) {
    const auto index = pick(sequence->items.size());
    return index ? sequence->items[*index] : Any();
  }
  if (const Text* text = value.if_text()) {
    const auto index = pick(text->n_chars);
    if (!index) return Any();
    if (!text->is_ascii()) PUNA_TRY(render.budget.spend(*index / 16));
    const std::size_t begin = byte_offset(*text, *index);
    return make_string(render.budget, Text(*slice_text(*text, {begin, char_end(text->bytes, begin)})));
  }
  if (const Range* range = value.if_range()) {
    const auto index = pick(static_cast<std::size_t>(range->size()));
    return index ? Any(range->start + static_cast<std::int64_t>(*index) * range->step) : Any();
  }
  return Any();
}

struct Bounds {
  std::int64_t start, stop, step;
  std::size_t count;
};

Result<std::optional<std::int64_t>> slice_index(const Any& value) {
  if (value.is_missing() || value.is_none()) return std::nullopt;
  if (value.is_undefined()) return undefined_error(value);
  const auto number = value.if_integer();
  if (!number) return fail("slice indices must be integers or None, not {}", type_name(value));
  constexpr Integer kFar = std::numeric_limits<std::int64_t>::max() / 4;
  return static_cast<std::int64_t>(std::clamp(*number, -kFar, kFar));
}

// Which of `size` items a slice takes.
Result<Bounds> slice_bounds(std::int64_t size, const Any& start, const Any& stop, const Any& step) {
  const auto by = PUNA_TRY(slice_index(step))
  .value_or(1);
  if (by == 0) return fail("the step of a slice cannot be zero");
  const auto clip = [&](std::int64_t at) {
    if (at < 0) at += size;
    return by > 0 ? std::clamp(at, std::int64_t{0}, size) : std::clamp(at, std::int64_t{-1}, size - 1);
  };
  const auto given_start = PUNA_TRY(slice_index(start));
  const auto given_stop = PUNA_TRY(slice_index(stop));
  const std::int64_t from = given_start ? clip(*given_start) : by > 0 ? 0 : size - 1;
  const std::int64_t to = given_stop ? clip(*given_stop) : by > 0 ? size : -1;
  return Bounds{from, to, by, static_cast<std::size_t>(Range{from, to, by}.size())};
}

Result<Any> slice_of_text(Render& render, const Text& text, const Bounds& bounds) {
  TextBuilder out;
  if (bounds.step == 1) {
    const std::size_t begin = byte_offset(text, static_cast<std::size_t>(bounds.start));
    std::size_t end = begin;
    if (text.is_ascii()) {
      end = begin + bounds.count;
    } else {
      PUNA_TRY(render.budget.spend(text.bytes.size() / 16));
      for (std::size_t i = 0; i < bounds.count; ++i) end = char_end(text.bytes, end);
    }
    out.append(text, {begin, end});
    return make_string(render.budget, out, text.markup);
  }
  PUNA_TRY(render.budget.allocate(text.n_chars * sizeof(std::size_t)));
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.bytes.size(); at = char_end(text.bytes, at)) starts.push_back(at);
  starts.push_back(text.bytes.size());
  for (std::size_t i = 0; i < bounds.count; ++i) {
    const auto at = static_cast<std::size_t>(bounds.start + static_cast<std::int64_t>(i) * bounds.step);
    out.append(text, {starts[at], starts[at + 1]});
  }
  return make_string(render.budget, out, text.markup);
}

// What every Python object has, and the sandbox hides.
bool is_internal(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"__class__", "__doc__",  "__init__", "__dict__",
                                                             "__str__",   "__repr__", "__eq__",   "__hash__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Result<Any> find_attribute(Render& render, const Any& value, const TextRef& name) {
  if (is_internal(name->bytes)) return Any(Undefined{name.get(), Undefined::Of::unsafe});
  if (value.is_undefined()) return undefined_error(value);
  if (const auto method = find_method(value, name->bytes)) return Any(std::make_shared<const Method>(Method{value, *method}));
  if (is_hidden_method(value, name->bytes)) return Any(Undefined{name.get(), Undefined::Of::unsafe});
  if (Object* object = value.if_object()) return object_attribute(render, *object, name->bytes);
  if (const Sequence* tuple = value.if_tuple(); tuple != nullptr && tuple->is_group) {
    if (name->bytes == "grouper") return tuple->items[0];
    if (name->bytes == "list") return tuple->items[1];
  }
  if (value.is(Kind::integer) || value.is(Kind::boolean) || value.is(Kind::real)) {
    if (name->bytes == "real") return unary(render, UnaryOp::plus, value);
    if (name->bytes == "imag") return value.is(Kind::real) ? Any(0.0) : Any(0);
    if (name->bytes == "numerator" && !value.is(Kind::real)) return unary(render, UnaryOp::plus, value);
    if (name->bytes == "denominator" && !value.is(Kind::real)) return Any(1);
  }
  if (const Range* range = value.if_range()) {
    if (name->bytes == "start") return Any(range->start);
    if (name->bytes == "stop") return Any(range->stop);
    if (name->bytes == "step") return Any(range->step);
  }
  return Any();
}

Result<Any> get_attribute(Render& render, const Any& value, const TextRef& name) {
  PUNA_TRY(render.budget.spend());
  Any found = PUNA_TRY(find_attribute(render, value, name));
  if (!found.is_missing()) return found;
  if (const Dict* dict = value.if_dict()) {
    if (const Any* item = dict->find(name->bytes)) return *item;
  }
  return undefined_attribute(name);
}

Result<Any> get_item(Render& render, const Any& value, const Any& key) {
  PUNA_TRY(render.budget.spend());
  if (value.is_undefined()) return undefined_error(value);
  Any found = PUNA_TRY(find_item(render, value, key));
  if (!found.is_missing()) return found;
  if (!key.is(Kind::text)) return Any(Undefined{nullptr, Undefined::Of::attribute});
  found = PUNA_TRY(find_attribute(render, value, key.text_ref()));
  if (found.is_undefined() || found.is_missing()) return Any(Undefined{nullptr, Undefined::Of::attribute});
  return found;
}

bool can_slice(const Any& value, const Any& start, const Any& stop, const Any& step) {
  const auto is_bound = [](const Any& bound) { return bound.is_missing() || bound.is_none() || bound.if_integer(); };
  return (value.is(Kind::text) || value.if_sequence() != nullptr || value.is(Kind::range)) && is_bound(start) && is_bound(stop) &&
         is_bound(step);
}

Result<Any> get_slice(Render& render, const Any& value, const Any& start, const Any& stop, const Any& step) {
  PUNA_TRY(render.budget.spend());
  if (value.is_undefined()) return undefined_error(value);
  if (!value.is(Kind::text) && value.if_sequence() == nullptr && !value.is(Kind::range)) {
    return fail("a value of type {} cannot be sliced", type_name(value));
  }
  const auto size = static_cast<std::int64_t>(PUNA_TRY(length_of(render, value)));
  const Bounds bounds = PUNA_TRY(slice_bounds(size, start, stop, step));
  if (const Text* text = value.if_text()) return slice_of_text(render, *text, bounds);
  if (const Range* range = value.if_range()) {
    const auto at = [&](std::int64_t index) { return range->start + index * range->step; };
    return Any(RangeRef{std::make_shared<const Range>(Range{at(bounds.start), at(bounds.stop), range->step * bounds.step})});
  }
  PUNA_TRY(render.budget.allocate(bounds.count * sizeof(Any)));
  std::vector<Any> items;
  items.reserve(bounds.count);
  for (std::size_t i = 0; i < bounds.count; ++i) {
    items.push_back(
        value.if_sequence()->items[static_cast<std::size_t>(bounds.start + static_cast<std::int64_t>(i) * bounds.step)]);
  }
  return value.is(Kind::list) ? make_list(render.budget, std::move(items)) : make_tuple(render.budget, std::move(items));
}

}  // namespace puna::text::jinja
