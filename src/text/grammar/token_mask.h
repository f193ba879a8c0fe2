// Which tokens may come next.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "text/grammar/stacks.h"
#include "text/grammar/token_trie.h"

namespace puna::text::grammar {

// A set of tokens: few as a list, many as bits.
class TokenMask {
 public:
  TokenMask() = default;
  // bits: [n_vocab / 64, rounded up]
  explicit TokenMask(std::span<const std::uint64_t> bits);

  std::size_t count() const { return count_; }
  bool allows(TokenId id) const {
    if (bits_.empty()) return std::ranges::binary_search(few_, id);
    return bits_[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1;
  }
  // take(id), ascending.
  template <class Take>
  void for_each(const Take& take) const {
    for (const TokenId id : few_) take(id);
    for (std::size_t i = 0; i < bits_.size(); ++i)
      for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1)
        take(static_cast<TokenId>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
  }
  void add_to(std::span<std::uint64_t> bits) const;
  std::size_t bytes() const { return sizeof(*this) + 8 * bits_.size() + 4 * few_.size(); }

 private:
  static constexpr std::size_t kFew = 512;
  std::vector<std::uint64_t> bits_;
  std::vector<TokenId> few_;  // ascending
  std::size_t count_ = 0;
};

// Finds masks and keeps them. Most of a mask depends on the states on top only and not on the stack below them: that part is
// found once for each set of states, by a walk through the whole trie, together with the places in the trie where the frame on
// top ends. From these a situation's own mask needs only what is below those places.
class Masks {
 public:
  // All must outlive this; `ends`: the tokens that end an answer.
  Masks(Stacks& stacks, const TokenTrie& trie, std::span<const TokenId> ends);

  // Of the tokens that may follow; the end tokens where the text is complete. at_start: one space at a token's beginning is
  // not shown. Valid until the next call. Errors: too ambiguous a grammar.
  Result<const TokenMask*> find(SituationId situation, bool at_start);
  bool knows(SituationId situation, bool at_start);
  std::size_t bytes() const { return bytes_; }

 private:
  // Of situations in an open frame. Where the frame ends though tokens go on: the nodes right below, by their byte, so that only
  // those are looked at whose byte may follow; those of byte b are below[begins[b], begins[b + 1]).
  struct Local {
    TokenMask mask;
    std::vector<std::uint32_t> below;
    std::array<std::uint32_t, 257> begins{};
  };

  void collect(SituationId situation);
  void collect_at_start(SituationId situation);
  void collect_named_tokens(SituationId situation);
  const Local& local(SituationId open);
  void collect_below(const Local& local, SituationId situation);
  void sort_below(const std::vector<std::uint32_t>& leaves, Local& local) const;
  void walk(std::uint32_t begin, std::uint32_t end, SituationId from, std::vector<std::uint32_t>* leaves);
  void set_tokens(std::uint32_t begin, std::uint32_t end);
  const AsciiSet& loop_of(SituationId situation);
  bool fits(SituationId situation, std::string_view bytes);
  void set(TokenId id) { bits_[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64); }

  Stacks& stacks_;
  const TokenTrie& trie_;
  std::span<const TokenId> ends_;
  std::vector<std::uint16_t> class_of_;                 // [byte]
  std::unordered_map<std::uint64_t, TokenMask> masks_;  // situation, at_start
  std::unordered_map<SituationId, Local> locals_;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<SituationId> path_;  // [depth]
  // [situation]: the ASCII letters after which it is the same again; made where a walk would pay.
  std::vector<std::uint32_t> loop_numbers_;  // in loops_, + 1; 0: not made
  std::vector<AsciiSet> loops_;
};

}  // namespace puna::text::grammar
