#include "text/jinja/value.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace puna::text::jinja {
namespace {

constexpr int kMaxNesting = 192;  // of lists in lists: walks over values recurse this deep at most
constexpr std::size_t kManyEntries = 8;

int depth_of(const Any& value) {
  if (const Sequence* sequence = value.if_sequence()) return sequence->depth;
  if (const Dict* dict = value.if_dict()) return dict->depth;
  if (const DictView* view = value.if_view()) return view->dict->depth + 1;
  if (const Method* method = value.if_method()) return depth_of(method->self) + 1;
  return 0;
}

Result<int> nest(int deepest) {
  if (deepest >= kMaxNesting) return fail("data is nested more than {} levels deep", kMaxNesting);
  return deepest + 1;
}

Result<std::shared_ptr<const Sequence>> make_sequence(Budget& budget, std::vector<Any> items) {
  PUNA_TRY(budget.allocate(sizeof(Sequence) + items.size() * sizeof(Any)));
  int deepest = 0;
  for (const Any& item : items) deepest = std::max(deepest, depth_of(item));
  const int depth = PUNA_TRY(nest(deepest));
  return std::make_shared<const Sequence>(Sequence{.items = std::move(items), .depth = depth});
}

std::size_t hash_text(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }

const Dict::Entry* find_indexed(const Dict& dict, std::size_t hash, auto&& matches) {
  auto at = std::lower_bound(dict.index.begin(), dict.index.end(), std::pair<std::size_t, std::uint32_t>{hash, 0});
  for (; at != dict.index.end() && at->first == hash; ++at) {
    if (matches(dict.entries[at->second].first)) return &dict.entries[at->second];
  }
  return nullptr;
}

}  // namespace

std::int64_t Range::size() const {
  if (step > 0) return start >= stop ? 0 : (stop - start - 1) / step + 1;
  return start <= stop ? 0 : (start - stop - 1) / -step + 1;
}

const Text* Any::if_text() const {
  const auto* found = std::get_if<TextRef>(&data_);
  return found != nullptr ? found->get() : nullptr;
}
const Sequence* Any::if_list() const {
  const auto* found = std::get_if<ListRef>(&data_);
  return found != nullptr ? found->data.get() : nullptr;
}
const Sequence* Any::if_tuple() const {
  const auto* found = std::get_if<TupleRef>(&data_);
  return found != nullptr ? found->data.get() : nullptr;
}
const Dict* Any::if_dict() const {
  const auto* found = std::get_if<DictRef>(&data_);
  return found != nullptr ? found->get() : nullptr;
}
const Range* Any::if_range() const {
  const auto* found = std::get_if<RangeRef>(&data_);
  return found != nullptr ? found->data.get() : nullptr;
}
const Method* Any::if_method() const {
  const auto* found = std::get_if<MethodRef>(&data_);
  return found != nullptr ? found->get() : nullptr;
}
const Builtin* Any::if_builtin() const {
  const auto* found = std::get_if<const Builtin*>(&data_);
  return found != nullptr ? *found : nullptr;
}
Object* Any::if_object() const {
  const auto* found = std::get_if<Object*>(&data_);
  return found != nullptr ? *found : nullptr;
}

