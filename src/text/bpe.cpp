#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <span>

#include "text/unicode.h"
#include "text/word_cache.h"

namespace puna::text {

namespace {

// The vocabulary writes each byte as one printable character: printable Latin-1 as itself, the other 68 bytes as the
// characters from U+0100 on, in order.
struct ByteMap {
  std::array<char32_t, 256> to_character{};
  std::array<int, 0x144> to_byte{};  // by character; -1: none
};

constexpr ByteMap make_byte_map() {
  ByteMap map;
  map.to_byte.fill(-1);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool itself = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const char32_t character = itself ? byte : next++;
    map.to_character[byte] = character;
    map.to_byte[character] = static_cast<int>(byte);
  }
  return map;
}

constexpr ByteMap kByteMap = make_byte_map();

void append_as_characters(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) append_utf8(kByteMap.to_character[static_cast<unsigned char>(byte)], out);
}

}  // namespace

Result<std::unique_ptr<Codec>> Bpe::make(const VocabularyData& data, const Vocabulary& vocabulary, Words words) {
  // By itself: an early way out of `new`'s arguments would lose what it allocated.
  Merges merges = PUNA_TRY(Merges::make(data, vocabulary));
  std::unique_ptr<Bpe> bpe(new Bpe(vocabulary, std::move(words), std::move(merges)));
  const bool characters = bpe->words_.characters;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string text;
    append_utf8(characters ? byte : kByteMap.to_character[byte], text);
    bpe->byte_tokens_[byte] = vocabulary.find(text);
  }
  if (characters) bpe->bytes_ = ByteFallback(data, vocabulary);
  return bpe;
}

namespace {
constexpr std::size_t kShort = 48;  // tokens of a word that merge_short() takes
}

// What encoding a word needs, kept from word to word.
struct Bpe::Scratch {
  struct Symbol {
    TokenId id = kNoToken;
    std::uint32_t rank = Merges::kNone;  // of the merge with the next one
    std::uint32_t next = 0;              // n: none
    std::uint32_t before = 0;            // n: none
  };
  // A merge that was possible when it was found; it still is if its place has the same rank.
  struct Candidate {
    std::uint32_t rank, at;
    // For std::push_heap, whose first element is the largest: the earliest merge, then the leftmost place.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };

