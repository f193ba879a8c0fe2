// Lists of numbers, each kept once: equal lists have the same id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "text/hash.h"

namespace puna::text::grammar {

class WordTable {
 public:
  std::uint32_t intern(std::span<const std::uint32_t> list) {
    if (2 * (size() + 1) > slots_.size()) grow();
    std::size_t at = hash(list) & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (std::ranges::equal((*this)[slots_[at] - 1], list)) return slots_[at] - 1;
    words_.insert(words_.end(), list.begin(), list.end());
    ends_.push_back(words_.size());
    slots_[at] = size();
    return size() - 1;
  }

  // Until the next intern().
  std::span<const std::uint32_t> operator[](std::uint32_t id) const {
    return std::span(words_).subspan(ends_[id], ends_[id + 1] - ends_[id]);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
  std::size_t bytes() const { return 4 * words_.size() + 8 * ends_.size() + 4 * slots_.size(); }

 private:
  static std::uint64_t hash(std::span<const std::uint32_t> list) {
    std::uint64_t hash = hash_seed() ^ list.size() * kHashOdd1;
    for (const std::uint32_t word : list) hash = hash_mix(hash ^ word, kHashOdd2);
    return hash_mix(hash, kHashOdd1);
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
    for (std::uint32_t id = 0; id < size(); ++id) {
      std::size_t at = hash((*this)[id]) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id + 1;
    }
  }

  std::vector<std::uint32_t> words_;
  std::vector<std::size_t> ends_{0};  // list i is words_[ends_[i], ends_[i + 1])
  std::vector<std::uint32_t> slots_;  // id + 1, or 0; a power of two, at most half full
};

}  // namespace puna::text::grammar
