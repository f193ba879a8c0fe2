// All tokens that stand for text, as a tree of their bytes: what begins alike is walked once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace puna::text::grammar {

// A set of bytes below 0x80; `has_others` stands for all the rest together.
struct AsciiSet {
  std::uint64_t low = 0, high = 0;
  bool has_others = false;

  void add(std::uint8_t byte) {
    if (byte < 0x40)
      low |= std::uint64_t{1} << byte;
    else if (byte < 0x80)
      high |= std::uint64_t{1} << (byte - 0x40);
    else
      has_others = true;
  }
  void add(const AsciiSet& other) {
    low |= other.low;
    high |= other.high;
    has_others = has_others || other.has_others;
  }
  bool is_empty() const { return low == 0 && high == 0 && !has_others; }
  bool is_within(const AsciiSet& other) const { return (low & ~other.low) == 0 && (high & ~other.high) == 0 && !has_others; }
};

class TokenTrie {
 public:
  // In the order of a walk: a node, then all below it. The root, which no byte leads to, is left out.
  struct Node {
    std::uint32_t end = 0;          // the first node that is not below
    std::uint32_t first_token = 0;  // in tokens_; as far as the next node's
    std::uint16_t depth = 0;        // bytes from the root, this one included
    std::uint8_t byte = 0;
  };

  // Control, unknown and unused tokens are left out, and those without text.
  static std::shared_ptr<const TokenTrie> make(const Tokenizer& tokenizer);
  // token_bytes: by id; empty ones are left out.
  static std::shared_ptr<const TokenTrie> make(std::span<const std::string> token_bytes);

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()) - 1; }
  const Node& node(std::uint32_t i) const { return nodes_[i]; }
  // Of the nodes [begin, end).
  std::span<const TokenId> tokens(std::uint32_t begin, std::uint32_t end) const {
    return std::span(tokens_).subspan(nodes_[begin].first_token, nodes_[end].first_token - nodes_[begin].first_token);
  }
  // The bytes of all nodes below.
  const AsciiSet& below(std::uint32_t i) const { return below_[i]; }

  std::size_t n_vocab() const { return ends_.size() - 1; }
  std::size_t longest() const { return longest_; }  // bytes
  // Empty where the token is left out.
  std::string_view bytes(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(bytes_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }

  // Where a text begins, and after the tokens in cuts(), one space that a token begins with is not shown: see
  // Tokenizer::decode().
  bool strips_space() const { return strips_space_; }
  std::span<const TokenId> cuts() const { return cuts_; }  // ascending; empty unless strips_space()

  static constexpr std::size_t kLongestToken = 4096;  // bytes; what is longer is left out

 private:
  void build();

  std::string bytes_;
  std::vector<std::size_t> ends_{0};
  std::vector<Node> nodes_;      // and one that ends the last one's tokens
  std::vector<AsciiSet> below_;  // [node]
  std::vector<TokenId> tokens_;
  std::vector<TokenId> cuts_;
  std::size_t longest_ = 0;
  bool strips_space_ = false;
};

}  // namespace puna::text::grammar
