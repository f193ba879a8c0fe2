// Vocabularies for the tests: from tests/data/tokenizer, or written in the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/value.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace puna::text {

inline Value read_json(const std::string& name) {
  const auto bytes = os::read_file(std::string(PUNA_TEST_DATA "/tokenizer/") + name);
  EXPECT_TRUE(bytes) << name;
  auto value = json::parse(bytes.value_or("null"));
  EXPECT_TRUE(value) << name;
  return value.value_or(Value());
}

inline std::vector<std::string> strings(const Value* array) {
  std::vector<std::string> out;
  if (!array) return out;
  for (const Value& item : *array->if_array()) out.push_back(*item.if_string());
  return out;
}

inline std::vector<TokenId> ids(const Value& array) {
  std::vector<TokenId> out;
  for (const Value& item : *array.if_array()) out.push_back(static_cast<TokenId>(*item.if_int()));
  return out;
}

// A vocabulary that owns its texts.
struct OwnedVocabulary {
  std::vector<std::string> tokens;
  std::vector<std::string> merges;
  VocabularyData data;

  VocabularyData& view() {
    data.tokens.assign(tokens.begin(), tokens.end());
    data.merges.assign(merges.begin(), merges.end());
    return data;
  }
  std::unique_ptr<Tokenizer> make() {
    auto tokenizer = Tokenizer::make(view());
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    return tokenizer ? *std::move(tokenizer) : nullptr;
  }
};

inline OwnedVocabulary vocabulary_of(const Value& file) {
  OwnedVocabulary v;
  v.tokens = strings(file.find("tokens"));
  v.merges = strings(file.find("merges"));
  v.data.model = *file.find("model")->if_string();
  v.data.pre = *file.find("pre")->if_string();
  for (const Value& kind : *file.find("kinds")->if_array()) v.data.kinds.push_back(*kind.if_int());
  if (const Value* scores = file.find("scores")) {
    for (const Value& score : *scores->if_array()) {
      v.data.scores.push_back(static_cast<float>(score.if_double() ? *score.if_double() : static_cast<double>(*score.if_int())));
    }
  }
  auto id = [&](const char* key) { return file.find(key) ? std::optional(*file.find(key)->if_int()) : std::nullopt; };
  auto flag = [&](const char* key) { return file.find(key) ? std::optional(*file.find(key)->if_bool()) : std::nullopt; };
  v.data.bos = id("bos");
  v.data.eos = id("eos");
  v.data.unk = id("unk");
  v.data.add_bos = flag("add_bos");
  v.data.add_space_prefix = flag("add_space_prefix");
  return v;
}

// A byte-level vocabulary: token i is byte i, written as such vocabularies write it; no merges.
inline OwnedVocabulary byte_vocabulary(std::string pre = "gpt-2") {
  OwnedVocabulary v;
  v.data.model = "gpt2";
  v.data.pre = std::move(pre);
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    v.tokens.emplace_back();
    append_utf8(printable ? byte : next++, v.tokens.back());
    v.data.kinds.push_back(1);
  }
  return v;
}

// A SentencePiece vocabulary: <unk> <s> </s>, then token 3 + i is byte i.
inline OwnedVocabulary piece_vocabulary() {
  OwnedVocabulary v;
  v.data.model = "llama";
  v.tokens = {"<unk>", "<s>", "</s>"};
  v.data.kinds = {2, 3, 3};
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    v.tokens.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
    v.data.kinds.push_back(6);
  }
  v.data.scores.assign(v.tokens.size(), 0);
  return v;
}

// The same for BPE of characters.
inline OwnedVocabulary character_vocabulary(std::string pre) {
  OwnedVocabulary v = piece_vocabulary();
  v.data.model = "gpt2";
  v.data.pre = std::move(pre);
  v.data.scores.clear();
  return v;
}

// RWKV's: <s>, then token 1 + i is byte i, written as Python writes bytes.
inline OwnedVocabulary rwkv_vocabulary() {
  OwnedVocabulary v;
  v.data.model = "rwkv";
  v.tokens = {"<s>"};
  v.data.kinds = {3};
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    v.tokens.push_back(std::string("\\x") + kDigits[byte / 16] + kDigits[byte % 16]);
    v.data.kinds.push_back(1);
  }
  return v;
}

// A Unigram vocabulary of pieces with their scores, which keeps all spaces.
inline OwnedVocabulary unigram_vocabulary() {
  OwnedVocabulary v = piece_vocabulary();
  v.data.model = "t5";
  v.data.add_eos = false;
  return v;
}

inline TokenId add(OwnedVocabulary& v, std::string text, TokenKind kind = TokenKind::normal, float score = 0) {
  v.tokens.push_back(std::move(text));
  v.data.kinds.push_back(static_cast<std::int64_t>(kind));
  if (v.data.model == "llama" || v.data.model == "t5") v.data.scores.push_back(score);
  return static_cast<TokenId>(v.tokens.size() - 1);
}

}  // namespace puna::text
