// Any text as a grammar, and texts drawn from it: whatever the automaton allows it can finish, and masks are what trying every
// token says.
//
// Input: the grammar, a zero byte, then choices: each byte is the number of the token to go on with.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/matcher.h"

namespace {

using namespace puna;
using namespace puna::text;
using namespace puna::text::grammar;

void require(bool condition) {
  if (!condition) std::abort();
}

// Bytes, some words, an end token.
const Tokenizer& tokenizer() {
  static const std::unique_ptr<Tokenizer> made = [] {
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    VocabularyData data;
    data.model = "llama";
    data.kinds = {2, 3, 3};
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      tokens.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
      data.kinds.push_back(6);
    }
    for (const char* word : {"aa", "ab", "\"a", "a\"", "((", "))", "12", "\xC3\xA9", "  ", "aaaaaaaa"}) {
      tokens.emplace_back(word);
      data.kinds.push_back(1);
    }
    data.scores.assign(tokens.size(), 0);
    data.tokens.assign(tokens.begin(), tokens.end());
    data.eos = 2;
    data.add_space_prefix = false;
    return Tokenizer::make(data).value();
  }();
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const TokenTrie> trie = TokenTrie::make(tokenizer());
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const std::string_view choices = input.substr(std::min(size, text.size() + 1));
  auto grammar = parse_gbnf(text);
  if (!grammar) {
    require(!grammar.error().message.empty());
    return 0;
  }
  const auto constraint = Constraint::make(*std::move(grammar), tokenizer(), trie);
  if (!constraint) {
    require(!constraint.error().message.empty());
    return 0;
  }
  TokenMatcher matcher(*constraint);
  TokenMatcher probe(*constraint);
  for (const char choice : choices.substr(0, 24)) {
    const auto mask = matcher.mask();
    if (!mask) return 0;
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < static_cast<TokenId>(tokenizer().size()); ++id) {
      const auto accepted = probe.accept(id);
      if (!accepted) return 0;
      require(*accepted == (*mask)->allows(id));
      if (*accepted) probe.take_back(1);
      if (*accepted && !(tokenizer().is_eog(id) && matcher.is_complete())) allowed.push_back(id);
    }
    // Every beginning can be finished, and every byte is a token here. Where a grammar names the end token, it may be what goes
    // on.
    require(!allowed.empty() || matcher.is_complete());
    const bool names_end = std::ranges::count((*constraint)->automaton().tokens, *tokenizer().eos()) > 0;
    require(names_end || allowed.empty() == !matcher.goes_on());
    if (allowed.empty()) return 0;
    const TokenId next = allowed[static_cast<unsigned char>(choice) % allowed.size()];
    require(matcher.accept(next).value_or(true) && probe.accept(next).value_or(true));
  }
  return 0;
}
