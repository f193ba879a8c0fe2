#include "text/unicode.h"

#include <gtest/gtest.h>

namespace puna::text {
namespace {

TEST(Utf8, IsReadStrictly) {
  EXPECT_EQ(utf8_at("a", 0).code, U'a');
  EXPECT_EQ(utf8_at("ß", 0).code, U'ß');
  EXPECT_EQ(utf8_at("€", 0).length, 3);
  EXPECT_EQ(utf8_at("🦙", 0).code, U'🦙');
  EXPECT_EQ(utf8_at("\xF4\x8F\xBF\xBF", 0).code, 0x10FFFFu);
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3(", "\xE2\x82("}) {
    const Utf8Step step = utf8_at(text, 0);
    EXPECT_EQ(step.code, kNotACharacter) << text;
    EXPECT_FALSE(step.cut) << text;
  }
}

TEST(Utf8, SaysWhatIsOnlyUnfinished) {
  for (const char* text : {"\xC3", "\xE2", "\xE2\x82", "\xF0", "\xF0\x9F", "\xF0\x9F\xA6"}) {
    const Utf8Step step = utf8_at(text, 0);
    EXPECT_TRUE(step.cut);
    EXPECT_EQ(step.length, std::string_view(text).size());
  }
  EXPECT_EQ(utf8_at("\xF0\x9F(", 0).length, 2);
}

TEST(Utf8, IsWrittenAsItIsRead) {
  for (char32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(code, text);
    const Utf8Step step = utf8_at(text, 0);
    ASSERT_EQ(step.code, code);
    ASSERT_EQ(step.length, text.size());
  }
}

TEST(CharClass, FollowsUnicodesCategories) {
  for (const char32_t c : std::u32string_view(U"azAZéßΩж中ひ한ªʰ𝐀")) {
    EXPECT_EQ(char_class(c), CharClass::letter) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string_view(U"059٣५²½Ⅷ〇𝟘")) {
    EXPECT_EQ(char_class(c), CharClass::number) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'\t', U'\n', U'\v', U'\f', U'\r', U' ', U'\x85', U'\xA0', U'\u1680', U'\u2000', U'\u200A', U'\u2028',
                           U'\u2029', U'\u202F', U'\u205F', U'\u3000'}) {
    EXPECT_EQ(char_class(c), CharClass::space) << static_cast<unsigned>(c);
  }
  for (const char32_t c :
       {U'!', U'_', U'\x1F', U'\x7F', U'\u0301', U'\u200B', U'\u180E', U'\uFEFF', U'🦙', char32_t{0x10FFFF}, kNotACharacter}) {
    EXPECT_EQ(char_class(c), CharClass::other) << static_cast<unsigned>(c);
  }
}

TEST(Nfc, ComposesAndOrders) {
  EXPECT_EQ(nfc("plain"), "plain");
  EXPECT_EQ(nfc("e\u0301"), "é");
  EXPECT_EQ(nfc("é"), "é");
  EXPECT_EQ(nfc("\u1112\u1161\u11AB"), "한");
  EXPECT_EQ(nfc("a\u0301\u0323"), "ạ\u0301");  // the mark below comes first
  EXPECT_EQ(nfc("\u212B"), "Å");
  EXPECT_EQ(nfc("\u0958"), "\u0915\u093C");  // excluded from composition
}

TEST(Nfc, KeepsBytesThatAreNotUtf8) {
  EXPECT_EQ(nfc("e\xFF\u0301"), "e\xFF\u0301");
  EXPECT_EQ(nfc("e\u0301\xE2\x82"), "é\xE2\x82");
}

TEST(Nfc, LeavesMarksYoungerThanTheReferencesTables) {
  EXPECT_EQ(nfc("a\u1ACB\u0316"), "a\u1ACB\u0316");
  EXPECT_EQ(nfc("a\u0301\u0316"), "á\u0316");
}

}  // namespace
}  // namespace puna::text