  std::vector<TokenId> ids;
  std::array<std::uint32_t, kShort> ranks{};  // ranks[i]: of ids[i] and ids[i + 1]
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
  std::string characters;
};

void Bpe::encode(std::string_view text, std::vector<TokenId>& out) const {
  if (text.empty()) return;
  if (!words_.adds_space || text.front() == ' ') return encode_words(text, out);
  std::string spaced(" ");
  spaced += text;
  encode_words(spaced, out);
}

void Bpe::encode_words(std::string_view text, std::vector<TokenId>& out) const {
  Scratch scratch;
  std::vector<Span> words;
  words_.splitter.split(text, words);
  WordCache cache(text.size());
  for (const Span span : words) {
    const std::string_view word = text.substr(span.begin, span.size());
    const auto ids = cache.get(word, [&]() -> std::span<const TokenId> {
      encode_word(word, scratch);
      return scratch.ids;
    });
    if (ids.size() == 1) {
      out.push_back(ids.front());  // most words; a range of unknown length costs more
    } else {
      out.insert(out.end(), ids.begin(), ids.end());
    }
  }
}

// The token that is the word, or kNoToken.
TokenId Bpe::whole(std::string_view word, Scratch& scratch) const {
  if (word.size() > vocabulary_.longest()) return kNoToken;
  std::string_view text = word;
  if (!words_.characters) {
    scratch.characters.clear();
    append_as_characters(word, scratch.characters);
    text = scratch.characters;
  }
  const TokenId id = vocabulary_.find(text);
  return id != kNoToken && vocabulary_.kind(id) != TokenKind::control ? id : kNoToken;
}

void Bpe::encode_word(std::string_view word, Scratch& scratch) const {
  scratch.ids.clear();
  if (words_.whole_words) {
    if (const TokenId id = whole(word, scratch); id != kNoToken) {
      scratch.ids.push_back(id);
      return;
    }
  }
  if (words_.characters) {
    split_characters(word, scratch.ids);
  } else {
    for (const char byte : word) {
      const TokenId id = byte_tokens_[static_cast<unsigned char>(byte)];
      if (id != kNoToken) scratch.ids.push_back(id);
    }
  }
  if (scratch.ids.size() > kShort) {
    merge_long(scratch);
  } else if (scratch.ids.size() > 1) {
    merge_short(scratch);
  }
}

void Bpe::split_characters(std::string_view word, std::vector<TokenId>& ids) const {
  for (std::size_t at = 0; at < word.size();) {
    const Utf8Step step = utf8_at(word, at);
    const std::size_t length = step.code == kNotACharacter ? 1 : step.length;
    const std::string_view character = word.substr(at, length);
    const TokenId id = step.code < 0x80 ? byte_tokens_[step.code] : vocabulary_.find(character);
    if (id != kNoToken) {
      ids.push_back(id);
    } else if (bytes_.covers(character)) {
      bytes_.append(character, ids);
    } else if (words_.unk != kNoToken && !(words_.fuses_unk && !ids.empty() && ids.back() == words_.unk)) {
      ids.push_back(words_.unk);
    }
    at += length;
  }
}

// Looks for the best merge among all, again and again: quadratic, and for short words the fastest.
void Bpe::merge_short(Scratch& scratch) const {
  TokenId* ids = scratch.ids.data();
  std::uint32_t* ranks = scratch.ranks.data();
  std::size_t n = scratch.ids.size();
  for (std::size_t i = 0; i + 1 < n; ++i) ranks[i] = merges_.rank(ids[i], ids[i + 1]);
  while (n > 1) {
    // Rank and place in one number: the leftmost of equals is the least, and finding it takes no branch.
    std::uint64_t best = ~std::uint64_t{0};
    for (std::size_t i = 0; i + 1 < n; ++i) best = std::min(best, std::uint64_t{ranks[i]} << 32 | i);
    const auto rank = static_cast<std::uint32_t>(best >> 32);
    const auto at = static_cast<std::size_t>(best & 0xFFFFFFFF);
    if (rank == Merges::kNone) break;
    ids[at] = merges_.whole(rank);
    std::copy(ids + at + 2, ids + n, ids + at + 1);
    --n;
    if (at + 1 < n) {
      std::copy(ranks + at + 2, ranks + n, ranks + at + 1);
      ranks[at] = merges_.rank(ids[at], ids[at + 1]);
    }
    if (at > 0) ranks[at - 1] = merges_.rank(ids[at - 1], ids[at]);
  }
  scratch.ids.resize(n);
}

// The same order of merges from a heap: n log n.
void Bpe::merge_long(Scratch& scratch) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.heap;
  const auto n = static_cast<std::uint32_t>(scratch.ids.size());
  symbols.resize(n);
  heap.clear();
  auto rank_at = [&](std::uint32_t at) {
    const std::uint32_t next = symbols[at].next;
    return next == n ? Merges::kNone : merges_.rank(symbols[at].id, symbols[next].id);
  };
  for (std::uint32_t i = 0; i < n; ++i) symbols[i] = {scratch.ids[i], Merges::kNone, i + 1, i == 0 ? n : i - 1};
  for (std::uint32_t i = 0; i < n; ++i) {
    symbols[i].rank = rank_at(i);
    if (symbols[i].rank != Merges::kNone) heap.push_back({symbols[i].rank, i});
  }
  std::make_heap(heap.begin(), heap.end());
  auto update = [&](std::uint32_t at) {
    symbols[at].rank = rank_at(at);
    if (symbols[at].rank == Merges::kNone) return;
    heap.push_back({symbols[at].rank, at});
    std::push_heap(heap.begin(), heap.end());
  };
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const auto [rank, at] = heap.back();
    heap.pop_back();
    auto& left = symbols[at];
    if (left.rank != rank) continue;
    symbols[left.next].rank = Merges::kNone;  // it is part of this one now
    left.id = merges_.whole(rank);
    left.next = symbols[left.next].next;
    if (left.next != n) symbols[left.next].before = at;
    update(at);
    if (left.before != n) update(left.before);
  }
  scratch.ids.clear();
  for (std::uint32_t at = 0; at != n; at = symbols[at].next) scratch.ids.push_back(symbols[at].id);
}

void Bpe::append_bytes(TokenId id, std::string& out) const {
  const std::string_view text = vocabulary_.text(id);
  if (words_.characters) return bytes_.append_piece(id, text, out);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_at(text, at);
    const int byte = step.code < kByteMap.to_byte.size() ? kByteMap.to_byte[step.code] : -1;
    if (byte >= 0) {
      out += static_cast<char>(static_cast<unsigned char>(byte));
    } else {
      out.append(text, at, step.length);  // no character of the byte map: an added token's plain text
    }
    at += step.length;
  }
}

}  // namespace puna::text
