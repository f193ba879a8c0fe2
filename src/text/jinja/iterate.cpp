// Reading values item by item, and the loop variable that does.
#include <algorithm>

#include "text/jinja/render.h"

namespace puna::text::jinja {

std::unexpected<Error> undefined_error(const Any& value) {
  return std::unexpected(error(ErrorKind::invalid, "{}", describe_undefined(value)));
}

Result<Iterator> Iterator::over(const Any& value) {
  Iterator iterator;
  iterator.source_ = value;
  switch (value.kind()) {
    case Kind::undefined:
      iterator.length_ = 0;
      break;
    case Kind::text:
      iterator.length_ = value.if_text()->n_chars;
      break;
    case Kind::list:
    case Kind::tuple:
      iterator.length_ = value.if_sequence()->items.size();
      break;
    case Kind::dict:
      iterator.length_ = value.if_dict()->entries.size();
      break;
    case Kind::view:
      iterator.length_ = value.if_view()->dict->entries.size();
      break;
    case Kind::range:
      iterator.length_ = static_cast<std::size_t>(value.if_range()->size());
      break;
    case Kind::object:
      if (value.if_object()->type == Object::Type::stream) break;
      [[fallthrough]];
    default:
      return fail("a value of type {} cannot be iterated over", type_name(value));
  }
  return iterator;
}

Result<std::optional<Any>> Iterator::next(Render& render) {
  PUNA_TRY(render.budget.spend());
  if (stream_) return stream_(render);
  if (auto* stream = source_.if_object<Stream>(Object::Type::stream)) {
    const Render::Level level(render);
    PUNA_TRY(render.check_level());
    return stream->next(render);
  }
  if (const Text* text = source_.if_text()) {
    if (position_ >= text->bytes.size()) return std::nullopt;
    const std::size_t end = char_end(text->bytes, position_);
    TextBuilder one;
    one.append(*text, {std::exchange(position_, end), end});
    return Any(std::make_shared<const Text>(one.take()));
  }
  if (position_ >= *length_) return std::nullopt;
  const std::size_t i = position_++;
  if (const Sequence* sequence = source_.if_sequence()) return sequence->items[i];
  if (const Dict* dict = source_.if_dict()) return dict->entries[i].first;
  if (const Range* range = source_.if_range()) return Any(range->start + static_cast<std::int64_t>(i) * range->step);
  const DictView& view = *source_.if_view();
  const auto& [key, item] = view.dict->entries[i];
  if (view.of == ViewOf::keys) return key;
  if (view.of == ViewOf::values) return item;
  return PUNA_TRY(make_tuple(render.budget, {key, item}));
}

Result<std::vector<Any>> collect(Render& render, const Any& value) {
  Iterator items = PUNA_TRY(Iterator::over(value));
  std::vector<Any> all;
  if (items.length()) {
    PUNA_TRY(render.budget.allocate(*items.length() * sizeof(Any)));
    all.reserve(*items.length());
  }
  while (auto item = PUNA_TRY(items.next(render))) all.push_back(*std::move(item));
  return all;
}

Result<std::size_t> length_of(Render& render, const Any& value) {
  if (value.is(Kind::object)) {
    if (auto* loop = value.if_object<Loop>(Object::Type::loop)) return loop->length(render);
    return fail("a value of type {} has no length", type_name(value));
  }
  const Result<Iterator> items = Iterator::over(value);
  if (!items) return fail("a value of type {} has no length", type_name(value));
  return *items->length();
}

Result<bool> contains(Render& render, const Any& container, const Any& item) {
  if (const Text* text = container.if_text()) {
    if (item.is_undefined()) return undefined_error(item);
    const Text* part = item.if_text();
    if (part == nullptr) return fail("'in <string>' requires a string on its left, not {}", type_name(item));
    PUNA_TRY(render.budget.spend(text->bytes.size() / 64));
    return text->bytes.find(part->bytes) != std::string::npos;
  }
  if (const Dict* dict = container.if_dict()) return PUNA_TRY(find_key(render.budget, *dict, item))
  != nullptr;
  if (const DictView* view = container.if_view(); view != nullptr && view->of == ViewOf::keys) {
    return PUNA_TRY(find_key(render.budget, *view->dict, item))
    != nullptr;
  }
  Result<Iterator> items = Iterator::over(container);
  if (!items) return fail("a value of type {} cannot contain anything", type_name(container));
  while (auto candidate = PUNA_TRY(items->next(render))) {
    if (candidate->same_as(item) || PUNA_TRY(equals(render.budget, *candidate, item))) return true;
  }
  return false;
}

std::string Macro::label() const {
  return code.name == nullptr ? "<Macro anonymous>" : fmt::format("<Macro '{}'>", code.name->bytes);
}

std::string Loop::label() const {
  return known_length ? fmt::format("<LoopContext {}/{}>", index0 + 1, *known_length)
                      : fmt::format("<LoopContext {}>", index0 + 1);
}

Result<bool> Loop::has_next(Render& render) {
  if (!after && !exhausted) {
    after = PUNA_TRY(items.next(render));
    exhausted = !after;
  }
  return after.has_value();
}

Result<bool> Loop::advance(Render& render) {
  if (!PUNA_TRY(has_next(render))) return false;
  ++index0;
  previous = std::exchange(current, std::exchange(after, std::nullopt));
  return true;
}

Result<std::size_t> Loop::length(Render& render) {
  if (!known_length) known_length = items.length();
  if (!known_length) {
    std::vector<Any> rest;
    while (auto item = PUNA_TRY(items.next(render))) rest.push_back(*std::move(item));
    known_length = rest.size() + static_cast<std::size_t>(index0 + 1) + (after ? 1 : 0);
    items = PUNA_TRY(Iterator::over(PUNA_TRY(make_list(render.budget, std::move(rest)))));
  }
  return *known_length;
}

}  // namespace puna::text::jinja
