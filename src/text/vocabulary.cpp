#include "text/vocabulary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace puna::text {

namespace {

constexpr std::size_t kBeside = 16;  // look-ups that wait for memory together

Result<TokenKind> kind_of(const VocabularyData& data, std::size_t i) {
  if (data.kinds.empty()) return TokenKind::normal;
  const std::int64_t number = data.kinds[i];
  if (number == 0) return TokenKind::normal;  // the format's "undefined"
  if (number < 1 || number > 6) {
    return fail("tokenizer.ggml.token_type[{}] is {}; the kinds are 1 to 6", i, number);
  }
  const auto kind = static_cast<TokenKind>(number);
  if (kind == TokenKind::byte && byte_token_value(data.tokens[i]) < 0) {
    return fail("tokenizer.ggml.tokens[{}] is of kind byte, but its text is not \"<0x00>\" to \"<0xFF>\"", i);
  }
  return kind;
}

}  // namespace

Result<Vocabulary> Vocabulary::make(const VocabularyData& data) {
  const std::size_t n = data.tokens.size();
  if (n == 0) return fail("tokenizer.ggml.tokens is missing or empty");
  if (n > std::numeric_limits<TokenId>::max() / 4) return fail("tokenizer.ggml.tokens has {} entries, too many", n);
  if (!data.kinds.empty() && data.kinds.size() != n) {
    return fail("tokenizer.ggml.token_type has {} entries for {} tokens", data.kinds.size(), n);
  }
  Vocabulary v;
  std::size_t bytes = 0;
  for (const auto text : data.tokens) {
    bytes += text.size();
    v.longest_ = std::max(v.longest_, text.size());
  }
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    return fail("tokenizer.ggml.tokens has {} bytes of text, too many", bytes);
  v.texts_.reserve(bytes);
  v.ends_.reserve(n + 1);
  v.kinds_.reserve(n);
  v.ends_.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    v.kinds_.push_back(PUNA_TRY(kind_of(data, i)));
    v.texts_ += data.tokens[i];
    v.ends_.push_back(static_cast<std::uint32_t>(v.texts_.size()));
  }
  v.index();
  return v;
}

void Vocabulary::index() {
  seed_ = hash_seed();
  slots_.resize(std::bit_ceil(size() + size() / 2 + 1));
  const std::size_t mask = slots_.size() - 1;
  std::array<std::uint64_t, kBeside> hashes;  // of the next ones, whose slots are on their way
  const auto ask_for = [&](std::size_t i) {
    if (i >= size()) return;
    hashes[i % kBeside] = hash_bytes(text(static_cast<TokenId>(i)), seed_);
    __builtin_prefetch(&slots_[hashes[i % kBeside] & mask], 1);
  };
  for (std::size_t i = 0; i < kBeside; ++i) ask_for(i);
  for (std::size_t i = 0; i < size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const std::uint64_t hash = hashes[i % kBeside];
    ask_for(i + kBeside);
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & mask;
    while (slots_[at].id != kNoToken && !(slots_[at].tag == tag && text(slots_[at].id) == text(id))) at = (at + 1) & mask;
    if (slots_[at].id == kNoToken) slots_[at] = {tag, id};
  }
}

TokenId Vocabulary::find(std::string_view wanted, std::uint64_t hash) const {
  if (wanted.size() > longest_) return kNoToken;
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & mask; slots_[at].id != kNoToken; at = (at + 1) & mask) {
    if (slots_[at].tag == tag && text(slots_[at].id) == wanted) return slots_[at].id;
  }
  return kNoToken;
}

void Vocabulary::find_all(std::span<const std::string_view> texts, std::span<TokenId> ids) const {
  const std::size_t mask = slots_.size() - 1;
  std::array<std::uint64_t, kBeside> hashes;
  for (std::size_t first = 0; first < texts.size(); first += kBeside) {
    const std::size_t n = std::min(kBeside, texts.size() - first);
    const auto each = [&](auto body) {
      for (std::size_t i = 0; i < n; ++i) body(i);
    };
    const auto likely = [&](std::size_t i) { return slots_[hashes[i] & mask].id; };
    each([&](std::size_t i) {
      hashes[i] = hash_bytes(texts[first + i], seed_);
      __builtin_prefetch(&slots_[hashes[i] & mask]);
    });
    each([&](std::size_t i) {
      if (const TokenId id = likely(i); id != kNoToken) __builtin_prefetch(&ends_[static_cast<std::size_t>(id)]);
    });
    each([&](std::size_t i) {
      if (const TokenId id = likely(i); id != kNoToken) __builtin_prefetch(text(id).data());
    });
    each([&](std::size_t i) { ids[first + i] = find(texts[first + i], hashes[i]); });
  }
}

int byte_token_value(std::string_view text) {
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  const int high = digit(text[3]);
  const int low = digit(text[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace puna::text
