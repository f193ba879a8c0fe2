// Any tokenizer.json is read or refused with a message; what is read tokenizes, and its ids are tokens.
//
// Input: the file; after a NUL, if there is one, a text.
#include <cstdlib>

#include "text/tokenizer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace puna;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const auto value = json::parse(input.substr(0, end));
  if (!value) return 0;
  const auto file = text::TokenizerJson::read(*value);
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  const auto tokenizer = file->make();
  if (!tokenizer) return 0;
  const std::string_view text = input.substr(std::min(end + 1, input.size())).substr(0, 256);
  const auto ids = (*tokenizer)->encode(text);
  for (const TokenId id : ids) {
    if (!(*tokenizer)->contains(id)) std::abort();
  }
  (*tokenizer)->decode(ids);
  file->pre_tokenizer_name();
  return 0;
}
