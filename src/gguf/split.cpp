#include "gguf/split.h"

#include <fmt/format.h>

namespace puna::gguf {
namespace {

constexpr std::size_t kDigits = 5;

std::optional<int> number_of(std::string_view digits) {
  if (digits.size() != kDigits) return std::nullopt;
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<ShardName> parse_shard_name(std::string_view filename) {
  // PREFIX "-" 00002 "-of-" 00003 ".gguf"
  constexpr std::string_view kOf = "-of-", kEnd = ".gguf";
  constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits + kEnd.size();
  if (filename.size() <= kTail || !filename.ends_with(kEnd)) return std::nullopt;
  const std::string_view tail = filename.substr(filename.size() - kTail);
  if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf) return std::nullopt;
  const auto number = number_of(tail.substr(1, kDigits));
  const auto count = number_of(tail.substr(1 + kDigits + kOf.size(), kDigits));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return ShardName{std::string(filename.substr(0, filename.size() - kTail)), *number, *count};
}

std::string shard_name(std::string_view prefix, int number, int count) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, number, count);
}

}  // namespace puna::gguf
