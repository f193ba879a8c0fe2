// "Did you mean …?" guesses slips of the fingers and nothing else.
#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace puna {
namespace {

const std::vector<std::string_view> kOptions = {"--top-k",     "--top-p", "--temp", "--raw", "--pre",
                                                "--model-url", "-m",      "-p",     "-n"};

TEST(Nearest, IsAWordWithFewChanges) {
  EXPECT_EQ(nearest("--topk", kOptions), "--top-k");
  EXPECT_EQ(nearest("--tmep", kOptions), "--temp");
  EXPECT_EQ(nearest("--tmp", kOptions), "--temp");
  EXPECT_EQ(nearest("--something-else", kOptions), "");
}

TEST(Nearest, IsNothingWhereMostOfAShortWordWouldHaveToChange) {
  for (std::string_view word : {"-np", "-r", "-nr", "-x", "--rpc", "--prio", "--model-draft", "", "-", "--"})
    EXPECT_EQ(nearest(word, kOptions), "") << word;
}

TEST(Nearest, FindsFilesByNamesThatWereMistyped) {
  const std::vector<std::string> files = {"llama-7b.Q4_K_M.gguf", "llama-7b.Q8_0.gguf"};
  EXPECT_EQ(nearest("lama-7b.Q8_0.gguf", std::span<const std::string>(files)), "llama-7b.Q8_0.gguf");
  EXPECT_EQ(nearest("llama-7b.Q4_K_M.ggfu", std::span<const std::string>(files)), "llama-7b.Q4_K_M.gguf");
}

TEST(Nearest, TakesNoTimeForALongWord) {
  const std::string word(100'000, 'a');
  const std::vector<std::string> same = {word};
  EXPECT_EQ(nearest(word, std::span<const std::string>(same)), "");
}

}  // namespace
}  // namespace puna
