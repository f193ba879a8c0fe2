#include "engine/context_shift.h"

#include <algorithm>

#include "base/check.h"

namespace puna::engine {

std::vector<TokenId> shifted(std::span<const TokenId> tokens, std::int64_t n_ctx, std::int64_t n_keep) {
  PUNA_CHECK(n_keep >= 0 && n_keep < n_ctx && n_keep < static_cast<std::int64_t>(tokens.size()));
  const auto rest = static_cast<std::int64_t>(tokens.size()) - n_keep;
  const std::int64_t newest = std::min(rest, std::max<std::int64_t>(1, (n_ctx - n_keep) / 2));
  std::vector<TokenId> result(tokens.begin(), tokens.begin() + n_keep);
  result.insert(result.end(), tokens.end() - newest, tokens.end());
  return result;
}

}  // namespace puna::engine
