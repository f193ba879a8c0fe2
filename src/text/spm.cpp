#include "text/spm.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "text/space_mark.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace puna::text {

namespace {

std::vector<SpecialMatcher::Entry> space_runs_of(const Vocabulary& vocabulary) {
  std::vector<SpecialMatcher::Entry> runs;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    if (vocabulary.kind(id) != TokenKind::user_defined) continue;
    const std::string plain = with_plain_spaces(vocabulary.text(id));
    if (plain.size() > 1 && plain.find_first_not_of(' ') == std::string::npos) runs.push_back({with_marked_spaces(plain), id});
  }
  return runs;
}

}  // namespace

SentencePieceBpe::SentencePieceBpe(const Vocabulary& vocabulary, bool adds_prefix, TokenId unk)
    : vocabulary_(vocabulary), adds_prefix_(adds_prefix), unk_(unk), space_runs_(space_runs_of(vocabulary)) {
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const std::string_view text = vocabulary.text(static_cast<TokenId>(i));
    for (auto at = text.find(kSpaceMark, 1); at != std::string_view::npos; at = text.find(kSpaceMark, at + 1)) {
      if (!text.substr(0, at).ends_with(kSpaceMark)) joins_space_[static_cast<unsigned char>(text[at - 1])] = true;
    }
  }
}

Result<std::unique_ptr<Codec>> SentencePieceBpe::make(const VocabularyData& data, const Vocabulary& vocabulary, TokenId unk) {
  if (data.scores.size() != vocabulary.size()) {
    return fail("tokenizer.ggml.scores has {} entries for {} tokens", data.scores.size(), vocabulary.size());
  }
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    if (std::isnan(data.scores[i])) return fail("tokenizer.ggml.scores[{}] is not a number", i);
  }
  std::unique_ptr<SentencePieceBpe> spm(new SentencePieceBpe(vocabulary, data.add_space_prefix.value_or(true), unk));
  spm->scores_ = data.scores;
  spm->bytes_ = ByteFallback(data, vocabulary);
  return spm;
}

TokenId SentencePieceBpe::find(std::string_view text) const {
  const TokenId id = vocabulary_.find(text);
  if (id == kNoToken) return kNoToken;
  const TokenKind kind = vocabulary_.kind(id);
  return kind == TokenKind::normal || kind == TokenKind::user_defined || kind == TokenKind::unused ? id : kNoToken;
}

// A word on its way from characters to tokens; used for one word after the other.
class SentencePieceBpe::Word {
 public:
  explicit Word(const SentencePieceBpe& spm) : spm_(spm) {}

  // Appends to `out`, which is empty.
  void encode(std::string_view text, std::vector<TokenId>& out) {
    text_ = text;
    made_of_.clear();
    split();
    merge();
    for (std::uint32_t i = 0; i != kNone; i = symbols_[i].next) append_tokens(symbols_[i].begin, symbols_[i].length, out);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Symbol {
    std::uint32_t begin, length;  // bytes of text_; length 0: merged into the one before
    std::uint32_t next, before;
  };
  struct Candidate {
    float score;
    std::uint32_t at, length;  // the symbol, and the bytes of it and its successor
    // For std::push_heap, whose first element is the largest: the best score, then the leftmost place.
    bool operator<(const Candidate& other) const { return score != other.score ? score < other.score : at > other.at; }
  };

  std::string_view piece(std::uint32_t begin, std::uint32_t length) const { return text_.substr(begin, length); }

  // Into characters; a byte that is not UTF-8 is one.
  void split() {
    symbols_.clear();
    for (std::size_t at = 0; at < text_.size();) {
      const Utf8Step step = utf8_at(text_, at);
      const std::uint32_t length = step.code == kNotACharacter ? 1 : step.length;
      const auto n = static_cast<std::uint32_t>(symbols_.size());
      symbols_.push_back({static_cast<std::uint32_t>(at), length, n + 1, n == 0 ? kNone : n - 1});
      at += length;
    }
    symbols_.back().next = kNone;
  }

  void merge() {
    heap_.clear();
    for (std::uint32_t i = 0; symbols_[i].next != kNone; ++i) {
      if (auto candidate = find(i)) heap_.push_back(*candidate);
    }
    std::make_heap(heap_.begin(), heap_.end());
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Candidate best = heap_.back();
      heap_.pop_back();
      Symbol& left = symbols_[best.at];
      // Still what it was when it was found?
      if (left.length == 0 || left.next == kNone || left.length + symbols_[left.next].length != best.length) continue;
      symbols_[left.next].length = 0;
      left.length = best.length;
      left.next = symbols_[left.next].next;
      if (left.next != kNone) symbols_[left.next].before = best.at;
      push(best.at);
      push(left.before);
    }
  }

