// One tokenizer, many threads at once.
#include <thread>

#include "text/tokenizer_json.h"
#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

TEST(TokenizerThreads, GiveWhatOneThreadGives) {
  const auto texts = strings(read_json("texts.json").find("texts"));
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  for (const char* name : {"bpe_qwen2", "spm_prefix"}) {
    tokenizers.push_back(vocabulary_of(read_json(std::string(name) + ".json")).make());
  }
  for (const char* name : {"byte_level", "unigram", "bert"}) {
    const Value file = read_json(std::string("json_") + name + ".json");
    tokenizers.push_back(TokenizerJson::read(*file.find("file")).value().make().value());
  }
  for (const char* pre : {"bloom", "deepseek-llm"}) tokenizers.push_back(byte_vocabulary(pre).make());
  for (const auto& tokenizer : tokenizers) {
    std::vector<std::vector<TokenId>> alone;
    for (std::size_t i = 0; i < 400; ++i) alone.push_back(tokenizer->encode(texts[i]));
    std::vector<std::thread> threads;
    std::array<bool, 4> equal{};
    for (std::size_t t = 0; t < equal.size(); ++t) {
      threads.emplace_back([&, t] {
        equal[t] = true;
        for (std::size_t i = 0; i < alone.size(); ++i) {
          const std::size_t at = (i + 100 * t) % alone.size();
          equal[t] = equal[t] && tokenizer->encode(texts[at]) == alone[at];
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (const bool one : equal) EXPECT_TRUE(one) << tokenizer->model_name();
  }
}

}  // namespace
}  // namespace puna::text
