// tokenizer.json: ids equal to those that Hugging Face's tokenizers give with the same file, and errors that name the part.
#include "text/tokenizer_json.h"

#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TokenizerJsonOracle : public testing::TestWithParam<const char*> {};

// tools/make_tokenizer_json_cases.py
TEST_P(TokenizerJsonOracle, GivesTheSameIds) {
  const Value file = read_json(std::string("json_") + GetParam() + ".json");
  const auto texts = strings(read_json("texts.json").find("texts"));
  const auto json = TokenizerJson::read(*file.find("file"));
  ASSERT_TRUE(json) << json.error().message;
  const auto tokenizer = json->make();
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const Value::Array& expected = *file.find("ids")->if_array();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (texts[i].find("<0x") != std::string::npos) continue;  // the reference takes a byte token's name for the byte, puna never
    EXPECT_EQ((*tokenizer)->encode(texts[i], {.add_special = false}), ids(expected[i]))
        << "text " << i << ": " << json::quote(texts[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerJsonOracle,
                         testing::Values("byte_level", "llama", "gemma", "unknowns", "unigram", "unigram_bytes", "bert",
                                         "bert_cased"),
                         [](const auto& row) { return std::string(row.param); });

TokenizerJson read(std::string_view text) {
  auto json = TokenizerJson::read(json::parse(text).value());
  EXPECT_TRUE(json) << json.error().message;
  return *std::move(json);
}

std::string error_of(std::string_view text) {
  const auto json = TokenizerJson::read(json::parse(text).value());
  if (!json) return json.error().message;
  const auto tokenizer = json->make();
  return tokenizer ? "no error" : tokenizer.error().message;
}

TEST(TokenizerJson, NamesTheRowThatCutsAsItDoes) {
  EXPECT_EQ(read(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"ignore_merges":true},
      "pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","behavior":"Isolated","invert":false,"pattern":{"Regex":
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
      {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]}})")
                .pre_tokenizer_name(),
            "llama-bpe");
  EXPECT_EQ(read(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},
      "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}})")
                .pre_tokenizer_name(),
            "gpt-2");
  EXPECT_EQ(read(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},
      "pre_tokenizer":{"type":"Split","pattern":{"Regex":"x"}}})")
                .pre_tokenizer_name(),
            "");
}

TEST(TokenizerJson, SaysWhatStandsAroundAText) {
  const Value llama = *read_json("json_llama.json").find("file");
  const auto begins = TokenizerJson::read(llama).value().make().value();
  EXPECT_TRUE(begins->adds_bos());
  EXPECT_FALSE(begins->adds_eos());
  EXPECT_EQ(begins->encode("").front(), 1);
  EXPECT_EQ(begins->decode(begins->encode("a b"), true), "a b");
  const Value unigram = *read_json("json_unigram.json").find("file");
  EXPECT_THAT(TokenizerJson::read(unigram).value().make().value()->encode(""), ElementsAre(1));
  const Value bert = *read_json("json_bert.json").find("file");
  EXPECT_THAT(TokenizerJson::read(bert).value().make().value()->encode(""), ElementsAre(2, 3));
}

TEST(TokenizerJson, MergesMayBePairs) {
  const auto json = read(R"({"model":{"vocab":{"a":0,"b":1,"ab":2,"abb":3},"merges":[["a","b"],"ab b"]},
      "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}})");
  EXPECT_THAT(json.make().value()->encode("abbab"), ElementsAre(3, 2));
}

TEST(TokenizerJson, GapsBetweenIdsAreUnusedTokens) {
  const auto tokenizer =
      read(R"({"model":{"vocab":{"a":0,"b":9},"merges":[]},"added_tokens":[{"id":12,"content":"<x>","special":true}],
      "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}})")
          .make()
          .value();
  EXPECT_EQ(tokenizer->size(), 13u);
  EXPECT_EQ(tokenizer->kind(5), TokenKind::unused);
  EXPECT_THAT(tokenizer->encode("ab<x>"), ElementsAre(0, 9, 12));
}

TEST(TokenizerJson, WhatIsNotSupportedIsNamedByItsPath) {
  const struct {
    const char* file;
    const char* message;
  } cases[] = {
      {R"({"model":{"type":"WordLevel","vocab":{"a":0}}})", "model.type is 'WordLevel'"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"end_of_word_suffix":"</w>"}})",
       "model.end_of_word_suffix is '</w>'"},
      {R"({"model":{"vocab":{"a":0}},"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Nmt"}]}})",
       "normalizer.normalizers[1].type is 'Nmt'"},
      {R"({"model":{"vocab":{"a":0}},"pre_tokenizer":{"type":"UnicodeScripts"}})", "pre_tokenizer.type is 'UnicodeScripts'"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a"}}})",
       "pre_tokenizer.pattern"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"a"},"behavior":"Odd"}})",
       "pre_tokenizer.behavior is 'Odd'"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"decoder":{"type":"CTC"}})", "decoder.type is 'CTC'"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"post_processor":{"type":"Odd"}})", "post_processor.type is 'Odd'"},
      {R"({"model":{"type":"WordPiece","vocab":{"a":0}}})", "pre_tokenizer.type"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0]]},"pre_tokenizer":{"type":"Digits"}})", "model.type"},
  };
  for (const auto& one : cases) EXPECT_THAT(error_of(one.file), HasSubstr(one.message)) << one.file;
}

TEST(TokenizerJson, WhatIsWrongIsNamedByItsPath) {
  const struct {
    const char* file;
    const char* message;
  } cases[] = {
      {"[]", "model.vocab is missing"},
      {R"({"model":{"vocab":7}})", "model.vocab is integer"},
      {R"({"model":{"vocab":{"a":"b"},"merges":[]}})", R"(model.vocab["a"] is string; an integer is wanted)"},
      {R"({"model":{"vocab":{"a":-1},"merges":[]}})", R"(model.vocab["a"] is -1)"},
      {R"({"model":{"vocab":{"a":4000000000},"merges":[]}})", "too large"},
      {R"({"model":{"vocab":{"a":0},"merges":[["a"]]}})", "model.merges[0]"},
      {R"({"model":{"vocab":{"a":0},"merges":["a"]}})", "merges[0]"},
      {R"({"model":{"vocab":{"a":0},"merges":[],"unk_token":"b"}})", "model.unk_token is 'b', which is no token"},
      {R"({"model":{"type":"Unigram","vocab":[["a"]]}})", "model.vocab[0]"},
      {R"({"model":{"type":"Unigram","vocab":[["a","b"]]}})", "model.vocab[0][1] is string"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0]],"unk_id":5}})", "model.unk_id"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"added_tokens":[{"content":"x"}]})", "added_tokens[0].id is missing"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"normalizer":{"type":"Precompiled","precompiled_charsmap":"A*"}})",
       "normalizer.precompiled_charsmap"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}}]}})",
       "post_processor.single[0].SpecialToken.id is '<s>'"},
  };
  for (const auto& one : cases) EXPECT_THAT(error_of(one.file), HasSubstr(one.message)) << one.file;
}

}  // namespace
}  // namespace puna::text
