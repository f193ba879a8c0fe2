#include "kv/manager.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace puna::kv {

Manager::Manager(Spec spec) : spec_(std::move(spec)), tree_(spec_.block_tokens, spec_.groups.size()) {
  PUNA_CHECK(spec_.block_tokens > 0 && !spec_.groups.empty());
  for (const LayerGroup& group : spec_.groups) pools_.emplace_back(group.n_blocks);
}

// ---- Sequences

Manager::Sequence& Manager::at(SequenceId id) {
  const auto found = sequences_.find(id.value);
  PUNA_CHECK(found != sequences_.end(), "no such sequence");
  return found->second;
}

const Manager::Sequence& Manager::at(SequenceId id) const { return const_cast<Manager*>(this)->at(id); }

SequenceId Manager::add(Sequence sequence) {
  while (sequences_.contains(next_id_)) ++next_id_;
  sequences_.emplace(next_id_, std::move(sequence));
  return SequenceId{next_id_++};
}

std::uint32_t Manager::length(SequenceId id) const { return static_cast<std::uint32_t>(at(id).tokens.size()); }
std::span<const TokenId> Manager::tokens(SequenceId id) const { return at(id).tokens; }
std::span<const BlockId> Manager::blocks(SequenceId id, std::size_t group) const { return at(id).blocks.at(group); }

SequenceId Manager::fork(SequenceId id) {
  Sequence copy = at(id);
  PUNA_CHECK(copy.n_computed == copy.tokens.size(), "a fork of what is not yet computed");
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    for (const BlockId block : copy.blocks[g]) {
      if (block != kNoBlock) pools_[g].hold(block);
    }
  }
  tree_.add_user(copy.path.back());
  return add(std::move(copy));
}

void Manager::finish(SequenceId id) {
  Sequence& sequence = at(id);
  truncate(id, sequence.n_computed);
  leave_partial_block(sequence);
  release_from(sequence, 0);
  stand_on(sequence, 0);
  tree_.remove_user(sequence.path.back());
  tree_.prune(sequence.path.back());
  sequences_.erase(id.value);
}

// ---- Beginnings that are cached

// The longest length of at most `n_tokens` at which every group has what the next token reads; has(group, block number)
// says what there is.
template <class Has>
std::uint32_t Manager::resume_point(std::uint32_t n_tokens, const Has& has) const {
  std::uint32_t n = n_tokens;
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    if (spec_.groups[g].window > 0) continue;
    std::uint32_t held = 0;
    while (held < n_blocks_for(n) && has(g, held)) ++held;
    n = std::min(n, held * spec_.block_tokens);
  }
  // A window that lacks a block can resume at that block's beginning at the latest; going back may then fail another.
  for (bool is_stable = false; !is_stable;) {
    is_stable = true;
    for (std::size_t g = 0; g < pools_.size(); ++g) {
      if (spec_.groups[g].window == 0) continue;
      const std::uint32_t first = first_block_read(spec_.groups[g].window, spec_.block_tokens, n);
      std::uint32_t lowest = n_blocks_for(n);
      while (lowest > first && has(g, lowest - 1)) --lowest;
      if (lowest == first) continue;
      n = (lowest - 1) * spec_.block_tokens;
      is_stable = false;
    }
  }
  return n;
}

Manager::Match Manager::find(std::span<const TokenId> tokens, std::uint64_t key) {
  const std::uint32_t size = spec_.block_tokens;
  Match match;
  match.path.push_back(tree_.root(key));
  while (tokens.size() >= size) {
    const NodeId next = tree_.child(match.path.back(), tokens.first(size));
    if (next == kNoNode) break;
    match.path.push_back(next);
    tokens = tokens.subspan(size);
  }
  const auto n_whole = static_cast<std::uint32_t>(match.path.size() - 1);
  const auto resumes_within = [&](NodeId node, std::uint32_t n_shared) {
    const auto has = [&](std::size_t g, std::uint32_t number) {
      return tree_.block(number < n_whole ? match.path[number + 1] : node, g) != kNoBlock;
    };
    return tree_.is_full(node) && resume_point(n_whole * size + n_shared, has) == n_whole * size + n_shared;
  };
  const auto rest = tokens.first(std::min<std::size_t>(tokens.size(), size));
  const auto [partial, n_shared] = tree_.closest_child(match.path.back(), rest, resumes_within);
  match.partial = partial;
  match.n_tokens = n_whole * size + n_shared;
  return partial == kNoNode ? whole_part(std::move(match)) : match;
}

