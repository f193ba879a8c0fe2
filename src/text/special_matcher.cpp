#include "text/special_matcher.h"

#include <algorithm>

namespace puna::text {

// Level by level: a node stands for the sorted texts [begin, end), which agree in their first `depth` bytes.
SpecialMatcher::SpecialMatcher(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& e) { return e.text.empty() || e.text.size() > kLongestText; });
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.text != b.text ? a.text < b.text : a.id < b.id; });
  struct Range {
    std::size_t begin, end, depth;
  };
  nodes_.emplace_back();
  std::vector<Range> ranges{{0, entries.size(), 0}};
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    auto [begin, end, depth] = ranges[n];
    for (; begin < end && entries[begin].text.size() == depth; ++begin) {
      if (nodes_[n].id != kNoToken) continue;
      nodes_[n].id = entries[begin].id;
      nodes_[n].control = entries[begin].control;
    }
    nodes_[n].first_child = static_cast<std::uint32_t>(nodes_.size());
    auto byte_of = [&, at = depth](std::size_t i) { return static_cast<std::uint8_t>(entries[i].text[at]); };
    while (begin < end) {
      const std::uint8_t byte = byte_of(begin);
      auto next = begin;
      while (next < end && byte_of(next) == byte) ++next;
      nodes_.push_back({.byte = byte});
      ranges.push_back({begin, next, depth + 1});
      ++nodes_[n].n_children;
      if (n == 0) begins_[byte] = true;
      begin = next;
    }
  }
}

const SpecialMatcher::Node* SpecialMatcher::child(const Node& node, unsigned char byte) const {
  const Node* first = nodes_.data() + node.first_child;
  const Node* last = first + node.n_children;
  const Node* found = std::lower_bound(first, last, byte, [](const Node& n, unsigned char b) { return n.byte < b; });
  return found != last && found->byte == byte ? found : nullptr;
}

// How far the text of a control token that begins at `at` may reach.
std::size_t SpecialMatcher::Walk::control_limit(std::size_t at) {
  if (!options_.parse_special) return 0;
  if (!options_.has_literal_marks) return text_.size();
  while (mark_ < options_.literal.size() && options_.literal[mark_].end <= at) ++mark_;
  const bool inside = mark_ < options_.literal.size() && options_.literal[mark_].begin <= at;
  return inside ? options_.literal[mark_].end : 0;
}

SpecialMatcher::Match SpecialMatcher::Walk::next() {
  for (; at_ < text_.size(); ++at_) {
    if (!matcher_.begins_[static_cast<unsigned char>(text_[at_])]) continue;
    const std::size_t limit = control_limit(at_);
    Match match;
    const Node* node = matcher_.nodes_.data();
    for (std::size_t i = at_; i < text_.size(); ++i) {
      node = matcher_.child(*node, static_cast<unsigned char>(text_[i]));
      if (!node) break;
      if (node->id != kNoToken && (!node->control || i + 1 <= limit)) match = {at_, i + 1, node->id};
    }
    if (match.id != kNoToken) {
      at_ = match.end;
      return match;
    }
  }
  return {text_.size(), text_.size(), kNoToken};
}

}  // namespace puna::text
