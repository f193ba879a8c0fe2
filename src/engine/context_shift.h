// What stays when the context is full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/token.h"

namespace puna::engine {

// The first n_keep tokens and the newest half of what n_ctx leaves beside them (at least one token): always shorter than
// n_ctx + 1, and the end of the text is in it. Computed again from there, as an ordinary prompt.
std::vector<TokenId> shifted(std::span<const TokenId> tokens, std::int64_t n_ctx, std::int64_t n_keep);

}  // namespace puna::engine
