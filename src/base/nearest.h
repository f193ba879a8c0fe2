// "Did you mean …?": of the words that would have been right the one that was most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace puna {

// Of `known` the word with the fewest letters inserted, left out, replaced or swapped with their neighbour; the first of equal
// ones. Empty where more than a third of the letters would have to change: a wrong guess helps less than none.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);
std::string_view nearest(std::string_view word, std::span<const std::string> known);

}  // namespace puna
