#include "text/grammar/json_schema_number.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "base/check.h"
#include "text/grammar/nfa.h"

namespace puna::text::grammar {
namespace {

constexpr int kSignificant = 15, kZeros = 16;

// "-12.5e-3" and its like, as std::to_chars writes them.
Decimal parse_decimal(std::string_view text) {
  Decimal result;
  if (text.starts_with('-')) result.negative = true, text.remove_prefix(1);
  int exponent = 0;
  if (const auto e = text.find('e'); e != text.npos) {
    const auto digits = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    text = text.substr(0, e);
  }
  std::string digits(text.substr(0, text.find('.')));
  auto point = static_cast<std::ptrdiff_t>(digits.size()) + exponent;
  if (const auto dot = text.find('.'); dot != text.npos) digits += text.substr(dot + 1);
  if (point < 0) digits.insert(0, static_cast<std::size_t>(-point), '0'), point = 0;
  if (point > static_cast<std::ptrdiff_t>(digits.size())) digits.resize(static_cast<std::size_t>(point), '0');
  result.whole = digits.substr(0, static_cast<std::size_t>(point));
  result.fraction = digits.substr(static_cast<std::size_t>(point));
  result.whole.erase(0, result.whole.find_first_not_of('0'));
  if (result.whole.empty()) result.whole.push_back('0');
  result.fraction.erase(result.fraction.find_last_not_of('0') + 1);
  if (result.whole == "0" && result.fraction.empty()) result.negative = false;
  return result;
}

// Digits with or without a fraction, compared with a limit's absolute value as they are read.
class Comparison {
 public:
  struct Wanted {
    bool less = false, equal = false, greater = false;
  };
  Comparison(Nfa& nfa, const Decimal& limit) : nfa_(nfa), limit_(limit) {}

  // From `from` lead the digits of every number that compares as wanted to `to`.
  void add(Nfa::State from, Nfa::State to, Wanted wanted) {
    less_ = fraction_end(to, wanted.less);
    greater_ = fraction_end(to, wanted.greater);
    const auto equal = add_fraction(to, wanted);
    const std::size_t n = limit_.whole.size();
    // Digits read so far, when all were the limit's; when the first other one was less; when it was greater.
    auto same = from;
    std::optional<Nfa::State> less, greater;
    for (std::size_t i = 0; i < n; ++i) {
      const auto next_same = nfa_.add(), next_less = nfa_.add(), next_greater = nfa_.add();
      split(same, limit_.whole[i], next_less, next_same, next_greater);
      if (less) nfa_.edge(*less, '0', '9', next_less);
      if (greater) nfa_.edge(*greater, '0', '9', next_greater);
      const bool all = i + 1 == n;
      finish(next_less, to, wanted.less, less_);  // of fewer digits, or smaller ones
      finish(next_same, to, !all ? wanted.less : limit_.fraction.empty() ? wanted.equal : wanted.less, all ? equal : less_);
      finish(next_greater, to, all ? wanted.greater : wanted.less, all ? greater_ : less_);
      same = next_same, less = next_less, greater = next_greater;
    }
    const auto longer = nfa_.add();
    for (const auto state : {same, *less, *greater, longer}) nfa_.edge(state, '0', '9', longer);
    finish(longer, to, wanted.greater, greater_);
  }