Manager::Match Manager::whole_part(Match match) const {
  const auto has = [&](std::size_t g, std::uint32_t number) { return tree_.block(match.path[number + 1], g) != kNoBlock; };
  match.partial = kNoNode;
  match.n_tokens = resume_point(static_cast<std::uint32_t>(match.path.size() - 1) * spec_.block_tokens, has);
  match.path.resize(match.n_tokens / spec_.block_tokens + 1);
  return match;
}

Start Manager::start(std::span<const TokenId> tokens, std::size_t max_reuse, std::uint64_t key) {
  const auto reusable = tokens.first(std::min(tokens.size(), max_reuse));
  const Match match = find(reusable, key);
  Start result;
  Sequence sequence;
  if (!adopt(sequence, match, result.copies)) {
    // No room to copy the last rows: those are then computed again, when there is room.
    adopt(sequence, whole_part(match), result.copies);
  }
  result.n_cached = sequence.n_computed;
  sequence.tokens.assign(reusable.begin(), reusable.begin() + result.n_cached);
  result.id = add(std::move(sequence));
  return result;
}

// Makes `sequence` the holder of what was matched. False, and nothing held, when the partial block cannot be copied.
bool Manager::adopt(Sequence& sequence, const Match& match, std::vector<Copy>& copies) {
  const std::uint32_t n = match.n_tokens;
  sequence.path = match.path;
  sequence.n_computed = n;
  sequence.blocks.assign(pools_.size(), std::vector<BlockId>(n_blocks_for(n), kNoBlock));
  sequence.first_held.assign(pools_.size(), 0);
  tree_.add_user(sequence.path.back());
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    sequence.first_held[g] = first_block_read(spec_.groups[g].window, spec_.block_tokens, n);
    for (std::uint32_t i = sequence.first_held[g]; i < n / spec_.block_tokens; ++i) {
      sequence.blocks[g][i] = tree_.block(match.path[i + 1], g);
      pools_[g].hold(sequence.blocks[g][i]);
    }
  }
  if (match.partial == kNoNode) return true;

  std::vector<BlockId> sources;  // held meanwhile, lest an allocation evicts them
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    sources.push_back(tree_.block(match.partial, g));
    pools_[g].hold(sources[g]);
  }
  const bool has_room = std::all_of(pools_.begin(), pools_.end(), [](const BlockPool& p) { return p.n_available() > 0; });
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    if (has_room) {
      sequence.blocks[g].back() = allocate(g);
      copies.push_back({g, sources[g], sequence.blocks[g].back(), n % spec_.block_tokens});
    }
    pools_[g].release(sources[g]);
  }
  if (has_room) return true;
  release_from(sequence, 0);
  tree_.remove_user(sequence.path.back());
  return false;
}

// ---- Growing

// Whether rows of that block, which this sequence holds, may not be overwritten.
bool Manager::is_shared(std::size_t group, BlockId block) const {
  return pools_[group].holders(block) > 1 || pools_[group].node(block) != kNoNode;
}

// Blocks of a group that a sequence of `n_tokens` tokens needs beyond those it holds, a copy of its last one included.
std::uint64_t Manager::n_missing(const Sequence& sequence, std::size_t group, std::uint64_t n_tokens) const {
  const std::vector<BlockId>& held = sequence.blocks[group];
  const bool writes_last = sequence.tokens.size() % spec_.block_tokens != 0;
  const bool copies_last = writes_last && is_shared(group, held.back());
  return (n_tokens + spec_.block_tokens - 1) / spec_.block_tokens - held.size() + copies_last;
}

