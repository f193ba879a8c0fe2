// Filters whose result is made while it is read: like Python's generators they can be read once, and what goes wrong in them
// goes wrong only then.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "text/jinja/filters.h"
#include "text/jinja/tests.h"

namespace puna::text::jinja {
namespace {

using Given = const Parameters&;
using Item = std::optional<Any>;

constexpr std::int64_t kMaxBatch = 10'000'000;
constexpr std::int64_t kMaxSlices = 100'000;  // as many as range() makes

// Hands out the items of a list that `make` computes when the first one is asked for.
template <class Make>
Result<Any> deferred(Render& render, Make make) {
  bool made = false;
  return render.make_stream([make, made, items = std::vector<Any>(), next = std::size_t{0}](Render& r) mutable -> Result<Item> {
    if (!std::exchange(made, true)) items = PUNA_TRY(make(r));
    if (next == items.size()) return std::nullopt;
    return std::move(items[next++]);
  });
}

Result<Any> reverse_filter(Render& render, const Any& input, Given) {
  if (input.is(Kind::text)) return get_slice(render, input, Any(), Any(), Any(-1));
  std::vector<Any> items = PUNA_TRY(collect(render, input));
  std::reverse(items.begin(), items.end());
  if (input.is(Kind::object)) return make_list(render.budget, std::move(items));
  return deferred(render, [items](Render&) -> Result<std::vector<Any>> { return items; });
}

Result<Any> items_filter(Render& render, const Any& input, Given) {
  return deferred(render, [input](Render& r) -> Result<std::vector<Any>> {
    if (input.is_undefined()) return std::vector<Any>{};
    if (!input.is(Kind::dict)) return fail("only a mapping has item pairs, not {}", type_name(input));
    return collect(r, Any(DictView{input.dict_ref(), ViewOf::items}));
  });
}

Result<Any> batch_filter(Render& render, const Any& input, Given given) {
  return deferred(render, [input, given](Render& r) -> Result<std::vector<Any>> {
    const std::int64_t size = PUNA_TRY(given.integer(0, 1));
    std::vector<Any> batches;
    std::vector<Any> batch;
    for (Any& item : PUNA_TRY(collect(r, input))) {
      if (static_cast<std::int64_t>(batch.size()) == size)
        batches.push_back(PUNA_TRY(make_list(r.budget, std::exchange(batch, {}))));
      batch.push_back(std::move(item));
    }
    if (batch.empty()) return batches;
    if (const auto n = static_cast<std::int64_t>(batch.size()); given.is_given(1) && n < size) {
      if (size > kMaxBatch) return fail("a batch of {} items is too large", size);
      PUNA_TRY(r.budget.allocate(static_cast<std::uint64_t>(size - n) * sizeof(Any)));
      batch.resize(static_cast<std::size_t>(size), given[1]);
    }
    batches.push_back(PUNA_TRY(make_list(r.budget, std::move(batch))));
    return batches;
  });
}

Result<Any> slice_filter(Render& render, const Any& input, Given given) {
  return deferred(render, [input, given](Render& r) -> Result<std::vector<Any>> {
    const std::vector<Any> all = PUNA_TRY(collect(r, input));
    const std::int64_t slices = PUNA_TRY(given.integer(0, 1));
    if (slices == 0) return fail("slice() cannot make 0 slices");
    if (slices > kMaxSlices) return fail("{} slices are too many", slices);
    std::vector<Any> out;
    const auto length = static_cast<std::int64_t>(all.size());
    const std::int64_t per_slice = slices > 0 ? length / slices : 0;
    const std::int64_t longer = slices > 0 ? length % slices : 0;
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < slices; ++i) {
      const std::int64_t end = begin + per_slice + (i < longer ? 1 : 0);
      std::vector<Any> part(all.begin() + begin, all.begin() + end);
      if (given.is_given(1) && i >= longer) part.push_back(given[1]);
      out.push_back(PUNA_TRY(make_list(r.budget, std::move(part))));
      begin = end;
    }
    return out;
  });
}

Result<Any> unique_filter(Render& render, const Any& input, Given given) {
  struct State {
    std::optional<Iterator> items;
    std::unordered_multimap<std::size_t, Any> seen;
  };
  auto state = std::make_shared<State>();
  return render.make_stream([input, given, state](Render& r) -> Result<Item> {
    const AttributePath path = PUNA_TRY(AttributePath::parse(given[1]));
    if (!state->items) state->items = PUNA_TRY(Iterator::over(input));
    while (Item item = PUNA_TRY(state->items->next(r))) {
      Any key = PUNA_TRY(path.get(r, *item));
      if (!given.flag(0)) key = ignore_case(key);
      const std::size_t hash = PUNA_TRY(hash_of(r.budget, key));
      const auto [begin, end] = state->seen.equal_range(hash);
      bool known = false;
      for (auto at = begin; at != end && !known; ++at) known = PUNA_TRY(equals(r.budget, at->second, key));
      if (known) continue;
      PUNA_TRY(r.budget.allocate(sizeof(Any) * 2));
      state->seen.emplace(hash, std::move(key));
      return item;
    }
    return std::nullopt;
  });
}

using Function = std::function<Result<Any>(Render&, const Any&)>;

// What map() does to each item: an attribute, or another filter with its arguments.
Result<Function> mapping(const Arguments& arguments) {
  const auto named = [&](std::string_view name) {
    for (const auto& [key, value] : arguments.named) {
      if (key->bytes == name) return value;
    }
    return Any();
  };
  if (arguments.positional.empty() && !named("attribute").is_missing()) {
    const std::size_t known = named("default").is_missing() ? 1 : 2;
    if (arguments.named.size() != known) return fail("map() by attribute takes 'attribute' and 'default' only");
    AttributePath path = PUNA_TRY(AttributePath::parse(named("attribute")));
    return [path, otherwise = named("default")](Render& r, const Any& item) { return path.get_or(r, item, otherwise); };
  }
  if (arguments.positional.empty()) return fail("map() needs the name of a filter, or attribute=…");
  const Text* name = arguments.positional.front().if_text();
  const FilterEntry* filter = name != nullptr ? find_filter(name->bytes) : nullptr;
  if (filter == nullptr) return fail("there is no filter '{}'", name != nullptr ? std::string_view(name->bytes) : "");
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin());
  return [filter, rest](Render& r, const Any& item) { return apply_filter(r, *filter, item, rest); };
}

