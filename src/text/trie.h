// Texts by their bytes: all tokens with which a text begins, in one walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/token.h"

namespace puna::text {

class Trie {
 public:
  // Longer texts are left out: this bounds the work at each byte, and no real token that is looked for comes near it.
  static constexpr std::size_t kLongestText = 256;

  struct Entry {
    std::string_view text;  // needed while the trie is made only
    std::int32_t value = -1;
  };

  Trie() : Trie(std::vector<Entry>{}) {}
  // Empty texts are left out too; of equal texts the least value counts.
  explicit Trie(std::vector<Entry> entries);

  // Whether some text begins with this byte.
  bool begins(char byte) const { return roots_[static_cast<unsigned char>(byte)] != 0; }

  // Calls found(end, value) for each text that stands at `begin` (inside `text`), the shortest first.
  template <class Found>
  void prefixes(std::string_view text, std::size_t begin, Found&& found) const {
    std::uint32_t at = roots_[static_cast<unsigned char>(text[begin])];
    for (std::size_t i = begin + 1; at != 0; ++i) {
      const Node& node = nodes_[at];
      if (node.value >= 0) found(i, node.value);
      if (i == text.size()) return;
      at = child(node, static_cast<unsigned char>(text[i]));
    }
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::int32_t value = -1;       // of the text that ends here
    std::uint16_t n_children = 0;  // side by side, ascending by byte
    std::uint8_t byte = 0;
  };

  // 0, the root's place, means none.
  std::uint32_t child(const Node& node, unsigned char byte) const {
    const Node* first = nodes_.data() + node.first_child;
    const Node* last = first + node.n_children;
    const Node* found = std::lower_bound(first, last, byte, [](const Node& n, unsigned char b) { return n.byte < b; });
    return found != last && found->byte == byte ? static_cast<std::uint32_t>(found - nodes_.data()) : 0;
  }

  std::vector<Node> nodes_;                 // nodes_[0] is the root
  std::array<std::uint32_t, 256> roots_{};  // the root's children by byte
};

}  // namespace puna::text
