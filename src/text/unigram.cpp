#include "text/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "text/pipeline.h"
#include "text/space_mark.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace puna::text {

namespace {

// A character that no token covers costs this more than the least probable token.
constexpr double kUnknownPenalty = 10;

bool comes_from_text(TokenKind kind) { return kind == TokenKind::normal || kind == TokenKind::user_defined; }

// ▁ after a character that is none.
bool joins_words(std::string_view text) {
  for (auto at = text.find(kSpaceMark, 1); at != std::string_view::npos; at = text.find(kSpaceMark, at + 1)) {
    if (!text.substr(0, at).ends_with(kSpaceMark)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<Codec>> Unigram::make(const VocabularyData& data, const Vocabulary& vocabulary, TokenId unk) {
  if (data.scores.size() != vocabulary.size())
    return fail("tokenizer.ggml.scores has {} entries for {} tokens", data.scores.size(), vocabulary.size());
  std::unique_ptr<Unigram> unigram(new Unigram(vocabulary, unk));
  std::vector<Trie::Entry> entries;
  unigram->scores_.assign(data.scores.begin(), data.scores.end());
  if (data.pipeline && data.pipeline->scores.size() == vocabulary.size()) unigram->scores_ = data.pipeline->scores;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    if (std::isnan(unigram->scores_[i])) return fail("tokenizer.ggml.scores[{}] is not a number", i);
    if (vocabulary.kind(id) == TokenKind::normal) least = std::min(least, unigram->scores_[i]);
    if (!comes_from_text(vocabulary.kind(id))) continue;
    entries.push_back({vocabulary.text(id), id});
    unigram->joins_words_ = unigram->joins_words_ || joins_words(vocabulary.text(id));
  }
  unigram->unk_score_ = std::isfinite(least) ? least - kUnknownPenalty : -kUnknownPenalty;
  unigram->bytes_ = ByteFallback(data, vocabulary);
  unigram->trie_ = Trie(std::move(entries));
  return unigram;
}

// What the way to each place of a word is, kept from word to word.
struct Unigram::Scratch {
  struct Place {
    double score = 0;
    std::size_t from = 0;
    TokenId id = kNoToken;  // of the last step; kNoToken: a character that no token covers
    bool reached = false;
  };
  struct Step {
    Span span;
    TokenId id;
  };
  std::vector<Place> places;
  std::vector<Step> steps;
  std::vector<TokenId> ids;
};

void Unigram::encode(std::string_view text, std::vector<TokenId>& out) const {
  Scratch scratch;
  const std::size_t n_before = out.size();
  WordCache cache(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    const std::string_view word = text.substr(at, end - at);
    const auto tokens = cache.get(word, [&]() -> std::span<const TokenId> {
      encode_word(word, scratch);
      return scratch.ids;
    });
    append_word(tokens, unk_, n_before, out);
    at = end;
  }
}

// The best way of two words is the best ways of each, unless a token reaches from one to the other.
std::size_t Unigram::word_end(std::string_view text, std::size_t begin) const {
  if (joins_words_) return text.size();
  for (auto at = text.find(kSpaceMark, begin + 1); at != std::string_view::npos; at = text.find(kSpaceMark, at + 1)) {
    if (!text.substr(begin, at - begin).ends_with(kSpaceMark)) return at;
  }
  return text.size();
}

void Unigram::encode_word(std::string_view word, Scratch& scratch) const {
  auto& places = scratch.places;
  places.assign(word.size() + 1, {});
  places[0].reached = true;
  for (std::size_t at = 0, next; at < word.size(); at = next) {
    const Utf8Step character = utf8_at(word, at);
    next = at + (character.code == kNotACharacter ? 1 : character.length);
    auto offer = [&](std::size_t end, double score, TokenId id) {
      Scratch::Place& place = places[end];
      if (!place.reached || places[at].score + score > place.score) place = {places[at].score + score, at, id, true};
    };
    bool covered = false;
    trie_.prefixes(word, at, [&](std::size_t end, TokenId id) {
      covered = covered || end == next;
      offer(end, scores_[static_cast<std::size_t>(id)], id);
    });
    if (!covered) offer(next, unk_score_, kNoToken);
  }
  scratch.steps.clear();
  auto& out = scratch.ids;
  out.clear();
  for (std::size_t at = word.size(); at > 0; at = places[at].from)
    scratch.steps.push_back({{places[at].from, at}, places[at].id});
  for (auto step = scratch.steps.rbegin(); step != scratch.steps.rend(); ++step) {
    const std::string_view text = word.substr(step->span.begin, step->span.size());
    if (step->id != kNoToken) {
      out.push_back(step->id);
    } else if (bytes_.covers(text)) {
      bytes_.append(text, out);
    } else if (unk_ != kNoToken && (out.empty() || out.back() != unk_)) {
      out.push_back(unk_);
    }
  }
}

void Unigram::append_bytes(TokenId id, std::string& out) const { bytes_.append_piece(id, vocabulary_.text(id), out); }

}  // namespace puna::text
