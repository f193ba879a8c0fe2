// Any vocabulary that Tokenizer::make() accepts gives any text back, and any ids some text.
//
// Input: kind, flags, number of extra tokens, then for each its kind, score, length and bytes; the rest is the text.
#include <cstdlib>

#include "text/detokenizer.h"
#include "text/pretokenizers.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace {

using namespace puna;
using namespace puna::text;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}
  unsigned byte() { return static_cast<unsigned char>(text(1).empty() ? '\0' : last_[0]); }
  std::string_view text(std::size_t n) {
    last_ = rest_.substr(0, n);
    rest_.remove_prefix(last_.size());
    return last_;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::string_view last_;
};

void require(bool condition) {
  if (!condition) std::abort();
}

std::string byte_level(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char32_t next = 0x100;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
      const char32_t character = printable ? byte : next++;
      if (byte == static_cast<unsigned char>(c)) append_utf8(character, out);
    }
  }
  return out;
}

// The texts are owned here; VocabularyData has views of them.
struct Vocabulary {
  std::vector<std::string> tokens, merges;
  VocabularyData data;

  void add(std::string text, std::int64_t kind, float score = 0) {
    tokens.push_back(std::move(text));
    data.kinds.push_back(kind);
    data.scores.push_back(score);
  }
};

Vocabulary read_vocabulary(Input& input) {
  Vocabulary v;
  const auto names = pretokenizer_names();
  constexpr std::string_view kOthers[] = {"llama", "t5", "bert", "rwkv"};
  const unsigned kind = input.byte() % (static_cast<unsigned>(names.size()) + 4);
  const bool is_bpe = kind < names.size();
  v.data.model = is_bpe ? "gpt2" : kOthers[kind - names.size()];
  if (is_bpe) v.data.pre = names[kind];
  const bool bytes = is_bpe && !find_pretokenizer(names[kind])->characters;  // mapped to characters
  const bool escapes = v.data.model == "rwkv";
  for (int byte = 0; byte < 256; ++byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const char raw = static_cast<char>(byte);
    const std::string hex{kDigits[static_cast<std::size_t>(byte / 16)], kDigits[static_cast<std::size_t>(byte % 16)]};
    if (bytes) {
      v.add(byte_level({&raw, 1}), 1);
    } else {
      v.add(escapes ? "\\x" + hex : "<0x" + hex + ">", escapes ? 1 : 6);
    }
  }
  v.add("▁", 1);
  const unsigned flags = input.byte();
  if (flags & 1) v.data.add_space_prefix = (flags & 2) != 0;
  if (flags & 4) v.data.bos = input.byte();
  if (flags & 8) v.data.eos = input.byte();
  if (flags & 16) v.data.add_eos = true;
  if (flags & 32) v.data.charsmap = input.text(input.byte());
  for (unsigned n = input.byte() % 32; n > 0; --n) {
    const unsigned kind_of_token = input.byte() % 8;
    const auto score = static_cast<float>(input.byte());
    const std::string_view text = input.text(input.byte() % 16);
    const bool mapped = bytes && kind_of_token == 1;
    if (mapped && text.size() > 1) {
      const std::size_t cut = 1 + static_cast<std::size_t>(score) % (text.size() - 1);
      v.merges.push_back(byte_level(text.substr(0, cut)) + " " + byte_level(text.substr(cut)));
    }
    v.add(mapped ? byte_level(text) : std::string(text), kind_of_token, score);
  }
  v.data.tokens.assign(v.tokens.begin(), v.tokens.end());
  v.data.merges.assign(v.merges.begin(), v.merges.end());
  return v;
}

void check_round_trip(const Tokenizer& tokenizer, std::string_view text, bool parse_special, bool has_charsmap) {
  const auto ids = tokenizer.encode(text, {.add_special = false, .parse_special = parse_special});
  for (const TokenId id : ids) require(tokenizer.contains(id));
  const std::string decoded = tokenizer.decode(ids);
  Detokenizer keep(tokenizer, {.invalid = Detokenizer::Invalid::keep});
  std::string streamed;
  for (const TokenId id : ids) streamed += keep.push(id);
  require(streamed + keep.finish() == decoded);

  const std::string_view model = tokenizer.model_name();
  const auto pre = find_pretokenizer(tokenizer.pre_name());
  const bool marks_spaces = model == "llama" || model == "t5" || (pre && pre->characters);
  if (model == "bert") return;                                              // keeps little of a text
  if (marks_spaces && text.find("▁") != std::string_view::npos) return;     // a space
  if (model != "llama" && tokenizer.adds_space_prefix()) return;            // not added before a space
  if ((pre && pre->normalizes) || (model == "t5" && has_charsmap)) return;  // composes, or whatever the map says
  require(decoded == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Vocabulary vocabulary = read_vocabulary(input);
  const auto made = Tokenizer::make(vocabulary.data);
  if (!made) {
    require(!made.error().message.empty());
    return 0;
  }
  const Tokenizer& tokenizer = **made;
  const std::string_view text = input.rest();
  check_round_trip(tokenizer, text, true, !vocabulary.data.charsmap.empty());
  check_round_trip(tokenizer, text, false, !vocabulary.data.charsmap.empty());
  tokenizer.encode(text);
  const Span third{text.size() / 3, 2 * text.size() / 3};
  tokenizer.encode(text, {.literal = {&third, 1}, .has_literal_marks = true});

  Detokenizer detokenizer(tokenizer);
  std::string shown;
  for (const char byte : text) shown += detokenizer.push(static_cast<unsigned char>(byte) * 2 - 8);
  shown += detokenizer.finish();
  for (std::size_t at = 0; at < shown.size();) {
    const Utf8Step step = utf8_at(shown, at);
    require(step.code != kNotACharacter);
    at += step.length;
  }
  return 0;
}
