// Which pairs of neighbours a BPE vocabulary merges, and in which order. Encoding asks this for each pair that it makes, and most
// answers are no: what is asked most often lies close together, so that the processor's caches hold it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "text/hash.h"
#include "text/vocabulary.h"

namespace puna::text {

class Merges {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // Merges whose parts or whole are no tokens, or whole a control token, can never apply and are left out, with one warning; of
  // equal pairs the first counts. Errors: a merge that is not two parts, or too many.
  static Result<Merges> make(const VocabularyData& data, const Vocabulary& vocabulary);

  // The pair's rank, by which the lowest is merged first, or kNone. Both are tokens.
  std::uint32_t rank(TokenId left, TokenId right) const {
    const auto l = static_cast<std::uint32_t>(left);
    const auto r = static_cast<std::uint32_t>(right);
    if (l < n_first_ && r < n_first_) return first_[l * n_first_ + r];
    const std::uint64_t hash = hash_of(l, r);
    const std::uint64_t bit = hash >> filter_shift_;
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return kNone;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].rank != kNone; at = (at + 1) & mask) {
      if (slots_[at].left == left && slots_[at].right == right) return slots_[at].rank;
    }
    return kNone;
  }
  // What the pair of this rank becomes.
  TokenId whole(std::uint32_t rank) const { return wholes_[rank]; }

 private:
  struct Slot {
    TokenId left = kNoToken;
    TokenId right = kNoToken;
    std::uint32_t rank = kNone;
  };

  std::uint64_t hash_of(std::uint32_t left, std::uint32_t right) const {
    return hash_number(std::uint64_t{left} << 32 | right, seed_);
  }
  void reserve(std::size_t n_merges, std::size_t n_tokens);
  void insert(TokenId left, TokenId right, std::uint32_t rank);

  std::vector<Slot> slots_;            // open addressing; a power of two, at most two thirds full
  std::vector<TokenId> wholes_;        // by rank: ranks that are often asked for are neighbours
  std::vector<std::uint64_t> filter_;  // a bit for some of the hash: 0 where no pair has it
  unsigned filter_shift_ = 63;
  // Ranks of all pairs of the first tokens, which most vocabularies give to bytes and to the most frequent pairs.
  std::vector<std::uint32_t> first_;  // [n_first][n_first]
  std::uint32_t n_first_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace puna::text
