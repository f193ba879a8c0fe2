// RWKV's vocabulary: bytes, and at each place the longest token.
#include <gmock/gmock.h>

#include "text/tokenizer_support.h"

namespace puna::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Rwkv, TakesTheLongestTokenAtEachPlace) {
  auto v = rwkv_vocabulary();
  const TokenId abc = add(v, "abc");
  const TokenId bcd = add(v, "bcd");
  const TokenId lines = add(v, "\\n\\n");
  const TokenId quote = add(v, "\\'s");
  const TokenId half = add(v, "\\xe4\\xb8");
  const auto t = v.make();
  EXPECT_THAT(t->encode("abcd"), ElementsAre(abc, 1 + 'd'));
  EXPECT_THAT(t->encode("xbcd\n\n's"), ElementsAre(1 + 'x', bcd, lines, quote));
  EXPECT_THAT(t->encode("中"), ElementsAre(half, 1 + 0xAD));
  EXPECT_EQ(t->decode(t->encode("中\n\n\\x41's")), "中\n\n\\x41's");
  EXPECT_EQ(t->token_bytes(half), "\xE4\xB8");
  EXPECT_FALSE(t->adds_bos());
}

TEST(Rwkv, AnyBytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const auto t = rwkv_vocabulary().make();
  EXPECT_EQ(t->decode(t->encode(all)), all);
}

TEST(Rwkv, AnEscapeThatIsNoneIsNamed) {
  for (const char* text : {"\\", "a\\q", "\\x4", "\\xg0"}) {
    auto v = rwkv_vocabulary();
    add(v, text);
    EXPECT_THAT(Tokenizer::make(v.view()).error().message, HasSubstr("tokenizer.ggml.tokens[257]")) << text;
  }
}

}  // namespace
}  // namespace puna::text