// Makes sure that every group can give what n_missing() says.
Result<void> Manager::ensure_room(const Sequence& sequence, std::uint64_t n_tokens) {
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    const std::uint64_t missing = n_missing(sequence, g, n_tokens);
    const BlockPool& pool = pools_[g];
    if (missing <= pool.n_available()) continue;
    // Short of just the copy, and nobody else holds the original: write in place, and forget it as a cached beginning.
    const bool writes_last = sequence.tokens.size() % spec_.block_tokens != 0;
    if (writes_last && missing == pool.n_available() + 1 && pool.holders(sequence.blocks[g].back()) == 1) {
      if (const NodeId node = pool.node(sequence.blocks[g].back()); node != kNoNode) {
        detach(node, g);
        tree_.prune(node);
        continue;
      }
    }
    return std::unexpected(
        error(ErrorKind::out_of_memory,
              "the context cache is full: {} of {} blocks of layer group '{}' ({} tokens each) are held by running "
              "sequences, {} can be freed, and {} more are needed for a sequence of {} tokens",
              pool.n_held(), pool.n_blocks(), spec_.groups[g].name, spec_.block_tokens, pool.n_available(), missing, n_tokens)
            .with_hint("a larger context (-c) makes more blocks; shorter prompts, or fewer at a time, need fewer"));
  }
  return {};
}

Result<std::vector<Copy>> Manager::extend(SequenceId id, std::span<const TokenId> tokens) {
  Sequence& sequence = at(id);
  std::vector<Copy> copies;
  if (tokens.empty()) return copies;
  const std::uint64_t length = sequence.tokens.size() + std::uint64_t{tokens.size()};
  PUNA_TRY(ensure_room(sequence, length));
  const auto n_rows = static_cast<std::uint32_t>(sequence.tokens.size() % spec_.block_tokens);
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    std::vector<BlockId>& held = sequence.blocks[g];
    if (n_rows > 0 && is_shared(g, held.back())) {
      const BlockId original = std::exchange(held.back(), allocate(g));
      copies.push_back({g, original, held.back(), n_rows});
      pools_[g].release(original);
    }
    while (held.size() * spec_.block_tokens < length) held.push_back(allocate(g));
  }
  sequence.tokens.insert(sequence.tokens.end(), tokens.begin(), tokens.end());
  return copies;
}

void Manager::commit(SequenceId id) {
  Sequence& sequence = at(id);
  sequence.n_computed = static_cast<std::uint32_t>(sequence.tokens.size());
  const std::uint32_t n_whole = sequence.n_computed / spec_.block_tokens;
  while (sequence.path.size() - 1 < n_whole) register_next_block(sequence);
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    const std::uint32_t first = first_block_read(spec_.groups[g].window, spec_.block_tokens, sequence.n_computed);
    // Ascending, so that what lies farther behind the window is evicted earlier.
    for (std::uint32_t& i = sequence.first_held[g]; i < first; ++i) {
      pools_[g].release(std::exchange(sequence.blocks[g][i], kNoBlock));
    }
  }
}

// The first whole block that is not in the tree yet enters it. Where an equal one was there first, this sequence takes
// that one, so that all that is held lies on one path and equal tokens are kept once.
void Manager::register_next_block(Sequence& sequence) {
  const std::size_t number = sequence.path.size() - 1;
  const auto tokens = std::span<const TokenId>(sequence.tokens).subspan(number * spec_.block_tokens, spec_.block_tokens);
  const NodeId parent = sequence.path.back();
  const NodeId node = tree_.insert(parent, tokens);
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    BlockId& own = sequence.blocks[g][number];
    const BlockId present = tree_.block(node, g);
    if (present == kNoBlock) {
      PUNA_CHECK(pools_[g].node(own) == kNoNode);
      pools_[g].set_node(own, node);
      tree_.set_block(node, g, own);
    } else if (present != own) {
      pools_[g].hold(present);
      pools_[g].release(std::exchange(own, present));
    }
  }
  tree_.add_user(node);
  tree_.remove_user(parent);
  sequence.path.push_back(node);
  if (const NodeId leaf = tree_.leaf_covered_by(parent, tokens); leaf != kNoNode) forget(leaf);
}

// ---- Shrinking

