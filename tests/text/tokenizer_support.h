// Vocabularies for the tests: from tests/data/tokenizer, or written in the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/value.h"
#include "text/tokenizer.h"

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

}  // namespace puna::text
