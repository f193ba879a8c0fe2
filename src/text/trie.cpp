#include "text/trie.h"

namespace puna::text {

// Level by level: a node stands for the sorted texts [begin, end), which agree in their first `depth` bytes.
Trie::Trie(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& e) { return e.text.empty() || e.text.size() > kLongestText; });
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.text != b.text ? a.text < b.text : a.value < b.value; });
  struct Range {
    std::size_t begin, end, depth;
  };
  nodes_.emplace_back();
  std::vector<Range> ranges{{0, entries.size(), 0}};
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    auto [begin, end, depth] = ranges[n];
    for (; begin < end && entries[begin].text.size() == depth; ++begin) {
      if (nodes_[n].value < 0) nodes_[n].value = entries[begin].value;
    }
    nodes_[n].first_child = static_cast<std::uint32_t>(nodes_.size());
    auto byte_of = [&, at = depth](std::size_t i) { return static_cast<std::uint8_t>(entries[i].text[at]); };
    while (begin < end) {
      const std::uint8_t byte = byte_of(begin);
      auto next = begin;
      while (next < end && byte_of(next) == byte) ++next;
      if (n == 0) roots_[byte] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.byte = byte});
      ranges.push_back({begin, next, depth + 1});
      ++nodes_[n].n_children;
      begin = next;
    }
  }
}

}  // namespace puna::text
