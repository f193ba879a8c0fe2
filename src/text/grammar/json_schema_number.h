// Numbers of JSON Schema as automata over their normal form: plain decimal digits, no exponent, no needless zero, no "-0".
#pragma once

#include <optional>
#include <string>

#include "base/value.h"
#include "text/grammar/dfa.h"

namespace puna::text::grammar {

// A number by its digits: 0 is {false, "0", ""}.
struct Decimal {
  bool negative = false;
  std::string whole;     // no leading zero but of "0"
  std::string fraction;  // no trailing zero
  std::string text() const;
};
// The number as it was written, or of a double the shortest digits that read back the same; none where `value` is no number.
std::optional<Decimal> decimal_of(const Value& value);

struct NumberKinds {
  bool integers = true;
  bool fractions = true;  // numbers that are no integers
};
// Every number of these kinds. What is no integer has at most 15 significant digits and 16 zeros before them, so that every
// reader whose numbers are doubles sees them in the same order, and a model cannot write digits for ever; unless `unbounded`.
Result<Dfa> number_texts(NumberKinds kinds, bool unbounded, Budget& budget);

enum class Bound { at_least, above, at_most, below };
Result<Dfa> numbers_within(Bound bound, const Decimal& limit, Budget& budget);
// `factor` is above 0.
Result<Dfa> multiples_of(const Decimal& factor, Budget& budget);

}  // namespace puna::text::grammar
