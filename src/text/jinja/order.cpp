// Equality, order and hashes, as Python defines them over numbers, strings and containers.
#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <numeric>

#include "text/jinja/value.h"

namespace puna::text::jinja {
namespace {

bool is_number(const Any& value) { return value.is(Kind::integer) || value.is(Kind::boolean) || value.is(Kind::real); }

// Exactly, not by rounding the integer to a double.
std::partial_ordering compare_mixed(Integer a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  constexpr double kBeyond = 1.7e38;
  if (b >= kBeyond) return std::partial_ordering::less;
  if (b <= -kBeyond) return std::partial_ordering::greater;
  const double whole = std::trunc(b);
  const auto as_integer = static_cast<Integer>(whole);
  if (a != as_integer) return a < as_integer ? std::partial_ordering::less : std::partial_ordering::greater;
  return 0.0 <=> (b - whole);
}

std::partial_ordering compare_numbers(const Any& a, const Any& b) {
  const double* x = a.if_real();
  const double* y = b.if_real();
  if (x != nullptr && y != nullptr) return *x <=> *y;
  if (x != nullptr) return 0 <=> compare_mixed(*b.if_integer(), *x);
  if (y != nullptr) return compare_mixed(*a.if_integer(), *y);
  const Integer left = *a.if_integer();
  const Integer right = *b.if_integer();
  return left < right   ? std::partial_ordering::less
         : left > right ? std::partial_ordering::greater
                        : std::partial_ordering::equivalent;
}

Result<bool> same_or_equal(Budget& budget, const Any& a, const Any& b) {
  if (!a.is(Kind::real) && a.same_as(b)) return true;
  return equals(budget, a, b);
}

Result<bool> equal_sequences(Budget& budget, const std::vector<Any>& a, const std::vector<Any>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!PUNA_TRY(same_or_equal(budget, a[i], b[i]))) return false;
  }
  return true;
}

Result<bool> equal_dicts(Budget& budget, const Dict& a, const Dict& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, value] : a.entries) {
    const Any* other = PUNA_TRY(find_key(budget, b, key));
    if (other == nullptr || !PUNA_TRY(same_or_equal(budget, value, *other))) return false;
  }
  return true;
}

bool equal_ranges(const Range& a, const Range& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 0) return true;
  return a.start == b.start && (a.size() == 1 || a.step == b.step);
}

Result<bool> equal_views(Budget& budget, const DictView& a, const DictView& b) {
  if (a.of == ViewOf::values || b.of == ViewOf::values || a.of != b.of) return false;
  if (a.dict->entries.size() != b.dict->entries.size()) return false;
  if (a.of == ViewOf::items) return equal_dicts(budget, *a.dict, *b.dict);
  for (const auto& [key, value] : a.dict->entries) {
    if (PUNA_TRY(find_key(budget, *b.dict, key)) == nullptr) return false;
  }
  return true;
}

}  // namespace

Result<bool> equals(Budget& budget, const Any& a, const Any& b) {
  PUNA_TRY(budget.spend());
  if (is_number(a) && is_number(b)) return compare_numbers(a, b) == std::partial_ordering::equivalent;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::undefined:
      return true;
    case Kind::text:
      PUNA_TRY(budget.spend(a.if_text()->bytes.size() / 64));
      return a.if_text()->bytes == b.if_text()->bytes;
    case Kind::list:
    case Kind::tuple:
      if (a.if_sequence() == b.if_sequence()) return true;
      return equal_sequences(budget, a.if_sequence()->items, b.if_sequence()->items);
    case Kind::dict:
      return a.if_dict() == b.if_dict() ? Result<bool>(true) : equal_dicts(budget, *a.if_dict(), *b.if_dict());
    case Kind::range:
      return equal_ranges(*a.if_range(), *b.if_range());
    case Kind::view:
      return equal_views(budget, *a.if_view(), *b.if_view());
    case Kind::method:
      return a.if_method()->id == b.if_method()->id && a.if_method()->self.same_as(b.if_method()->self);
    default:
      return a.same_as(b);
  }
}

