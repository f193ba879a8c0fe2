#include "text/merges.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace puna::text {

namespace {

Result<std::pair<std::string_view, std::string_view>> parts_of(std::string_view merge, std::size_t number) {
  const std::size_t space = merge.find(' ', 1);  // a part is never empty, and may itself begin with a space
  if (space == std::string_view::npos || space + 1 == merge.size())
    return fail("tokenizer.ggml.merges[{}] is not two parts with a space between them", number);
  return std::pair{merge.substr(0, space), merge.substr(space + 1)};
}

}  // namespace

void Merges::reserve(std::size_t n_merges, std::size_t n_tokens) {
  constexpr std::size_t kMostFirst = 512;
  seed_ = hash_seed();
  slots_.resize(std::bit_ceil(n_merges + n_merges / 2 + 2));
  wholes_.assign(n_merges, kNoToken);
  const std::size_t n_bits = std::bit_ceil(std::max<std::size_t>(64, 8 * n_merges));
  filter_.assign(n_bits / 64, 0);
  filter_shift_ = static_cast<unsigned>(64 - std::countr_zero(n_bits));
  n_first_ = static_cast<std::uint32_t>(std::min(kMostFirst, n_tokens));
  first_.assign(std::size_t{n_first_} * n_first_, kNone);
}

void Merges::insert(TokenId left, TokenId right, std::uint32_t rank) {
  const auto l = static_cast<std::uint32_t>(left);
  const auto r = static_cast<std::uint32_t>(right);
  if (l < n_first_ && r < n_first_) {
    std::uint32_t& first = first_[std::size_t{l} * n_first_ + r];
    first = std::min(first, rank);
    return;
  }
  const std::uint64_t hash = hash_of(l, r);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].rank != kNone && !(slots_[at].left == left && slots_[at].right == right)) at = (at + 1) & mask;
  if (slots_[at].rank != kNone) return;
  slots_[at] = {left, right, rank};
  const std::uint64_t bit = hash >> filter_shift_;
  filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
}

Result<Merges> Merges::make(const VocabularyData& data, const Vocabulary& vocabulary) {
  if (data.merges.size() > std::size_t{1} << 28)
    return fail("tokenizer.ggml.merges has {} entries, too many", data.merges.size());
  Merges merges;
  merges.reserve(data.merges.size(), vocabulary.size());
  std::size_t n_useless = 0;
  constexpr std::size_t kAtOnce = 64;
  std::vector<std::string_view> texts;  // left, right and whole of some merges
  std::vector<TokenId> ids;
  std::string wholes;
  for (std::size_t first = 0; first < data.merges.size(); first += kAtOnce) {
    const std::span<const std::string_view> some =
        std::span(data.merges).subspan(first, std::min(kAtOnce, data.merges.size() - first));
    std::size_t n_bytes = 0;
    for (const std::string_view merge : some) n_bytes += merge.size();
    wholes.clear();
    wholes.reserve(n_bytes);  // the views below stay valid
    texts.clear();
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto [left, right] = PUNA_TRY(parts_of(some[i], first + i));
      const std::size_t begin = wholes.size();
      wholes.append(left).append(right);
      texts.insert(texts.end(), {left, right, std::string_view(wholes).substr(begin)});
    }
    ids.resize(texts.size());
    vocabulary.find_all(texts, ids);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const TokenId left = ids[3 * i], right = ids[3 * i + 1], whole = ids[3 * i + 2];
      if (left == kNoToken || right == kNoToken || whole == kNoToken || vocabulary.kind(whole) == TokenKind::control) {
        ++n_useless;
        continue;
      }
      merges.wholes_[first + i] = whole;
      merges.insert(left, right, static_cast<std::uint32_t>(first + i));
    }
  }
  if (n_useless != 0)
    log::warning("tokenizer.ggml.merges: {} of {} name no tokens and are ignored", n_useless, data.merges.size());
  return merges;
}

}  // namespace puna::text
