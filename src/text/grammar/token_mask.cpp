#include "text/grammar/token_mask.h"

#include <numeric>

#include "text/grammar/matcher.h"

namespace puna::text::grammar {
namespace {

constexpr std::uint64_t kWorkForOneMask = std::uint64_t{1} << 24;
constexpr std::uint32_t kFewNodes = 4;  // are walked through one by one

}  // namespace

TokenMask::TokenMask(std::span<const std::uint64_t> bits) {
  for (const std::uint64_t word : bits) count_ += static_cast<std::size_t>(std::popcount(word));
  TokenMask all;
  all.bits_.assign(bits.begin(), bits.end());
  if (count_ > kFew) {
    bits_ = std::move(all.bits_);
    return;
  }
  few_.reserve(count_);
  all.for_each([&](TokenId id) { few_.push_back(id); });
}

void TokenMask::add_to(std::span<std::uint64_t> bits) const {
  for (const TokenId id : few_) bits[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
  for (std::size_t i = 0; i < bits_.size(); ++i) bits[i] |= bits_[i];
}

Masks::Masks(Stacks& stacks, const TokenTrie& trie, std::span<const TokenId> ends)
    : stacks_(stacks), trie_(trie), ends_(ends), bits_((trie.n_vocab() + 63) / 64), path_(trie.longest() + 1) {
  const std::vector<std::uint16_t>& classes = stacks.automaton().class_of;
  class_of_.assign(classes.begin(), classes.begin() + kFirstToken);
}

bool Masks::knows(SituationId situation, bool at_start) {
  return masks_.contains(std::uint64_t{stacks_.far(situation)} << 1 | at_start);
}

Result<const TokenMask*> Masks::find(SituationId situation, bool at_start) {
  stacks_.allow(kWorkForOneMask);
  situation = stacks_.far(situation);
  const std::uint64_t key = std::uint64_t{situation} << 1 | at_start;
  if (const auto known = masks_.find(key); known != masks_.end()) return &known->second;
  std::ranges::fill(bits_, 0);
  if (at_start)
    collect_at_start(situation);
  else
    collect(situation);
  collect_named_tokens(situation);
  if (stacks_.exhausted()) {
    locals_.clear();  // one of them is a part only
    return too_ambiguous();
  }
  if (stacks_.is_complete(situation))
    for (const TokenId id : ends_) set(id);
  const TokenMask& mask = masks_.emplace(key, TokenMask(bits_)).first->second;
  bytes_ += mask.bytes() + 64;
  return &mask;
}

void Masks::collect(SituationId situation) {
  const std::size_t n = stacks_.n_configs(situation);
  for (std::size_t first = 0, last = 0; first < n; first = last) {
    const FrameId frame = stacks_.config(situation, first).frame;
    while (last < n && stacks_.config(situation, last).frame == frame) ++last;
    const Local& found = local(stacks_.open(situation, first, last));
    found.mask.add_to(bits_);
    const SituationId below = stacks_.after(frame);
    if (!stacks_.goes_on(below)) continue;
    collect_below(found, below);
  }
}

void Masks::collect_below(const Local& local, SituationId situation) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (local.begins[byte] == local.begins[byte + 1]) continue;
    const SituationId next = stacks_.next(situation, class_of_[byte]);
    if (next == Stacks::kRefused) continue;
    for (std::uint32_t i = local.begins[byte]; i < local.begins[byte + 1]; ++i) {
      const std::uint32_t node = local.below[i];
      set_tokens(node, node + 1);
      if (stacks_.goes_on(next)) walk(node + 1, trie_.node(node).end, next, nullptr);
    }
  }
}

// Without the parts that are kept: an answer has one start.
void Masks::collect_at_start(SituationId situation) {
  for (std::uint32_t node = 0; node < trie_.n_nodes(); node = trie_.node(node).end) {
    const bool is_space = trie_.node(node).byte == ' ';
    walk(is_space ? node + 1 : node, trie_.node(node).end, situation, nullptr);
  }
  for (const TokenId id : trie_.cuts()) {  // whose spaces are always shown
    bits_[static_cast<std::size_t>(id) / 64] &= ~(std::uint64_t{1} << (id % 64));
    if (!trie_.bytes(id).empty() && fits(situation, trie_.bytes(id))) set(id);
  }
}

bool Masks::fits(SituationId situation, std::string_view bytes) {
  for (const char c : bytes) situation = stacks_.next(situation, class_of_[static_cast<unsigned char>(c)]);
  return situation != Stacks::kRefused;
}

