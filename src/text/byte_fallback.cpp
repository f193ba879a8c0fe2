#include "text/byte_fallback.h"

#include <algorithm>

#include "text/space_mark.h"

namespace puna::text {

ByteFallback::ByteFallback(const VocabularyData& data, const Vocabulary& vocabulary) : ByteFallback() {
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    if (vocabulary.kind(id) != TokenKind::byte && !data.kinds.empty()) continue;
    const int byte = byte_token_value(vocabulary.text(id));
    if (byte < 0) continue;
    TokenId& token = tokens_[static_cast<std::size_t>(byte)];
    if (token == kNoToken) token = id;
  }
}

bool ByteFallback::covers(std::string_view bytes) const {
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](char byte) { return tokens_[static_cast<unsigned char>(byte)] != kNoToken; });
}

void ByteFallback::append(std::string_view bytes, std::vector<TokenId>& out) const {
  for (const char byte : bytes) out.push_back(tokens_[static_cast<unsigned char>(byte)]);
}

void ByteFallback::append_piece(TokenId id, std::string_view text, std::string& out) const {
  const int byte = byte_token_value(text);
  if (byte >= 0 && tokens_[static_cast<std::size_t>(byte)] == id) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  } else {
    out += with_plain_spaces(text);
  }
}

}  // namespace puna::text
