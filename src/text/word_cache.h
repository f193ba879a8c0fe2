// Words that came up before in the same text, and their tokens: texts repeat their words, and looking one up is much cheaper than
// merging it.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <vector>

#include "base/token.h"
#include "text/hash.h"

namespace puna::text {

// A word whose place is taken drives the other out.
class WordCache {
 public:
  explicit WordCache(std::size_t text_size) : seed_(hash_seed()) {
    if (text_size >= kShortText) slots_.resize(std::min(std::bit_ceil(text_size / 8), kMostSlots));
  }

  bool is_used_for(std::string_view word) const { return !slots_.empty() && word.size() <= kLongestWord; }

  // The tokens of `word`, from the cache or from make(), which may give any number.
  template <class Make>
  std::span<const TokenId> get(std::string_view word, Make&& make) {
    if (!is_used_for(word)) return make();
    const std::uint64_t hash = hash_bytes(word, seed_);
    Slot& slot = slots_[hash & (slots_.size() - 1)];
    if (slot.hash == hash && slot.word == word) return {ids_.data() + slot.begin, slot.n};
    const std::span<const TokenId> made = make();
    if (ids_.size() + made.size() > kMostIds) return made;
    slot = {hash, word, static_cast<std::uint32_t>(ids_.size()), static_cast<std::uint32_t>(made.size())};
    ids_.insert(ids_.end(), made.begin(), made.end());
    return made;
  }

 private:
  static constexpr std::size_t kShortText = 256;
  static constexpr std::size_t kMostSlots = std::size_t{1} << 15;
  static constexpr std::size_t kMostIds = std::size_t{1} << 22;
  static constexpr std::size_t kLongestWord = 64;

  struct Slot {
    std::uint64_t hash = 0;
    std::string_view word;  // in the text; the empty one is never looked for
    std::uint32_t begin = 0, n = 0;
  };
  std::vector<Slot> slots_;
  std::vector<TokenId> ids_;
  std::uint64_t seed_;
};

// Appends a word's tokens to those of its text, which begin at `begin`; unknown neighbours become one.
inline void append_word(std::span<const TokenId> word, TokenId unk, std::size_t begin, std::vector<TokenId>& out) {
  const bool joins = !word.empty() && unk != kNoToken && word.front() == unk && out.size() > begin && out.back() == unk;
  out.insert(out.end(), word.begin() + (joins ? 1 : 0), word.end());
}

}  // namespace puna::text