 private:
  void split(Nfa::State from, char digit, Nfa::State less, Nfa::State same, Nfa::State greater) {
    const auto d = static_cast<unsigned char>(digit);
    if (d > '0') nfa_.edge(from, '0', static_cast<unsigned char>(d - 1), less);
    nfa_.edge(from, d, d, same);
    if (d < '9') nfa_.edge(from, static_cast<unsigned char>(d + 1), '9', greater);
  }
  // The number may end here, or its fraction begin.
  void finish(Nfa::State at, Nfa::State to, bool wanted, Nfa::State fraction) {
    if (wanted) nfa_.jump(at, to);
    nfa_.edge(at, '.', '.', fraction);
  }
  // Any more digits, of a number that is decided.
  Nfa::State fraction_end(Nfa::State to, bool wanted) {
    const auto state = nfa_.add();
    nfa_.edge(state, '0', '9', state);
    if (wanted) nfa_.jump(state, to);
    return state;
  }
  // The fraction of a number whose whole part is the limit's.
  Nfa::State add_fraction(Nfa::State to, Wanted wanted) {
    const auto begin = nfa_.add();
    auto same = begin;
    for (const char digit : limit_.fraction) {
      const auto next = nfa_.add();
      split(same, digit, less_, next, greater_);
      if (wanted.less) nfa_.jump(same, to);
      same = next;
    }
    split(same, '0', less_, same, greater_);
    if (wanted.equal) nfa_.jump(same, to);
    return begin;
  }