Result<std::size_t> hash_of(Budget& budget, const Any& value) {
  PUNA_TRY(budget.spend());
  switch (value.kind()) {
    case Kind::boolean:
    case Kind::integer: {
      const Integer number = *value.if_integer();
      return std::hash<std::int64_t>{}(static_cast<std::int64_t>(number));
    }
    case Kind::real: {
      const double number = *value.if_real();
      if (std::abs(number) < 1e18 && number == std::trunc(number)) {
        return std::hash<std::int64_t>{}(static_cast<std::int64_t>(number));
      }
      if (std::abs(number) < 1.7e38 && number == std::trunc(number)) {
        return std::hash<std::int64_t>{}(static_cast<std::int64_t>(static_cast<Integer>(number)));
      }
      return std::hash<double>{}(number);
    }
    case Kind::text:
      return std::hash<std::string_view>{}(value.if_text()->bytes);
    case Kind::tuple: {
      std::size_t hash = 0x9E3779B97F4A7C15U;
      for (const Any& item : value.if_tuple()->items) hash = (hash ^ PUNA_TRY(hash_of(budget, item))) * 0x100000001B3U;
      return hash;
    }
    case Kind::list:
    case Kind::dict:
    case Kind::view:
      return fail("unhashable type: '{}'", type_name(value));
    case Kind::object:
      return std::hash<const void*>{}(value.if_object());
    case Kind::builtin:
      return std::hash<const void*>{}(value.if_builtin());
    case Kind::method:
      return std::size_t{value.if_method()->id};
    case Kind::range:
      return static_cast<std::size_t>(value.if_range()->size());
    case Kind::missing:
    case Kind::undefined:
    case Kind::none:
      return static_cast<std::size_t>(value.kind());
  }
  return std::size_t{0};
}

Result<const Any*> find_key(Budget& budget, const Dict& dict, const Any& key) {
  if (const Text* text = key.if_text()) {
    PUNA_TRY(budget.spend());
    return dict.find(text->bytes);
  }
  const std::size_t hash = PUNA_TRY(hash_of(budget, key));
  if (dict.index.empty()) {
    for (const auto& [candidate, value] : dict.entries) {
      if (PUNA_TRY(same_or_equal(budget, candidate, key))) return &value;
    }
    return nullptr;
  }
  auto at = std::lower_bound(dict.index.begin(), dict.index.end(), std::pair<std::size_t, std::uint32_t>{hash, 0});
  for (; at != dict.index.end() && at->first == hash; ++at) {
    const auto& [candidate, value] = dict.entries[at->second];
    if (PUNA_TRY(same_or_equal(budget, candidate, key))) return &value;
  }
  return nullptr;
}

Result<bool> less(Budget& budget, const Any& a, const Any& b) {
  PUNA_TRY(budget.spend());
  if (is_number(a) && is_number(b)) return compare_numbers(a, b) == std::partial_ordering::less;
  if (a.is(Kind::text) && b.is(Kind::text)) {
    PUNA_TRY(budget.spend(a.if_text()->bytes.size() / 64));
    return a.if_text()->bytes < b.if_text()->bytes;  // the order of UTF-8 bytes is the order of code points
  }
  if ((a.is(Kind::list) && b.is(Kind::list)) || (a.is(Kind::tuple) && b.is(Kind::tuple))) {
    const auto& left = a.if_sequence()->items;
    const auto& right = b.if_sequence()->items;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (!PUNA_TRY(same_or_equal(budget, left[i], right[i]))) return less(budget, left[i], right[i]);
    }
    return left.size() < right.size();
  }
  for (const Any* side : {&a, &b}) {
    if (side->is_undefined()) return std::unexpected(error(ErrorKind::invalid, "{}", describe_undefined(*side)));
  }
  return fail("'<' is not defined between '{}' and '{}'", type_name(a), type_name(b));
}

// Merges runs of doubling length, so that an error in a comparison ends it at once and a NaN harms nothing.
Result<std::vector<std::size_t>> sorted_order(Budget& budget, const std::vector<Any>& keys, bool descending) {
  const std::size_t n = keys.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> merged(n);
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, n);
      const std::size_t end = std::min(begin + 2 * width, n);
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        bool takes_right = left == middle;
        if (left < middle && right < end) {
          const Any& a = keys[order[left]];
          const Any& b = keys[order[right]];
          takes_right = PUNA_TRY(descending ? less(budget, a, b) : less(budget, b, a));
        }
        merged[out] = order[takes_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

}  // namespace puna::text::jinja
