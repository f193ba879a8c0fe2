#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace puna {
namespace {

constexpr std::size_t kLongestWord = 256;  // the work grows with the product of the lengths

// Restricted edit distance: insert, delete, replace, swap neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

template <class Word>
std::string_view nearest_of(std::string_view word, std::span<const Word> known) {
  if (word.size() > kLongestWord) return {};
  // The dashes of an option are no letters: -np is not nearly -p.
  const auto n_letters = word.size() - static_cast<std::size_t>(std::ranges::count(word, '-'));
  std::string_view best;
  std::size_t least = n_letters / 3 + 1;
  for (const Word& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t d = distance(word, candidate);
    if (d < least) least = d, best = candidate;
  }
  return best;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) { return nearest_of(word, known); }
std::string_view nearest(std::string_view word, std::span<const std::string> known) { return nearest_of(word, known); }

}  // namespace puna
