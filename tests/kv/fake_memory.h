// The memory that the manager keeps the books of, simulated: a row holds a fingerprint of its token and of all tokens
// before it (as real keys and values depend on them), so that a row in the wrong place, stale or overwritten is seen.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kv/manager.h"

namespace puna::kv {

inline std::uint64_t fingerprint(std::uint64_t before, TokenId token) {
  std::uint64_t x = before * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(token) + 1;
  x ^= x >> 29;
  return x * 0xbf58476d1ce4e5b9u;
}

class FakeMemory {
 public:
  explicit FakeMemory(const Spec& spec) : spec_(spec) {
    for (const LayerGroup& group : spec.groups) rows_.emplace_back(std::size_t{group.n_blocks} * spec.block_tokens, 0);
  }

  void run(const std::vector<Copy>& copies) {
    for (const Copy& copy : copies) {
      ASSERT_NE(copy.from, copy.to);
      for (std::uint32_t row = 0; row < copy.n_tokens; ++row) at(copy.group, copy.to, row) = at(copy.group, copy.from, row);
    }
  }

  // Writes the rows of positions `from` … end of the sequence, as a step does.
  void compute(const Manager& manager, SequenceId id, std::uint64_t key, std::uint32_t from) {
    const std::vector<std::uint64_t> prints = fingerprints(manager.tokens(id), key);
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      const auto blocks = manager.blocks(id, g);
      for (std::uint32_t p = from; p < prints.size(); ++p) {
        ASSERT_NE(blocks[p / spec_.block_tokens], kNoBlock);
        at(g, blocks[p / spec_.block_tokens], p % spec_.block_tokens) = prints[p];
      }
    }
  }

  // Every row that a token at `position` reads (of those before `end`) must be the sequence's own.
  void expect_readable(const Manager& manager, SequenceId id, std::uint64_t key, std::uint32_t position, std::uint32_t end) {
    const std::vector<std::uint64_t> prints = fingerprints(manager.tokens(id), key);
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      const auto blocks = manager.blocks(id, g);
      const std::uint32_t window = spec_.groups[g].window;
      for (std::uint32_t p = window == 0 || position < window ? 0 : position - window + 1; p < end; ++p) {
        const BlockId block = blocks[p / spec_.block_tokens];
        ASSERT_NE(block, kNoBlock) << "group " << g << " position " << p << " of " << end;
        ASSERT_EQ(at(g, block, p % spec_.block_tokens), prints[p]) << "group " << g << " position " << p << " of " << end;
      }
    }
  }

 private:
  static std::vector<std::uint64_t> fingerprints(std::span<const TokenId> tokens, std::uint64_t key) {
    std::vector<std::uint64_t> prints;
    std::uint64_t print = key + 12345;
    for (const TokenId token : tokens) prints.push_back(print = fingerprint(print, token));
    return prints;
  }
  std::uint64_t& at(std::size_t group, BlockId block, std::uint32_t row) {
    return rows_[group].at(std::size_t{block} * spec_.block_tokens + row);
  }

  Spec spec_;
  std::vector<std::vector<std::uint64_t>> rows_;  // [group][block * block_tokens + row]
};

}  // namespace puna::kv