std::optional<Integer> Any::if_integer() const {
  if (const auto* number = std::get_if<Integer>(&data_)) return *number;
  if (const bool* flag = if_bool()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Any::if_number() const {
  if (const double* number = if_real()) return *number;
  if (const auto number = if_integer()) return static_cast<double>(*number);
  return std::nullopt;
}

bool Any::same_as(const Any& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::none:
    case Kind::missing:
      return true;
    case Kind::undefined:
      return undefined().name == other.undefined().name;
    case Kind::boolean:
      return *if_bool() == *other.if_bool();
    case Kind::integer:
      return *if_integer() == *other.if_integer();
    case Kind::real:
      return *if_real() == *other.if_real();
    case Kind::text:
      return text_ref() == other.text_ref() || (if_text()->n_chars <= 1 && if_text()->bytes == other.if_text()->bytes);
    case Kind::list:
      return if_list() == other.if_list();
    case Kind::tuple:
      return if_tuple() == other.if_tuple() || (if_tuple()->items.empty() && other.if_tuple()->items.empty());
    case Kind::dict:
      return if_dict() == other.if_dict();
    case Kind::range:
      return if_range() == other.if_range();
    case Kind::view:
      return false;
    case Kind::method:
      return if_method() == other.if_method();
    case Kind::builtin:
      return if_builtin() == other.if_builtin();
    case Kind::object:
      return if_object() == other.if_object();
  }
  return false;
}

const Any* Dict::find(std::string_view key) const {
  const auto matches = [key](const Any& candidate) {
    const Text* text = candidate.if_text();
    return text != nullptr && text->bytes == key;
  };
  if (!index.empty()) {
    const Entry* found = find_indexed(*this, hash_text(key), matches);
    return found != nullptr ? &found->second : nullptr;
  }
  for (const auto& [candidate, value] : entries) {
    if (matches(candidate)) return &value;
  }
  return nullptr;
}

const Any* Namespace::find(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (field->bytes == name) return &value;
  }
  return nullptr;
}

void Namespace::set(const TextRef& name, Any value) {
  for (auto& [field, old] : fields) {
    if (field->bytes == name->bytes) {
      old = std::move(value);
      return;
    }
  }
  fields.emplace_back(name, std::move(value));
}

Result<void> Budget::spend(std::uint64_t n_steps) {
  if (steps < n_steps) {
    steps = 0;
    return std::unexpected(Error{ErrorKind::invalid, "the template does too much work", "A loop in it may never end."});
  }
  steps -= n_steps;
  return {};
}

Result<void> Budget::allocate(std::uint64_t n_bytes) {
  PUNA_TRY(spend(1 + n_bytes / 64));
  if (bytes < n_bytes) {
    bytes = 0;
    return std::unexpected(Error{ErrorKind::invalid, "the template makes too much text or data", ""});
  }
  bytes -= n_bytes;
  return {};
}

bool truth(const Any& value) {
  switch (value.kind()) {
    case Kind::missing:
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return *value.if_integer() != 0;
    case Kind::real:
      return *value.if_real() != 0;
    case Kind::text:
      return !value.if_text()->bytes.empty();
    case Kind::list:
    case Kind::tuple:
      return !value.if_sequence()->items.empty();
    case Kind::dict:
      return !value.if_dict()->entries.empty();
    case Kind::range:
      return value.if_range()->size() > 0;
    case Kind::view:
      return !value.if_view()->dict->entries.empty();
    case Kind::method:
    case Kind::builtin:
    case Kind::object:
      return true;
  }
  return true;
}

std::string_view type_name(const Any& value) {
  switch (value.kind()) {
    case Kind::missing:
    case Kind::undefined:
      return "Undefined";
    case Kind::none:
      return "NoneType";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "float";
    case Kind::text:
      return value.if_text()->markup ? "Markup" : "str";
    case Kind::list:
      return "list";
    case Kind::tuple:
      return "tuple";
    case Kind::dict:
      return "dict";
    case Kind::range:
      return "range";
    case Kind::view: {
      constexpr std::string_view kNames[] = {"dict_keys", "dict_values", "dict_items"};
      return kNames[static_cast<std::size_t>(value.if_view()->of)];
    }
    case Kind::method:
      return "method";
    case Kind::builtin:
      return "function";
    case Kind::object: {
      constexpr std::string_view kNames[] = {"Namespace", "Macro", "LoopContext", "generator", "Cycler", "Joiner"};
      return kNames[static_cast<std::size_t>(value.if_object()->type)];
    }
  }
  return "object";
}

std::string describe_undefined(const Any& value) {
  const Undefined& info = value.undefined();
  const std::string_view name = info.name != nullptr ? std::string_view(info.name->bytes) : std::string_view();
  if (name.empty()) return "the value is undefined";
  switch (info.of) {
    case Undefined::Of::variable:
      return fmt::format("'{}' is undefined", name);
    case Undefined::Of::attribute:
      return fmt::format("there is no attribute or item '{}'", name);
    case Undefined::Of::parameter:
      return fmt::format("parameter '{}' was not provided", name);
    case Undefined::Of::unsafe:
      return fmt::format("access to attribute '{}' is unsafe", name);
    case Undefined::Of::note:
      return std::string(name);
  }
  return {};
}

