// A token is its number in the vocabulary.
#pragma once

#include <cstdint>

namespace puna {

using TokenId = std::int32_t;
inline constexpr TokenId kNoToken = -1;

}  // namespace puna
