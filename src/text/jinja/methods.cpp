// Which value has which method, and how it is called.
#include "text/jinja/methods.h"

#include <algorithm>
#include <array>

namespace puna::text::jinja {
namespace {

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> kAll = [] {
    std::vector<MethodEntry> all;
    for (const auto table : {text_methods(), text_query_methods(), container_methods()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kAll;
}

bool owns(const MethodEntry& entry, const Any& value) {
  if (entry.owner != value.kind()) return false;
  if (entry.owner != Kind::object) return true;
  const bool of_loop = entry.signature.function == "cycle" || entry.signature.function == "changed";
  return value.if_object()->type == (of_loop ? Object::Type::loop : Object::Type::cycler) &&
         (of_loop || value.if_object()->type == Object::Type::cycler);
}

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<std::uint16_t> find_method(const Any& owner, std::string_view name) {
  const auto& all = all_methods();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].signature.function == name && owns(all[i], owner)) return static_cast<std::uint16_t>(i);
  }
  return std::nullopt;
}

bool is_hidden_method(const Any& owner, std::string_view name) {
  static constexpr std::array<std::string_view, 8> kList = {"append", "clear", "pop",    "reverse",
                                                            "insert", "sort",  "extend", "remove"};
  static constexpr std::array<std::string_view, 5> kDict = {"clear", "pop", "popitem", "setdefault", "update"};
  if (owner.is(Kind::list)) return is_one_of(kList, name);
  return owner.is(Kind::dict) && is_one_of(kDict, name);
}

Result<Any> call_method(Render& render, const Method& method, Arguments arguments) {
  const MethodEntry& entry = all_methods()[method.id];
  if (entry.run_open != nullptr) return entry.run_open(render, method.self, std::move(arguments));
  static constexpr std::array<std::string_view, 4> kTakeNames = {"split", "rsplit", "splitlines", "expandtabs"};
  if (!arguments.named.empty() && !is_one_of(kTakeNames, entry.signature.function)) {
    return fail("{}() takes no named arguments", entry.signature.function);
  }
  return entry.run(render, method.self, PUNA_TRY(Parameters::bind(entry.signature, std::move(arguments))));
}

}  // namespace puna::text::jinja
