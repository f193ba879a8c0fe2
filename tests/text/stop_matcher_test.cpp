#include "text/stop_matcher.h"

#include <gtest/gtest.h>

namespace puna::text {
namespace {

std::string all(StopMatcher& matcher, const std::vector<std::string>& pieces) {
  std::string out;
  for (const std::string& piece : pieces) out += matcher.push(piece);
  return out + matcher.finish();
}

TEST(StopMatcher, nothing_of_a_stop_is_given_out_and_nothing_after_it) {
  StopMatcher matcher({"O P Q"});
  EXPECT_EQ(all(matcher, {"M N O", " P", " Q R", " S"}), "M N ");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.stop(), "O P Q");
}

TEST(StopMatcher, what_was_held_back_comes_when_it_is_no_stop) {
  StopMatcher matcher({"O P Q"});
  EXPECT_EQ(matcher.push("O"), "");
  EXPECT_EQ(matcher.push(" P"), "");
  EXPECT_EQ(matcher.push(" R"), "O P R");
  EXPECT_EQ(matcher.push("O P"), "");
  EXPECT_EQ(matcher.finish(), "O P");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcher, of_several_the_first_to_begin_counts) {
  StopMatcher matcher({"b", "abc"});
  EXPECT_EQ(all(matcher, {"xa", "bcd"}), "x");
  StopMatcher shorter({"b", "abc"});
  EXPECT_EQ(all(shorter, {"xa", "bd"}), "xa");
  StopMatcher at_the_end({"b", "abc"});
  EXPECT_EQ(all(at_the_end, {"xa", "b"}), "xa");
  EXPECT_TRUE(at_the_end.stopped());
  StopMatcher again({"aab"});
  EXPECT_EQ(all(again, {"a", "a", "a", "b"}), "a");
}

TEST(StopMatcher, a_stop_inside_a_character_is_found) {
  StopMatcher matcher({"\xB1"});
  EXPECT_EQ(all(matcher, {"a", "\xC3\xB1", "o"}), "a\xC3");
}

TEST(StopMatcher, any_cut_gives_the_same) {
  const std::string text = "The llama grazes.\nUser: and the llamas? User: no";
  for (const char* stop : {"User:", "llamas", "zz", "\nUser", "T", "no"}) {
    StopMatcher whole({stop, "never there"});
    const std::string expected = all(whole, {text});
    EXPECT_EQ(expected, text.substr(0, text.find(stop))) << stop;
    for (std::size_t first = 0; first <= text.size(); ++first) {
      for (std::size_t second = first; second <= text.size(); second += 3) {
        StopMatcher cut({stop, "never there"});
        EXPECT_EQ(all(cut, {text.substr(0, first), text.substr(first, second - first), text.substr(second)}), expected);
      }
    }
  }
}

TEST(StopMatcher, without_stops_everything_passes) {
  StopMatcher matcher({""});
  EXPECT_EQ(matcher.push("abc"), "abc");
}

}  // namespace
}  // namespace puna::text
