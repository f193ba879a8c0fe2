#include "kv/spec.h"

#include <algorithm>

#include "base/check.h"

namespace puna::kv {

std::uint32_t blocks_for(std::uint32_t window, std::uint32_t block_tokens, std::uint32_t n_ctx, std::uint32_t n_step) {
  PUNA_CHECK(block_tokens > 0 && n_step > 0);
  const std::uint64_t whole_context = (std::uint64_t{n_ctx} + block_tokens - 1) / block_tokens;
  if (window == 0) return static_cast<std::uint32_t>(whole_context);
  // A step reads and writes a run of window - 1 + n_step tokens that may begin anywhere in a block.
  const std::uint64_t run = std::uint64_t{window} - 1 + std::min(n_step, n_ctx);
  const std::uint64_t touched = run == 0 ? 0 : (run + block_tokens - 2) / block_tokens + 1;
  return static_cast<std::uint32_t>(std::min(whole_context, touched));
}

}  // namespace puna::kv