// What select() and its kin ask of each item: a test, or truth itself; of the item or of an attribute.
Result<Function> condition(const Arguments& arguments, bool by_attribute) {
  AttributePath path;
  std::size_t used = 0;
  if (by_attribute) {
    if (arguments.positional.empty()) return fail("the name of the attribute is missing");
    path = PUNA_TRY(AttributePath::parse(arguments.positional[used++]));
  }
  if (arguments.positional.size() == used) {
    return [path](Render& r, const Any& item) -> Result<Any> { return Any(truth(PUNA_TRY(path.get(r, item)))); };
  }
  const Text* name = arguments.positional[used].if_text();
  const TestEntry* test = name != nullptr ? find_test(name->bytes) : nullptr;
  if (test == nullptr) return fail("there is no test '{}'", name != nullptr ? std::string_view(name->bytes) : "");
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin(), rest.positional.begin() + static_cast<std::ptrdiff_t>(used) + 1);
  return [path, test, rest](Render& r, const Any& item) -> Result<Any> {
    return Any(PUNA_TRY(apply_test(r, *test, PUNA_TRY(path.get(r, item)), rest)));
  };
}

struct Walk {
  std::optional<Iterator> items;
  Function function;
};

Result<Any> map_filter(Render& render, const Any& input, Arguments arguments) {
  return render.make_stream([input, arguments, walk = Walk()](Render& r) mutable -> Result<Item> {
    if (!walk.items) {
      if (!truth(input)) return std::nullopt;
      walk.function = PUNA_TRY(mapping(arguments));
      walk.items = PUNA_TRY(Iterator::over(input));
    }
    const Item item = PUNA_TRY(walk.items->next(r));
    if (!item) return std::nullopt;
    return PUNA_TRY(walk.function(r, *item));
  });
}

template <bool kKeeps, bool kByAttribute>
Result<Any> choose(Render& render, const Any& input, Arguments arguments) {
  return render.make_stream([input, arguments, walk = Walk()](Render& r) mutable -> Result<Item> {
    if (!walk.items) {
      if (!truth(input)) return std::nullopt;
      walk.function = PUNA_TRY(condition(arguments, kByAttribute));
      walk.items = PUNA_TRY(Iterator::over(input));
    }
    while (Item item = PUNA_TRY(walk.items->next(r))) {
      if (truth(PUNA_TRY(walk.function(r, *item))) == kKeeps) return item;
    }
    return std::nullopt;
  });
}

const std::array kFilters = std::to_array<FilterEntry>({
    {{"reverse"}, reverse_filter},
    {{"items"}, items_filter},
    {{"batch", {"linecount", "fill_with"}, 1}, batch_filter},
    {{"slice", {"slices", "fill_with"}, 1}, slice_filter},
    {{"unique", {"case_sensitive", "attribute"}, 0}, unique_filter},
    {{"map"}, nullptr, map_filter},
    {{"select"}, nullptr, choose<true, false>},
    {{"reject"}, nullptr, choose<false, false>},
    {{"selectattr"}, nullptr, choose<true, true>},
    {{"rejectattr"}, nullptr, choose<false, true>},
});

}  // namespace

std::span<const FilterEntry> stream_filters() { return kFilters; }

}  // namespace puna::text::jinja
