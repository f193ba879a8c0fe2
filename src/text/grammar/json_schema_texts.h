// The automata of one compilation, each made once: patterns, formats, bounds, and what they make together.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "text/grammar/json_schema_clause.h"
#include "text/grammar/json_schema_number.h"

namespace puna::text::grammar {

using SharedDfa = std::shared_ptr<const Dfa>;

class SchemaTexts {
 public:
  explicit SchemaTexts(Budget& budget) : budget_(budget) {}

  Result<SharedDfa> character();                      // of a string
  Result<SharedDfa> any_text();                       // any number of them
  Result<SharedDfa> pattern(std::string_view regex);  // a part of the text matches
  Result<SharedDfa> format(std::string_view regex);   // the whole text does
  Result<SharedDfa> words(const std::vector<std::string>& words);
  Result<SharedDfa> bound(Bound bound, const Decimal& limit);
  Result<SharedDfa> multiples(const Decimal& factor);

  // What the rules leave of the numbers of those kinds, and of the strings (without quotes).
  Result<SharedDfa> numbers(Kinds kinds, const NumberRules& rules);
  Result<SharedDfa> strings(const StringRules& rules);

  Result<SharedDfa> all_but(const SharedDfa& from, const SharedDfa& what);
  Result<SharedDfa> common(const SharedDfa& a, const SharedDfa& b);
  Result<SharedDfa> joined(const SharedDfa& a, const SharedDfa& b);
  Budget& budget() { return budget_; }

 private:
  Result<SharedDfa> once(std::string key, const std::function<Result<Dfa>()>& make);
  using Combine = Result<Dfa> (*)(const Dfa&, const Dfa&, Budget&);
  Result<SharedDfa> combined(Combine combine, const SharedDfa& a, const SharedDfa& b);
  Result<SharedDfa> narrowed(SharedDfa all, const std::vector<Form>& forms);

  Budget& budget_;
  std::map<std::string, SharedDfa, std::less<>> made_;
  std::vector<SharedDfa> kept_;
  std::map<std::tuple<Combine, SharedDfa, SharedDfa>, SharedDfa> combined_;
};

}  // namespace puna::text::grammar
