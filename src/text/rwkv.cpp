#include "text/rwkv.h"

#include <algorithm>

namespace puna::text {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// False: a backslash begins nothing that Python writes.
bool append_unescaped(std::string_view text, std::string& out) {
  constexpr std::string_view kNames = "\\'\"ntr";
  constexpr std::string_view kMeanings = "\\'\"\n\t\r";
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char name = at + 1 < text.size() ? text[at + 1] : '\0';
    if (const auto meaning = kNames.find(name); name != '\0' && meaning != kNames.npos) {
      out += kMeanings[meaning];
      at += 1;
    } else if (name == 'x' && at + 3 < text.size() && hex_digit(text[at + 2]) >= 0 && hex_digit(text[at + 3]) >= 0) {
      out += static_cast<char>(hex_digit(text[at + 2]) * 16 + hex_digit(text[at + 3]));
      at += 3;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Codec>> GreedyBytes::make(const Vocabulary& vocabulary, TokenId unk) {
  std::unique_ptr<GreedyBytes> codec(new GreedyBytes(unk));
  codec->texts_.resize(vocabulary.size());
  std::vector<Trie::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary.kind(id);
    if (!append_unescaped(vocabulary.text(id), codec->texts_[i]))
      return fail("tokenizer.ggml.tokens[{}]: a backslash stands before what is no escape", i);
    if (kind != TokenKind::control && kind != TokenKind::unknown && kind != TokenKind::unused)
      entries.push_back({codec->texts_[i], id});
  }
  codec->trie_ = Trie(std::move(entries));
  return codec;
}

void GreedyBytes::encode(std::string_view text, std::vector<TokenId>& out) const {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    TokenId id = unk_;
    trie_.prefixes(text, at, [&](std::size_t found_end, TokenId found) {
      end = found_end;
      id = found;
    });
    if (id != kNoToken) out.push_back(id);
    at = end;
  }
}

void GreedyBytes::append_bytes(TokenId id, std::string& out) const { out += texts_[static_cast<std::size_t>(id)]; }

}  // namespace puna::text
