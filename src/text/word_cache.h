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

  // The tokens of `word`, from the cache or from make(), which may give any number. What comes back is good until the next call.
  template <class Make>
  std::span<const TokenId> get(std::string_view word, Make&& make) {
    if (!is_used_for(word)) return make();
    const std::uint64_t hash = hash_bytes(word, seed_);
    Slot& slot = slots_[hash & (slots_.size() - 1)];
    if (slot.hash == hash && std::string_view(slot.word, slot.size) == word) {
      return {slot.n == 1 ? &slot.first : ids_.data() + slot.first, slot.n};
    }
    const std::span<const TokenId> made = make();
    if (made.size() != 1 && ids_.size() + made.size() > kMostIds) return made;
    slot = {hash, word.data(), static_cast<std::uint16_t>(word.size()), static_cast<std::uint16_t>(made.size()), 0};
    if (made.size() == 1) {
      slot.first = made.front();
    } else {
      slot.first = static_cast<std::int32_t>(ids_.size());
      ids_.insert(ids_.end(), made.begin(), made.end());
    }
    return made;
  }

 private:
  static constexpr std::size_t kShortText = 256;
  static constexpr std::size_t kMostSlots = std::size_t{1} << 15;
  static constexpr std::size_t kMostIds = std::size_t{1} << 22;
  static constexpr std::size_t kLongestWord = 64;

  struct Slot {
    std::uint64_t hash = 0;
    const char* word = nullptr;  // in the text; the empty one is never looked for
    std::uint16_t size = 0;
    std::uint16_t n = 0;     // tokens; a word's are at most its bytes and one
    std::int32_t first = 0;  // where n is 1: the token itself; else its place in ids_
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
