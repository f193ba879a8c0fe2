#include "kv/block_pool.h"

#include "base/check.h"

namespace puna::kv {

BlockPool::BlockPool(std::uint32_t n_blocks) : entries_(n_blocks), free_(n_blocks) {
  for (std::uint32_t i = 0; i < n_blocks; ++i) free_[i] = n_blocks - 1 - i;
}

BlockId BlockPool::take() {
  PUNA_CHECK(!free_.empty());
  const BlockId block = free_.back();
  free_.pop_back();
  entries_[block].holders = 1;
  return block;
}

void BlockPool::hold(BlockId block) {
  Entry& entry = entries_[block];
  if (entry.holders == 0) {
    PUNA_CHECK(entry.node != kNoNode, "a free block was held");
    unlink(block);
  }
  ++entry.holders;
}

void BlockPool::release(BlockId block) {
  Entry& entry = entries_[block];
  PUNA_CHECK(entry.holders > 0);
  if (--entry.holders > 0) return;
  if (entry.node != kNoNode) {
    append_newest(block);
  } else {
    free_.push_back(block);
  }
}

void BlockPool::set_node(BlockId block, NodeId node) {
  Entry& entry = entries_[block];
  if (entry.holders == 0) {
    PUNA_CHECK(entry.node != kNoNode && node == kNoNode, "only a held block enters a node");
    unlink(block);
    free_.push_back(block);
  }
  entry.node = node;
}

void BlockPool::append_newest(BlockId block) {
  entries_[block].older = newest_;
  entries_[block].newer = kNoBlock;
  (newest_ == kNoBlock ? oldest_ : entries_[newest_].newer) = block;
  newest_ = block;
  ++n_cached_;
}

void BlockPool::unlink(BlockId block) {
  const auto [holders, node, older, newer] = entries_[block];
  (older == kNoBlock ? oldest_ : entries_[older].newer) = newer;
  (newer == kNoBlock ? newest_ : entries_[newer].older) = older;
  --n_cached_;
}

}  // namespace puna::kv