Result<Any> make_list(Budget& budget, std::vector<Any> items) {
  return Any(ListRef { PUNA_TRY(make_sequence(budget, std::move(items))) });
}

Result<Any> make_tuple(Budget& budget, std::vector<Any> items, bool is_group) {
  auto made = PUNA_TRY(make_sequence(budget, std::move(items)));
  if (is_group) made = std::make_shared<const Sequence>(Sequence{.items = made->items, .depth = made->depth, .is_group = true});
  return Any(TupleRef{std::move(made)});
}

Result<Any> make_dict(Budget& budget, std::vector<Dict::Entry> entries) {
  PUNA_TRY(budget.allocate(sizeof(Dict) + entries.size() * (sizeof(Dict::Entry) + 16)));
  std::vector<std::pair<std::size_t, std::uint32_t>> index;
  index.reserve(entries.size());
  int deepest = 0;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    index.emplace_back(PUNA_TRY(hash_of(budget, entries[i].first)), i);
    deepest = std::max({deepest, depth_of(entries[i].first), depth_of(entries[i].second)});
  }
  std::sort(index.begin(), index.end());
  std::vector<bool> repeats(entries.size());
  bool any_repeat = false;
  for (std::size_t i = 0; i < index.size(); ++i) {
    for (std::size_t j = i; j-- > 0 && index[j].first == index[i].first;) {
      if (repeats[index[j].second]) continue;
      if (!PUNA_TRY(equals(budget, entries[index[i].second].first, entries[index[j].second].first))) continue;
      entries[index[j].second].second = entries[index[i].second].second;
      repeats[index[i].second] = any_repeat = true;
      break;
    }
  }
  Dict dict { .entries = std::move(entries), .index = std::move(index), .depth = PUNA_TRY(nest(deepest)) };
  if (any_repeat) {
    std::vector<Dict::Entry> kept;
    for (std::size_t i = 0; i < dict.entries.size(); ++i) {
      if (!repeats[i]) kept.push_back(std::move(dict.entries[i]));
    }
    return make_dict(budget, std::move(kept));
  }
  if (dict.entries.size() <= kManyEntries) dict.index.clear();
  return Any(std::make_shared<const Dict>(std::move(dict)));
}

Result<Any> make_string(Budget& budget, Text text) {
  PUNA_TRY(budget.allocate(sizeof(Text) + text.bytes.size() + text.literal.size() * sizeof(Span)));
  return Any(std::make_shared<const Text>(std::move(text)));
}

Result<Any> make_string(Budget& budget, TextBuilder& builder, bool markup) { return make_string(budget, builder.take(markup)); }

Result<Any> from_json(Budget& budget, const Value& value) {
  PUNA_TRY(budget.spend());
  if (const bool* flag = value.if_bool()) return Any(*flag);
  if (const auto* number = value.if_int()) return Any(*number);
  if (const auto* number = value.if_uint()) return Any(static_cast<Integer>(*number));
  if (const double* number = value.if_double()) return Any(*number);
  if (const std::string* text = value.if_string())
    return make_string(budget, Text{.bytes = *text, .n_chars = count_chars(*text)});
  if (const Value::Array* array = value.if_array()) {
    std::vector<Any> items;
    items.reserve(array->size());
    for (const Value& item : *array) items.push_back(PUNA_TRY(from_json(budget, item)));
    return make_list(budget, std::move(items));
  }
  if (const Value::Object* object = value.if_object()) {
    std::vector<Dict::Entry> entries;
    entries.reserve(object->size());
    for (const auto& [key, member] : *object) entries.emplace_back(user_text(key), PUNA_TRY(from_json(budget, member)));
    return make_dict(budget, std::move(entries));
  }
  return Any(None{});
}

}  // namespace puna::text::jinja
