// The cache of keys and values, as bookkeeping: which block of which layer group holds which tokens of which sequence.
// No memory and no tensors: the owner of the memory writes rows where blocks() says, and runs the copies it is given.
//
// The life of a sequence:
//   auto [id, n_cached, copies] = manager.start(prompt, prompt.size() - 1);
//   repeat: copies += manager.extend(id, next tokens);  run the copies;  compute the tokens;  manager.commit(id);
//   manager.finish(id);
//
// Equal beginnings are held once: whole blocks are shared by reference, between running sequences as well as with what
// finished ones left behind; of a block that agrees in part, the rows that agree are copied. Where two sequences
// compute equal blocks at the same time, the second one's commit lets go of its own and takes the first one's: equal
// tokens have equal rows, bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "kv/block_pool.h"
#include "kv/prefix_tree.h"
#include "kv/spec.h"

namespace puna::kv {

struct SequenceId {
  std::uint32_t value = 0;
  bool operator==(const SequenceId&) const = default;
};

struct Start {
  SequenceId id;
  std::uint32_t n_cached = 0;  // tokens that need no computing: the length of the new sequence
  std::vector<Copy> copies;
};

struct GroupUsage {
  std::uint32_t pinned = 0;  // blocks that running sequences hold
  std::uint32_t cached = 0;  // blocks that nobody holds and that may be used again, or be evicted
  std::uint32_t free = 0;
};

// Copies must be run in the order in which they were returned, all before the next step writes any row: a block that a
// copy reads may already be promised to a sequence that writes it in that step.
// Spans that are returned live until the next call that changes that sequence.
// A SequenceId that is unknown, or was finished, is a bug of the caller (PUNA_CHECK).
class Manager {
 public:
  explicit Manager(Spec spec);

  const Spec& spec() const { return spec_; }

  // A new sequence that begins with `tokens`. It takes the longest cached beginning, at most `max_reuse` tokens, at
  // which every group can resume: full attention needs all of it, a window only the blocks that it still reads. `key`
  // separates what must not be shared though the tokens are equal (adapters, rope settings, tenants). The rest of the
  // tokens is not taken: the caller extends by it, in steps of its choice.
  Start start(std::span<const TokenId> tokens, std::size_t max_reuse, std::uint64_t key = 0);

  // Room for `tokens` behind the sequence, to be computed next. All or nothing. The copies are of a last block that
  // others read too. Error: out_of_memory, with the numbers, when a group lacks blocks even after evicting all that
  // nobody holds.
  Result<std::vector<Copy>> extend(SequenceId id, std::span<const TokenId> tokens);

  // All tokens of the sequence have been computed. Its whole blocks can be matched by others from now on, and blocks
  // that fell behind a window are let go (they stay cached until their room is needed).
  void commit(SequenceId id);

  // Cuts the sequence to its first `n_tokens` tokens and returns the length that remains: `n_tokens`, or less where a
  // windowed group no longer has what a token at that position reads. It is exact down to the length at the last commit,
  // so a step that turns out wrong can always be taken back.
  std::uint32_t truncate(SequenceId id, std::uint32_t n_tokens);

  // A second sequence with the same tokens, sharing all blocks; what one adds later the other never sees. Everything
  // must have been committed.
  SequenceId fork(SequenceId id);

  // The sequence ends. What was committed stays cached, its last partial block included, until the room is needed.
  void finish(SequenceId id);

  std::uint32_t length(SequenceId id) const;
  std::span<const TokenId> tokens(SequenceId id) const;
  // Block of position p: blocks(...)[p / block_tokens], row p % block_tokens. kNoBlock where it fell behind the window.
  std::span<const BlockId> blocks(SequenceId id, std::size_t group) const;

  // Forgets what nobody holds. What running sequences hold can still be matched.
  void clear_cache();

  GroupUsage usage(std::size_t group) const;
  std::size_t n_sequences() const { return sequences_.size(); }

 private:
  struct Sequence {
    std::vector<TokenId> tokens;
    std::uint32_t n_computed = 0;
    std::vector<NodeId> path;                  // root, then the tree's node of every whole computed block
    std::vector<std::vector<BlockId>> blocks;  // [group][block number]
    std::vector<std::uint32_t> first_held;     // [group] blocks before this number fell behind the window
  };
  // A beginning of a prompt as the tree has it: whole blocks, then rows of one more block.
  struct Match {
    std::vector<NodeId> path;  // root, then the nodes of the whole blocks
    NodeId partial = kNoNode;
    std::uint32_t n_tokens = 0;
  };

  Sequence& at(SequenceId id);
  const Sequence& at(SequenceId id) const;
  SequenceId add(Sequence sequence);
  std::uint32_t n_blocks_for(std::uint32_t n_tokens) const { return (n_tokens + spec_.block_tokens - 1) / spec_.block_tokens; }

  template <class Has>
  std::uint32_t resume_point(std::uint32_t n_tokens, const Has& has) const;
  Match find(std::span<const TokenId> tokens, std::uint64_t key);
  Match whole_part(Match match) const;
  bool adopt(Sequence& sequence, const Match& match, std::vector<Copy>& copies);

  bool is_shared(std::size_t group, BlockId block) const;
  std::uint64_t n_missing(const Sequence& sequence, std::size_t group, std::uint64_t n_tokens) const;
  Result<void> ensure_room(const Sequence& sequence, std::uint64_t n_tokens);
  void register_next_block(Sequence& sequence);

  void release_from(Sequence& sequence, std::uint32_t block_number);
  void stand_on(Sequence& sequence, std::size_t n_whole);
  void leave_partial_block(Sequence& sequence);

  BlockId allocate(std::size_t group);
  void evict_oldest(std::size_t group);
  void forget(NodeId node);
  void detach(NodeId node, std::size_t group);

  Spec spec_;
  std::vector<BlockPool> pools_;  // [group]
  PrefixTree tree_;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  std::uint32_t next_id_ = 0;
};

}  // namespace puna::kv
