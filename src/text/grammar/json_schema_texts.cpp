#include "text/grammar/json_schema_texts.h"

#include <fmt/core.h>

#include <algorithm>

#include "text/grammar/json_schema_string.h"
#include "text/grammar/regex_grammar.h"

namespace puna::text::grammar {

Result<SharedDfa> SchemaTexts::once(std::string key, const std::function<Result<Dfa>()>& make) {
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  auto shared = std::make_shared<const Dfa>(PUNA_TRY(make()));
  made_.emplace(std::move(key), shared);
  return shared;
}

Result<SharedDfa> SchemaTexts::character() {
  return once("character", [&] { return json_character(budget_); });
}
Result<SharedDfa> SchemaTexts::any_text() {
  return once("text", [&] { return json_text(budget_); });
}
Result<SharedDfa> SchemaTexts::pattern(std::string_view regex) {
  return once(fmt::format("pattern {}", regex), [&] { return regex_dfa(regex, {Reach::anywhere, Spelling::json}, budget_); });
}
Result<SharedDfa> SchemaTexts::format(std::string_view regex) {
  return once(fmt::format("format {}", regex), [&] { return regex_dfa(regex, {Reach::whole, Spelling::json}, budget_); });
}

Result<SharedDfa> SchemaTexts::words(const std::vector<std::string>& words) {
  return std::make_shared<const Dfa>(PUNA_TRY(any_of(words, budget_)));
}
Result<SharedDfa> SchemaTexts::bound(Bound bound, const Decimal& limit) {
  return once(fmt::format("bound {} {}", static_cast<int>(bound), limit.text()),
              [&] { return numbers_within(bound, limit, budget_); });
}
Result<SharedDfa> SchemaTexts::multiples(const Decimal& factor) {
  return once(fmt::format("multiples {}", factor.text()), [&] { return multiples_of(factor, budget_); });
}

Result<SharedDfa> SchemaTexts::combined(Combine combine, const SharedDfa& a, const SharedDfa& b) {
  const auto found = combined_.find({combine, a, b});
  if (found != combined_.end()) return found->second;
  auto shared = std::make_shared<const Dfa>(PUNA_TRY(combine(*a, *b, budget_)));
  combined_.emplace(std::tuple{combine, a, b}, shared);
  return shared;
}

Result<SharedDfa> SchemaTexts::all_but(const SharedDfa& from, const SharedDfa& what) { return combined(&subtract, from, what); }
Result<SharedDfa> SchemaTexts::common(const SharedDfa& a, const SharedDfa& b) { return combined(&intersect, a, b); }
Result<SharedDfa> SchemaTexts::joined(const SharedDfa& a, const SharedDfa& b) { return combined(&unite, a, b); }

Result<SharedDfa> SchemaTexts::narrowed(SharedDfa all, const std::vector<Form>& forms) {
  // The smallest first, so that products stay small.
  std::vector<const Form*> order;
  for (const auto& form : forms) order.push_back(&form);
  std::stable_sort(order.begin(), order.end(), [](const Form* a, const Form* b) {
    return a->negated != b->negated ? b->negated : a->dfa->size() < b->dfa->size();
  });
  for (const Form* form : order) all = form->negated ? PUNA_TRY(all_but(all, form->dfa)) : PUNA_TRY(common(all, form->dfa));
  return all;
}

Result<SharedDfa> SchemaTexts::numbers(Kinds kinds, const NumberRules& rules) {
  const bool listed =
      std::any_of(rules.forms.begin(), rules.forms.end(), [](const Form& form) { return form.listed && !form.negated; });
  const NumberKinds wanted{(kinds & kInteger) != 0, (kinds & kFraction) != 0};
  const auto all = PUNA_TRY(
      once(fmt::format("numbers {} {}", kinds & kNumber, listed), [&] { return number_texts(wanted, listed, budget_); }));
  return narrowed(all, rules.forms);
}

Result<SharedDfa> SchemaTexts::strings(const StringRules& rules) {
  if (rules.length.impossible()) return std::make_shared<const Dfa>();
  auto all = PUNA_TRY(narrowed(PUNA_TRY(any_text()), rules.forms));
  if (all->empty() || rules.length == Span64{}) return all;
  const auto [min, max] = rules.length;
  const std::string key =
      fmt::format("length {} {} {}", static_cast<const void*>(all.get()), min, max ? fmt::format("{}", *max) : "");
  kept_.push_back(all);  // the key names it
  return once(key, [&] { return of_length(*all, min, max, budget_); });
}

}  // namespace puna::text::grammar
