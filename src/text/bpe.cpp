#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/log.h"
#include "text/hash.h"
#include "text/space_mark.h"
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
  std::unique_ptr<Bpe> bpe(new Bpe(vocabulary, std::move(words)));
  const bool characters = bpe->words_.characters;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string text;
    append_utf8(characters ? byte : kByteMap.to_character[byte], text);
    bpe->byte_tokens_[byte] = vocabulary.find(text);
  }
  if (characters) bpe->bytes_ = ByteFallback(data, vocabulary);
  PUNA_TRY(bpe->read_merges(data));
  return bpe;
}

Result<void> Bpe::read_merges(const VocabularyData& data) {
  if (data.merges.size() > std::size_t{1} << 28)
    return fail("tokenizer.ggml.merges has {} entries, too many", data.merges.size());
  seed_ = hash_seed();
  merges_.resize(std::bit_ceil(2 * data.merges.size() + 2));
  std::size_t n_useless = 0;
  std::string whole;
  for (std::size_t i = 0; i < data.merges.size(); ++i) {
    const std::string_view text = data.merges[i];
    const std::size_t space = text.find(' ', 1);  // a part is never empty, and may itself begin with a space
    if (space == std::string_view::npos || space + 1 == text.size()) {
      return fail("tokenizer.ggml.merges[{}] is not two parts with a space between them", i);
    }
    whole.assign(text.substr(0, space)).append(text.substr(space + 1));
    const Merge merge{vocabulary_.find(text.substr(0, space)), vocabulary_.find(text.substr(space + 1)), vocabulary_.find(whole),
                      static_cast<std::uint32_t>(i)};
    const bool useful = merge.left != kNoToken && merge.right != kNoToken && merge.whole != kNoToken &&
                        vocabulary_.kind(merge.whole) != TokenKind::control;
    if (useful) {
      insert(merge);
    } else {
      ++n_useless;
    }
  }
  if (n_useless != 0)
    log::warning("tokenizer.ggml.merges: {} of {} name no tokens and are ignored", n_useless, data.merges.size());
  return {};
}

namespace {
std::uint64_t pair_key(TokenId left, TokenId right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}
}  // namespace

// Of equal pairs the first counts.
void Bpe::insert(const Merge& merge) {
  const std::size_t mask = merges_.size() - 1;
  std::size_t at = hash_number(pair_key(merge.left, merge.right), seed_) & mask;
  while (merges_[at].left != kNoToken && !(merges_[at].left == merge.left && merges_[at].right == merge.right)) {
    at = (at + 1) & mask;
  }
  if (merges_[at].left == kNoToken) merges_[at] = merge;
}

const Bpe::Merge* Bpe::find(TokenId left, TokenId right) const {
  const std::size_t mask = merges_.size() - 1;
  for (std::size_t at = hash_number(pair_key(left, right), seed_) & mask; merges_[at].left != kNoToken; at = (at + 1) & mask) {
    if (merges_[at].left == left && merges_[at].right == right) return &merges_[at];
  }
  return nullptr;
}

// What encoding a word needs, kept from word to word.
struct Bpe::Scratch {
  struct Symbol {
    TokenId id = kNoToken;     // kNoToken: merged into the one before
    std::uint32_t next = 0;    // n: none
    std::uint32_t before = 0;  // n: none
  };
  // A merge that was possible when it was found; it still is if both tokens are where they were.
  struct Candidate {
    std::uint32_t rank, at;
    const Merge* merge;
    // For std::push_heap, whose first element is the largest: the earliest merge, then the leftmost place.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };

  std::vector<TokenId> ids;
  std::vector<const Merge*> possible;  // possible[i]: of ids[i] and ids[i + 1]
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
    out.insert(out.end(), ids.begin(), ids.end());
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
  constexpr std::size_t kShort = 24;
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
  auto& ids = scratch.ids;
  auto& possible = scratch.possible;
  possible.clear();
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) possible.push_back(find(ids[i], ids[i + 1]));
  while (true) {
    std::size_t best = possible.size();
    for (std::size_t i = 0; i < possible.size(); ++i) {
      if (possible[i] && (best == possible.size() || possible[i]->rank < possible[best]->rank)) best = i;
    }
    if (best == possible.size()) return;
    ids[best] = possible[best]->whole;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(best));
    if (best < possible.size()) possible[best] = find(ids[best], ids[best + 1]);
    if (best > 0) possible[best - 1] = find(ids[best - 1], ids[best]);
  }
}

// The same order of merges from a heap: n log n.
void Bpe::merge_long(Scratch& scratch) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.heap;
  const auto n = static_cast<std::uint32_t>(scratch.ids.size());
  symbols.resize(n);
  heap.clear();
  auto candidate = [&](std::uint32_t at) -> const Merge* {
    return symbols[at].next == n ? nullptr : find(symbols[at].id, symbols[symbols[at].next].id);
  };
  for (std::uint32_t i = 0; i < n; ++i) symbols[i] = {scratch.ids[i], i + 1, i == 0 ? n : i - 1};
  for (std::uint32_t i = 0; i < n; ++i) {
    if (const Merge* merge = candidate(i)) heap.push_back({merge->rank, i, merge});
  }
  std::make_heap(heap.begin(), heap.end());
  auto push = [&](std::uint32_t at) {
    if (const Merge* merge = candidate(at)) {
      heap.push_back({merge->rank, at, merge});
      std::push_heap(heap.begin(), heap.end());
    }
  };
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const auto [rank, at, merge] = heap.back();
    heap.pop_back();
    auto& left = symbols[at];
    if (left.id != merge->left || left.next == n || symbols[left.next].id != merge->right) continue;
    symbols[left.next].id = kNoToken;
    left.id = merge->whole;
    left.next = symbols[left.next].next;
    if (left.next != n) symbols[left.next].before = at;
    push(at);
    if (left.before != n) push(left.before);
  }
  scratch.ids.clear();
  for (std::uint32_t at = 0; at != n; at = symbols[at].next) scratch.ids.push_back(symbols[at].id);
}

void Bpe::append_bytes(TokenId id, std::string& out) const {
  const std::string_view text = vocabulary_.text(id);
  if (words_.characters) {
    const int byte = bytes_.byte_of(id, text);
    if (byte < 0) {
      out += with_plain_spaces(text);
    } else {
      out += static_cast<char>(static_cast<unsigned char>(byte));
    }
    return;
  }
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
