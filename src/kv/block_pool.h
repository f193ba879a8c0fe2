// The blocks of one layer group: who is free, how many hold each one, and in which order those that nobody holds any
// more but that may be used again are given up.
#pragma once

#include <cstdint>
#include <vector>

#include "kv/spec.h"

namespace puna::kv {

// A node of the prefix tree; declared here because a cached block knows its node.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

class BlockPool {
 public:
  explicit BlockPool(std::uint32_t n_blocks);

  // A block out of the free ones (there must be one), held once, in no node. Lowest numbers first at the beginning, the
  // last freed one first later: memory that was never touched stays untouched as long as possible.
  BlockId take();

  void hold(BlockId block);     // one more holder; a cached block leaves the order of eviction
  void release(BlockId block);  // one holder less; after the last one the block is cached if it is in a node, else free
  void set_node(BlockId block, NodeId node);  // kNoNode takes it out of its node; unheld, it becomes free

  std::uint32_t holders(BlockId block) const { return entries_[block].holders; }
  NodeId node(BlockId block) const { return entries_[block].node; }
  // The cached block that was released the longest ago, or kNoBlock.
  BlockId oldest() const { return oldest_; }

  std::uint32_t n_blocks() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t n_free() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t n_cached() const { return n_cached_; }
  std::uint32_t n_held() const { return n_blocks() - n_free() - n_cached_; }
  std::uint32_t n_available() const { return n_free() + n_cached_; }  // free, or free after an eviction

 private:
  struct Entry {
    std::uint32_t holders = 0;
    NodeId node = kNoNode;
    BlockId older = kNoBlock;  // neighbours in the order of eviction, while cached
    BlockId newer = kNoBlock;
  };

  void append_newest(BlockId block);
  void unlink(BlockId block);

  std::vector<Entry> entries_;
  std::vector<BlockId> free_;  // a stack
  BlockId oldest_ = kNoBlock;
  BlockId newest_ = kNoBlock;
  std::uint32_t n_cached_ = 0;
};

}  // namespace puna::kv