  std::optional<Candidate> find(std::uint32_t at) {
    const Symbol& left = symbols_[at];
    const Symbol& right = symbols_[left.next];
    const TokenId id = spm_.find(piece(left.begin, left.length + right.length));
    if (id == kNoToken) return std::nullopt;
    if (spm_.vocabulary_.kind(id) == TokenKind::unused) made_of_.insert_or_assign(id, left.length);
    return Candidate{spm_.scores_[static_cast<std::size_t>(id)], at, left.length + right.length};
  }

  void push(std::uint32_t at) {
    if (at == kNone || symbols_[at].next == kNone) return;
    if (auto candidate = find(at)) {
      heap_.push_back(*candidate);
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  // An unused token may be a step on the way to others, but what is one in the end is taken apart again.
  void append_tokens(std::uint32_t begin, std::uint32_t length, std::vector<TokenId>& out) const {
    const TokenId whole = spm_.find(piece(begin, length));
    if (whole != kNoToken && spm_.vocabulary_.kind(whole) != TokenKind::unused) {
      out.push_back(whole);
      return;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> todo{{begin, length}};
    while (!todo.empty()) {
      const auto [at, n] = todo.back();
      todo.pop_back();
      const TokenId id = spm_.find(piece(at, n));
      if (const auto parts = made_of_.find(id); parts != made_of_.end()) {
        todo.emplace_back(at + parts->second, n - parts->second);
        todo.emplace_back(at, parts->second);
      } else if (id != kNoToken && spm_.vocabulary_.kind(id) != TokenKind::unused) {
        out.push_back(id);
      } else {
        append_fallback(piece(at, n), out);
      }
    }
  }

  void append_fallback(std::string_view character, std::vector<TokenId>& out) const {
    if (spm_.bytes_.covers(character)) {
      spm_.bytes_.append(character, out);
    } else if (spm_.unk_ != kNoToken && (out.empty() || out.back() != spm_.unk_)) {
      out.push_back(spm_.unk_);
    }
  }

  const SentencePieceBpe& spm_;
  std::string_view text_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;
  std::unordered_map<TokenId, std::uint32_t> made_of_;  // of an unused token that came up: the length of its left part
};

std::size_t SentencePieceBpe::word_end(std::string_view text, std::size_t begin) const {
  for (auto at = text.find(kSpaceMark, begin + 1); at != std::string_view::npos; at = text.find(kSpaceMark, at + 1)) {
    const bool after_space = text.substr(begin, at - begin).ends_with(kSpaceMark);
    if (!after_space && !joins_space_[static_cast<unsigned char>(text[at - 1])]) return at;
  }
  return text.size();
}

void SentencePieceBpe::encode(std::string_view text, std::vector<TokenId>& out) const {
  if (text.empty()) return;
  std::string written = with_marked_spaces(text);
  if (adds_prefix_) written.insert(0, kSpaceMark);
  const std::string_view all = written;
  const std::size_t n_before = out.size();
  Word word(*this);
  WordCache cache(all.size());
  std::vector<TokenId> ids;
  auto encode_word = [&](std::string_view one) -> std::span<const TokenId> {
    ids.clear();
    word.encode(one, ids);
    return ids;
  };
  const EncodeOptions options;
  SpecialMatcher::Walk walk(space_runs_, all, options);
  for (std::size_t at = 0; at < all.size();) {
    const SpecialMatcher::Match run = walk.next();
    while (at < run.begin) {
      const std::size_t end = word_end(all.substr(0, run.begin), at);
      const std::string_view text_of_word = all.substr(at, end - at);
      append_word(cache.get(text_of_word, [&] { return encode_word(text_of_word); }), unk_, n_before, out);
      at = end;
    }
    if (run.id != kNoToken) out.push_back(run.id);
    at = run.end;
  }
}

void SentencePieceBpe::append_bytes(TokenId id, std::string& out) const { bytes_.append_piece(id, vocabulary_.text(id), out); }

}  // namespace puna::text
