// What people pass by mistake, told from the first bytes.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "gguf/parse.h"

namespace puna::gguf {
namespace {

struct Signature {
  std::string_view start;
  std::string_view what;
};
using namespace std::string_view_literals;
constexpr Signature kSignatures[] = {
    {"PK\x03\x04"sv, "a zip archive, such as a PyTorch checkpoint (.pt, .bin)"},
    {"lmgg"sv, "a GGML file, the format before GGUF"},
    {"fmgg"sv, "a GGMF file, a format before GGUF"},
    {"tjgg"sv, "a GGJT file, the format before GGUF"},
    {"algg"sv, "a GGLA adapter, the format before GGUF"},
    {"version https://git-lfs"sv, "a Git LFS pointer: the model itself was not downloaded"},
    {"\x1f\x8b"sv, "a gzip archive"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd archive"},
    {"\xfd"
     "7zXZ"sv,
     "an xz archive"},
    {"\x80\x02"sv, "a Python pickle, such as an old PyTorch checkpoint"},
    {"\x89HDF"sv, "an HDF5 file"},
};

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && std::ranges::equal(text.substr(0, lower.size()), lower, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

}  // namespace

std::string_view guess_format(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 512));
  if (head.empty()) return "an empty file";
  for (const auto& [start, what] : kSignatures)
    if (head.starts_with(start)) return what;

  // safetensors: the length of a JSON header in 8 bytes, then that header
  if (head.size() >= 9 && head[8] == '{') {
    std::uint64_t length;
    std::memcpy(&length, head.data(), sizeof length);
    if (length > 1 && length <= bytes.size() - 8) return "a safetensors file";
  }
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos) return {};
  const std::string_view text = head.substr(first);
  if (starts_with_ignoring_case(text, "<!doctype html") || starts_with_ignoring_case(text, "<html"))
    return "a web page: the download went wrong";
  if (text.starts_with('{') && head.find('"') != head.npos) return "a JSON file";
  return {};
}

}  // namespace puna::gguf