std::uint32_t Manager::truncate(SequenceId id, std::uint32_t n_tokens) {
  Sequence& sequence = at(id);
  PUNA_CHECK(n_tokens <= sequence.tokens.size());
  std::uint32_t n = n_tokens;
  if (n < sequence.n_computed) {
    const auto cached = [&](std::size_t g, std::uint32_t number) {
      return number + 1 < sequence.path.size() ? tree_.block(sequence.path[number + 1], g) : kNoBlock;
    };
    n = resume_point(n, [&](std::size_t g, std::uint32_t number) {
      return sequence.blocks[g][number] != kNoBlock || cached(g, number) != kNoBlock;
    });
    // What fell behind the window and is read again from the new length.
    for (std::size_t g = 0; g < pools_.size(); ++g) {
      const std::uint32_t first = first_block_read(spec_.groups[g].window, spec_.block_tokens, n);
      for (std::uint32_t i = first; i < std::min(sequence.first_held[g], n_blocks_for(n)); ++i) {
        sequence.blocks[g][i] = cached(g, i);
        pools_[g].hold(sequence.blocks[g][i]);
      }
      sequence.first_held[g] = std::min(sequence.first_held[g], first);
    }
    sequence.n_computed = n;
  }
  release_from(sequence, n_blocks_for(n));
  stand_on(sequence, std::min<std::size_t>(sequence.path.size() - 1, n / spec_.block_tokens));
  sequence.tokens.resize(n);
  return n;
}

// Lets go of all blocks from that number on; the last ones first, so that they are evicted before those they follow.
void Manager::release_from(Sequence& sequence, std::uint32_t block_number) {
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    std::vector<BlockId>& held = sequence.blocks[g];
    for (; held.size() > block_number; held.pop_back()) {
      if (held.back() != kNoBlock) pools_[g].release(held.back());
    }
  }
}

// Moves the sequence up to its node number `n_whole` (0: the root).
void Manager::stand_on(Sequence& sequence, std::size_t n_whole) {
  const NodeId before = sequence.path.back();
  sequence.path.resize(n_whole + 1);
  tree_.add_user(sequence.path.back());
  tree_.remove_user(before);
  tree_.prune(before);
}

// What a finished sequence computed of its last block stays in the tree as a leaf, unless the tree has it already.
void Manager::leave_partial_block(Sequence& sequence) {
  const std::size_t n_rows = sequence.tokens.size() % spec_.block_tokens;
  if (n_rows == 0) return;
  const NodeId parent = sequence.path.back();
  const auto tokens = std::span<const TokenId>(sequence.tokens).last(n_rows);
  const auto covers = [&](NodeId child, std::uint32_t n_shared) { return n_shared == n_rows && tree_.is_full(child); };
  if (tree_.closest_child(parent, tokens, covers).first != kNoNode) return;
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    if (is_shared(g, sequence.blocks[g].back())) return;  // a fork goes on with it, and will leave it itself
  }
  const NodeId node = tree_.insert(parent, tokens);
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    pools_[g].set_node(sequence.blocks[g].back(), node);
    tree_.set_block(node, g, sequence.blocks[g].back());
  }
  if (const NodeId leaf = tree_.leaf_covered_by(parent, tokens); leaf != kNoNode) forget(leaf);
}

// ---- Room

BlockId Manager::allocate(std::size_t group) {
  if (pools_[group].n_free() == 0) evict_oldest(group);
  return pools_[group].take();
}

void Manager::evict_oldest(std::size_t group) {
  const BlockId block = pools_[group].oldest();
  PUNA_CHECK(block != kNoBlock, "an eviction with nothing cached");
  const NodeId node = pools_[group].node(block);
  // A beginning without its full attention, or a leaf without one of its groups, is of no use to anyone; without a
  // window's block it still is, for all that begins farther on.
  if (spec_.groups[group].window == 0 || tree_.is_partial(node)) return forget(node);
  detach(node, group);
  tree_.prune(node);
}

void Manager::forget(NodeId node) {
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    if (tree_.block(node, g) != kNoBlock) detach(node, g);
  }
  tree_.prune(node);
}

// A block that someone holds becomes theirs alone, any other becomes free.
void Manager::detach(NodeId node, std::size_t group) {
  pools_[group].set_node(tree_.block(node, group), kNoNode);
  tree_.set_block(node, group, kNoBlock);
}

void Manager::clear_cache() {
  for (std::size_t g = 0; g < pools_.size(); ++g) {
    while (pools_[g].oldest() != kNoBlock) evict_oldest(g);
  }
}

GroupUsage Manager::usage(std::size_t group) const {
  const BlockPool& pool = pools_.at(group);
  return {.pinned = pool.n_held(), .cached = pool.n_cached(), .free = pool.n_free()};
}

}  // namespace puna::kv
