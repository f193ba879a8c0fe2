#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <limits>
#include <string>

#include "base/check.h"
#include "text/utf8.h"

namespace puna::text {

struct Regex::Code {
  template <auto kFree>
  struct Free {
    void operator()(auto* thing) const { kFree(thing); }
  };
  std::unique_ptr<pcre2_code, Free<pcre2_code_free>> pattern;
  std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>> context;
  using Match = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;
};

Regex::Regex(std::string_view pattern) : code_(std::make_unique<Code>()) {
  constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_UCP;
  int number = 0;
  std::size_t offset = 0;
  code_->pattern.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions, &number, &offset, nullptr));
  PUNA_CHECK(code_->pattern, std::string(pattern));
  pcre2_jit_compile(code_->pattern.get(), PCRE2_JIT_COMPLETE);  // where it cannot, matching interprets
  code_->context.reset(pcre2_match_context_create(nullptr));
  PUNA_CHECK(code_->context);
  // The tables' patterns are linear; the default limit is there for those that are not, and long runs would reach it.
  pcre2_set_match_limit(code_->context.get(), std::numeric_limits<std::uint32_t>::max());
}

Regex::~Regex() = default;
Regex::Regex(Regex&& other) noexcept = default;

void Regex::split(std::string_view text, Span range, std::vector<Span>& pieces) const {
  std::size_t begin = range.begin;
  for (std::size_t at = range.begin; at < range.end;) {
    const Utf8Step step = utf8_at(text.substr(0, range.end), at);
    if (step.code == kNotACharacter) {
      split_valid(text, {begin, at}, pieces);
      pieces.push_back({at, at + 1});
      begin = at + 1;
    }
    at += step.code == kNotACharacter ? 1 : step.length;
  }
  split_valid(text, {begin, range.end}, pieces);
}

void Regex::split_valid(std::string_view text, Span range, std::vector<Span>& pieces) const {
  const Code::Match match(pcre2_match_data_create(1, nullptr));
  PUNA_CHECK(match);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data() + range.begin);
  std::size_t at = 0;
  while (at < range.size()) {
    // Checked already; PCRE2 would check the whole rest again for each match.
    const int found =
        pcre2_match(code_->pattern.get(), subject, range.size(), at, PCRE2_NO_UTF_CHECK, match.get(), code_->context.get());
    PUNA_CHECK(found > 0 || found == PCRE2_ERROR_NOMATCH, "a pattern reached a limit");
    if (found < 0) break;
    const std::size_t* ends = pcre2_get_ovector_pointer(match.get());
    PUNA_CHECK(ends[1] > ends[0], "a pattern matches nothing");
    if (ends[0] > at) pieces.push_back({range.begin + at, range.begin + ends[0]});
    pieces.push_back({range.begin + ends[0], range.begin + ends[1]});
    at = ends[1];
  }
  if (at < range.size()) pieces.push_back({range.begin + at, range.end});
}

}  // namespace puna::text
