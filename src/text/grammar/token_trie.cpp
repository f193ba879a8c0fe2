#include "text/grammar/token_trie.h"

#include <algorithm>

namespace puna::text::grammar {

std::shared_ptr<const TokenTrie> TokenTrie::make(std::span<const std::string> token_bytes) {
  auto trie = std::make_shared<TokenTrie>();
  for (const std::string& bytes : token_bytes) {
    if (bytes.size() <= kLongestToken) trie->bytes_ += bytes;
    trie->ends_.push_back(trie->bytes_.size());
  }
  trie->build();
  return trie;
}

std::shared_ptr<const TokenTrie> TokenTrie::make(const Tokenizer& tokenizer) {
  auto trie = std::make_shared<TokenTrie>();
  trie->strips_space_ = tokenizer.adds_space_prefix();
  for (std::size_t i = 0; i < tokenizer.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    if (!tokenizer.is_control(id) && tokenizer.kind(id) != TokenKind::unused) {
      const std::string bytes = tokenizer.token_bytes(id);
      if (bytes.size() <= kLongestToken) trie->bytes_ += bytes;
    }
    trie->ends_.push_back(trie->bytes_.size());
    if (trie->strips_space_ && tokenizer.begins_text_anew(id)) trie->cuts_.push_back(id);
  }
  trie->build();
  return trie;
}

void TokenTrie::build() {
  for (std::size_t i = 0; i < n_vocab(); ++i)
    if (!bytes(static_cast<TokenId>(i)).empty()) tokens_.push_back(static_cast<TokenId>(i));
  std::ranges::stable_sort(tokens_, {}, [&](TokenId id) { return bytes(id); });
  std::vector<std::uint32_t> path;  // the nodes above
  std::string_view last;
  for (std::uint32_t rank = 0; rank < tokens_.size(); ++rank) {
    const std::string_view text = bytes(tokens_[rank]);
    const auto n_common = static_cast<std::size_t>(std::ranges::mismatch(last, text).in1 - last.begin());
    for (; path.size() > n_common; path.pop_back()) nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t i = n_common; i < text.size(); ++i) {
      path.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({0, rank, static_cast<std::uint16_t>(i + 1), static_cast<std::uint8_t>(text[i])});
    }
    longest_ = std::max(longest_, text.size());
    last = text;
  }
  for (; !path.empty(); path.pop_back()) nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({static_cast<std::uint32_t>(nodes_.size()), static_cast<std::uint32_t>(tokens_.size())});
  below_.resize(nodes_.size());
  for (std::uint32_t i = n_nodes(); i-- > 0;)
    for (std::uint32_t child = i + 1; child < nodes_[i].end; child = nodes_[child].end) {
      below_[i].add(nodes_[child].byte);
      below_[i].add(below_[child]);
    }
}

}  // namespace puna::text::grammar
