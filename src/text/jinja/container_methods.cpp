// Methods of lists, tuples, dicts, numbers, loops and cyclers.
#include <algorithm>
#include <array>
#include <cmath>

#include "text/jinja/methods.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;

Result<Any> dict_get(Render& render, const Any& self, Given given) {
  const Any* found = PUNA_TRY(find_key(render.budget, *self.if_dict(), given[0]));
  if (found != nullptr) return *found;
  return given.has(1) ? given[1] : Any(None{});
}

template <ViewOf kOf>
Result<Any> dict_view(Render&, const Any& self, Given) {
  return Any(DictView{self.dict_ref(), kOf});
}

Result<Any> same(Render&, const Any& self, Given) { return self; }

Result<Any> copy_list(Render& render, const Any& self, Given) { return make_list(render.budget, self.if_list()->items); }

Result<Any> count_items(Render& render, const Any& self, Given given) {
  std::int64_t count = 0;
  for (const Any& item : self.if_sequence()->items) {
    if (item.same_as(given[0]) || PUNA_TRY(equals(render.budget, item, given[0]))) ++count;
  }
  return Any(count);
}

Result<Any> index_of(Render& render, const Any& self, Given given) {
  const auto& items = self.if_sequence()->items;
  const auto size = static_cast<std::int64_t>(items.size());
  const auto bound = [&](std::size_t i, std::int64_t otherwise) -> Result<std::int64_t> {
    const std::int64_t at = PUNA_TRY(given.integer(i, otherwise));
    return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size);
  };
  const std::int64_t end = PUNA_TRY(bound(2, size));
  for (std::int64_t i = PUNA_TRY(bound(1, 0)); i < end; ++i) {
    if (PUNA_TRY(equals(render.budget, items[static_cast<std::size_t>(i)], given[0]))) return Any(i);
  }
  return fail("the value is not in the {}", type_name(self));
}

Result<Any> count_in_range(Render& render, const Any& self, Given given) {
  const bool is_there = PUNA_TRY(contains(render, self, given[0]));
  return Any(is_there ? 1 : 0);
}

Result<Any> index_in_range(Render& render, const Any& self, Given given) {
  const std::vector<Any> items = PUNA_TRY(collect(render, self));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (PUNA_TRY(equals(render.budget, items[i], given[0]))) return Any(i);
  }
  return fail("the value is not in the range");
}

Result<Any> loop_cycle(Render&, const Any& self, Arguments arguments) {
  const auto& loop = *self.if_object<Loop>(Object::Type::loop);
  if (!arguments.named.empty()) return fail("cycle() takes no named arguments");
  if (arguments.positional.empty()) return fail("cycle() needs at least one item");
  return arguments.positional[static_cast<std::size_t>(loop.index0) % arguments.positional.size()];
}

Result<Any> loop_changed(Render& render, const Any& self, Arguments arguments) {
  auto& loop = *self.if_object<Loop>(Object::Type::loop);
  if (!arguments.named.empty()) return fail("changed() takes no named arguments");
  const Any now = PUNA_TRY(make_tuple(render.budget, std::move(arguments.positional)));
  if (loop.last_changed && PUNA_TRY(equals(render.budget, *loop.last_changed, now))) return Any(false);
  loop.last_changed = now;
  return Any(true);
}

Result<Any> cycler_next(Render&, const Any& self, Given) {
  auto& cycler = *self.if_object<Cycler>(Object::Type::cycler);
  const std::size_t at = cycler.position;
  cycler.position = (at + 1) % cycler.items.size();
  return cycler.items[at];
}

Result<Any> cycler_reset(Render&, const Any& self, Given) {
  self.if_object<Cycler>(Object::Type::cycler)->position = 0;
  return Any(None{});
}

Result<Any> is_whole(Render&, const Any& self, Given) {
  const double number = *self.if_real();
  return Any(std::isfinite(number) && number == std::trunc(number));
}

const std::array kMethods = std::to_array<MethodEntry>({
    {Kind::dict, {"get", {"key", "default"}, 1}, dict_get},
    {Kind::dict, {"keys"}, dict_view<ViewOf::keys>},
    {Kind::dict, {"values"}, dict_view<ViewOf::values>},
    {Kind::dict, {"items"}, dict_view<ViewOf::items>},
    {Kind::dict, {"copy"}, same},
    {Kind::list, {"copy"}, copy_list},
    {Kind::list, {"count", {"value"}, 1}, count_items},
    {Kind::list, {"index", {"value", "start", "stop"}, 1}, index_of},
    {Kind::tuple, {"count", {"value"}, 1}, count_items},
    {Kind::tuple, {"index", {"value", "start", "stop"}, 1}, index_of},
    {Kind::real, {"is_integer"}, is_whole},
    {Kind::range, {"count", {"value"}, 1}, count_in_range},
    {Kind::range, {"index", {"value"}, 1}, index_in_range},
    {Kind::object, {"cycle"}, nullptr, loop_cycle},
    {Kind::object, {"changed"}, nullptr, loop_changed},
    {Kind::object, {"next"}, cycler_next},
    {Kind::object, {"reset"}, cycler_reset},
});

}  // namespace

std::span<const MethodEntry> container_methods() { return kMethods; }

}  // namespace puna::text::jinja
