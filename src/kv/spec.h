// What the cache is told about a model's layers: kinds are data, so that a new kind is a row and not a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace puna::kv {

// A block is room for the keys and values of Spec::block_tokens tokens in every layer of one group. Its id is its place
// in the group's memory, 0 … n_blocks - 1.
using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = ~BlockId{0};

// Layers that keep the same tokens, and therefore share one list of blocks.
struct LayerGroup {
  std::string name;
  std::uint32_t window = 0;  // 0: full attention; else a token attends to itself and the window - 1 tokens before it
  std::uint32_t n_blocks = 0;
};

struct Spec {
  std::uint32_t block_tokens = 32;
  std::vector<LayerGroup> groups;
};

// Rows 0 … n_tokens - 1 of block `from` are to be copied to block `to`, in every layer of the group.
struct Copy {
  std::size_t group = 0;
  BlockId from = kNoBlock;
  BlockId to = kNoBlock;
  std::uint32_t n_tokens = 0;
  bool operator==(const Copy&) const = default;
};

// The number of the first block that a token at `position` still reads in a layer of that window.
constexpr std::uint32_t first_block_read(std::uint32_t window, std::uint32_t block_tokens, std::uint32_t position) {
  if (window == 0 || position < window) return 0;
  return (position - window + 1) / block_tokens;
}

// The most blocks that one sequence of at most `n_ctx` tokens holds in a group of that window when a step computes at
// most `n_step` of its tokens. A pool of that size always has room for it; more than that is room for others and for
// what may be used again.
std::uint32_t blocks_for(std::uint32_t window, std::uint32_t block_tokens, std::uint32_t n_ctx, std::uint32_t n_step);

}  // namespace puna::kv