void Masks::collect_named_tokens(SituationId situation) {
  const Automaton& automaton = stacks_.automaton();
  if (automaton.tokens.empty()) return;
  const auto may_follow = [&](Symbol symbol) { return stacks_.next(situation, automaton.class_of[symbol]) != Stacks::kRefused; };
  if (may_follow(automaton.other_token())) {
    std::vector<TokenId> named = automaton.tokens;
    std::ranges::sort(named);
    for (std::size_t i = 0; i < trie_.n_vocab(); ++i)
      if (const auto id = static_cast<TokenId>(i); !trie_.bytes(id).empty() && !std::ranges::binary_search(named, id)) set(id);
  }
  for (std::size_t i = 0; i < automaton.tokens.size(); ++i)
    if (may_follow(static_cast<Symbol>(kFirstToken + i))) set(automaton.tokens[i]);
}

const Masks::Local& Masks::local(SituationId open) {
  const auto [entry, is_new] = locals_.try_emplace(open);
  Local& result = entry->second;
  if (!is_new) return result;
  std::vector<std::uint64_t> others(bits_.size());
  std::swap(bits_, others);
  std::vector<std::uint32_t> leaves;
  walk(0, trie_.n_nodes(), open, &leaves);
  std::swap(bits_, others);
  result.mask = TokenMask(others);
  sort_below(leaves, result);
  bytes_ += result.mask.bytes() + 4 * result.below.size() + sizeof(Local);
  return result;
}

void Masks::sort_below(const std::vector<std::uint32_t>& leaves, Local& local) const {
  const auto for_each_child = [&](const auto& take) {
    for (const std::uint32_t leaf : leaves)
      for (std::uint32_t child = leaf + 1; child < trie_.node(leaf).end; child = trie_.node(child).end)
        take(child, trie_.node(child).byte);
  };
  for_each_child([&](std::uint32_t, std::uint8_t byte) { ++local.begins[byte + 1u]; });
  std::partial_sum(local.begins.begin(), local.begins.end(), local.begins.begin());
  local.below.resize(local.begins.back());
  std::array<std::uint32_t, 257> next = local.begins;
  for_each_child([&](std::uint32_t child, std::uint8_t byte) { local.below[next[byte]++] = child; });
}

void Masks::set_tokens(std::uint32_t begin, std::uint32_t end) {
  for (const TokenId id : trie_.tokens(begin, end)) set(id);
}

const AsciiSet& Masks::loop_of(SituationId situation) {
  if (situation >= loop_numbers_.size()) loop_numbers_.resize(situation + 1);
  if (loop_numbers_[situation] == 0) {
    AsciiSet& loop = loops_.emplace_back();
    for (std::uint8_t byte = 0; byte < 0x80; ++byte)
      if (stacks_.next(situation, class_of_[byte]) == situation) loop.add(byte);
    loop_numbers_[situation] = static_cast<std::uint32_t>(loops_.size());
  }
  return loops_[loop_numbers_[situation] - 1];
}

// The nodes [begin, end), which lie below a node that the situation `from` belongs to. `leaves`: gets those at which an open
// frame ends and something lies below. Where a situation comes back to itself by every byte below a node, as inside of strings,
// all that is below is let in at once.
void Masks::walk(std::uint32_t begin, std::uint32_t end, SituationId from, std::vector<std::uint32_t>* leaves) {
  if (begin >= end) return;
  path_[trie_.node(begin).depth - 1u] = from;
  for (std::uint32_t i = begin; i < end;) {
    const TokenTrie::Node& node = trie_.node(i);
    const SituationId situation = stacks_.next(path_[node.depth - 1u], class_of_[node.byte]);
    if (situation == Stacks::kRefused) {
      i = node.end;
      continue;
    }
    set_tokens(i, i + 1);
    if (leaves && stacks_.leaves(situation) && node.end > i + 1) leaves->push_back(i);
    path_[node.depth] = situation;
    ++i;
    if (!stacks_.goes_on(situation)) i = node.end;
    if (situation != path_[node.depth - 1u] || node.end - i < kFewNodes) continue;
    if ((leaves && stacks_.leaves(situation)) || !trie_.below(i - 1).is_within(loop_of(situation))) continue;
    set_tokens(i, node.end);
    i = node.end;
  }
}

}  // namespace puna::text::grammar