  Nfa& nfa_;
  const Decimal& limit_;
  Nfa::State less_ = 0, greater_ = 0;
};

void add_integers(Nfa& nfa, Nfa::State begin, Nfa::State end) {
  const auto sign = nfa.add(), digits = nfa.add();
  nfa.edge(begin, '0', '0', end);
  nfa.edge(begin, '-', '-', sign);
  nfa.edge(begin, '1', '9', digits);
  nfa.edge(sign, '1', '9', digits);
  nfa.edge(digits, '0', '9', digits);
  nfa.jump(digits, end);
}

void add_fractions(Nfa& nfa, Nfa::State begin, Nfa::State end) {
  const auto sign = nfa.add(), zero = nfa.add();
  nfa.jump(begin, sign);
  nfa.edge(begin, '-', '-', sign);
  nfa.edge(sign, '0', '0', zero);
  // before[k] and after[k]: k significant digits, before the point and after it.
  std::vector<Nfa::State> before, after;
  for (int k = 0; k < kSignificant; ++k) before.push_back(k == 0 ? sign : nfa.add()), after.push_back(nfa.add());
  const auto last = [&](Nfa::State from) { nfa.edge(from, '1', '9', end); };
  for (std::size_t k = 1; k < before.size(); ++k) {
    nfa.edge(before[k - 1], k == 1 ? '1' : '0', '9', before[k]);
    nfa.edge(before[k], '.', '.', after[k]);
    if (k + 1 < after.size()) nfa.edge(after[k], '0', '9', after[k + 1]);
    last(after[k]);
  }
  auto zeros = nfa.add();
  nfa.edge(zero, '.', '.', zeros);
  for (int i = 0; i <= kZeros; ++i) {
    last(zeros);
    nfa.edge(zeros, '1', '9', after[1]);
    const auto next = nfa.add();
    nfa.edge(zeros, '0', '0', next);
    zeros = next;
  }
}

void add_unbounded_fractions(Nfa& nfa, Nfa::State begin, Nfa::State end) {
  const auto sign = nfa.add(), whole = nfa.add(), zero = nfa.add(), fraction = nfa.add();
  nfa.jump(begin, sign);
  nfa.edge(begin, '-', '-', sign);
  nfa.edge(sign, '0', '0', zero);
  nfa.edge(sign, '1', '9', whole);
  nfa.edge(whole, '0', '9', whole);
  nfa.edge(zero, '.', '.', fraction);
  nfa.edge(whole, '.', '.', fraction);
  nfa.edge(fraction, '0', '9', fraction);
  nfa.edge(fraction, '1', '9', end);
}

}  // namespace

std::string Decimal::text() const {
  return fmt::format("{}{}{}{}", negative ? "-" : "", whole, fraction.empty() ? "" : ".", fraction);
}

std::optional<Decimal> decimal_of(const Value& value) {
  if (const auto* integer = value.if_int()) return parse_decimal(fmt::format("{}", *integer));
  if (const auto* natural = value.if_uint()) return parse_decimal(fmt::format("{}", *natural));
  const auto* number = value.if_double();
  if (!number || !std::isfinite(*number)) return std::nullopt;
  char buffer[32];
  const auto [end, _] = std::to_chars(buffer, buffer + sizeof buffer, *number);
  return parse_decimal({buffer, static_cast<std::size_t>(end - buffer)});
}

Result<Dfa> number_texts(NumberKinds kinds, bool unbounded, Budget& budget) {
  Nfa nfa;
  const auto begin = nfa.add(), end = nfa.add();
  if (kinds.integers) add_integers(nfa, begin, end);
  if (kinds.fractions) unbounded ? add_unbounded_fractions(nfa, begin, end) : add_fractions(nfa, begin, end);
  return nfa.determine(begin, end, budget);
}

Result<Dfa> numbers_within(Bound bound, const Decimal& limit, Budget& budget) {
  Nfa nfa;
  const auto begin = nfa.add(), end = nfa.add(), minus = nfa.add();
  nfa.edge(begin, '-', '-', minus);
  const bool equal = bound == Bound::at_least || bound == Bound::at_most, up = bound == Bound::at_least || bound == Bound::above;
  const Comparison::Wanted farther{false, equal, true}, nearer{true, equal, false}, any{true, true, true}, none{};
  // Negative numbers compare by their digits the other way round.
  Comparison(nfa, limit).add(begin, end, limit.negative ? (up ? any : none) : (up ? farther : nearer));
  Comparison(nfa, limit).add(minus, end, limit.negative ? (up ? nearer : farther) : (up ? none : any));
  return nfa.determine(begin, end, budget);
}

Result<Dfa> multiples_of(const Decimal& factor, Budget& budget) {
  constexpr std::uint64_t kMostStates = 200'000;
  // factor = modulus / 10^scale
  std::uint64_t modulus = 0;
  const std::size_t scale = factor.fraction.size();
  for (const char digit : factor.whole + factor.fraction) {
    modulus = modulus * 10 + static_cast<unsigned>(digit - '0');
    if (modulus * (scale + 2) > kMostStates) {
      return fail(ErrorKind::unsupported, "multiples of {} need an automaton of more than {} states", factor.text(), kMostStates);
    }
  }
  PUNA_CHECK(modulus > 0, "multiples of zero");
  // State 0 is the start; 1 + j·modulus + r: remainder r after j digits of the fraction (and 0 for none and no point, with a
  // layer of its own, j = 0, so that layer j + 1 has j digits).
  const std::size_t layers = scale + 2, n_states = 1 + layers * modulus;
  PUNA_TRY(budget.spend(n_states * 13, "multipleOf"));
  Dfa::Table table;
  table.n_classes = 13;  // 0 … 9, '.', '-', all others
  table.class_of.fill(12);
  for (unsigned d = 0; d < 10; ++d) table.class_of['0' + d] = static_cast<std::uint8_t>(d);
  table.class_of['.'] = 10, table.class_of['-'] = 11;
  table.next.assign(n_states * 13, Dfa::kDead);
  table.accepting.assign(n_states, 0);
  const auto state = [&](std::size_t layer, std::uint64_t r) { return static_cast<Dfa::State>(1 + layer * modulus + r); };
  table.next[11] = state(0, 0);
  for (unsigned d = 0; d < 10; ++d) table.next[d] = state(0, d % modulus);
  std::uint64_t power = 1 % modulus;  // 10^(scale - digits read) modulo modulus
  for (std::size_t layer = layers; layer-- > 0;) {
    for (std::uint64_t r = 0; r < modulus; ++r) {
      auto* next = &table.next[state(layer, r) * 13];
      const bool more = layer == 0 || layer + 1 < layers;
      for (unsigned d = 0; d < 10 && more; ++d) next[d] = state(layer == 0 ? 0 : layer + 1, (r * 10 + d) % modulus);
      if (layer == 0) next[10] = state(1, r);
      table.accepting[state(layer, r)] = r * power % modulus == 0;
    }
    if (layer > 1) power = power * 10 % modulus;
  }
  return Dfa::from(std::move(table), budget);
}

}  // namespace puna::text::grammar
