#include "text/wordpiece.h"

#include "text/space_mark.h"
#include "text/unicode.h"

namespace puna::text {

namespace {

// A longer word is unknown without a look.
constexpr std::size_t kMostCharacters = 100;

std::size_t count_characters(std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = 0; at < word.size(); ++n) at += utf8_at(word, at).length;
  return n;
}

}  // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary, TokenId unk) : vocabulary_(vocabulary), unk_(unk) {
  std::vector<Trie::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    if (vocabulary.kind(id) == TokenKind::normal) entries.push_back({vocabulary.text(id), id});
  }
  trie_ = Trie(std::move(entries));
}

void WordPiece::encode(std::string_view text, std::vector<TokenId>& out) const {
  std::string marked;
  std::size_t begin = 0;
  auto end_word = [&](std::size_t end) {
    if (end > begin) encode_word(text.substr(begin, end - begin), marked, out);
  };
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    const std::size_t next = at + step.length;
    const bool space = char_class(step.code) == CharClass::space;
    if (space || is_punctuation(step.code)) {
      end_word(at);
      begin = space ? next : at;
      if (!space) end_word(next);
      begin = next;
    }
    at = next;
  }
  end_word(text.size());
}

void WordPiece::encode_word(std::string_view word, std::string& marked, std::vector<TokenId>& out) const {
  const std::size_t n_before = out.size();
  marked.assign(kSpaceMark).append(word);
  bool known = count_characters(word) <= kMostCharacters;
  for (std::size_t at = 0; known && at < marked.size();) {
    std::size_t end = at;
    TokenId id = kNoToken;
    const bool other_mark = at > 0 && marked.compare(at, kSpaceMark.size(), kSpaceMark) == 0;  // of the text: nothing goes on so
    if (!other_mark)
      trie_.prefixes(marked, at, [&](std::size_t found_end, TokenId found) {
        if (found_end <= kSpaceMark.size()) return;  // the mark alone is no beginning
        end = found_end;
        id = found;
      });
    known = id != kNoToken;
    if (known) out.push_back(id);
    at = end;
  }
  if (known) return;
  out.resize(n_before);
  if (unk_ != kNoToken) out.push_back(unk_);
}

void WordPiece::append_bytes(TokenId id, std::string& out) const { out += with_plain_spaces(vocabulary_.text(id)); }

}  // namespace puna::text
