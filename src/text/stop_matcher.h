// Ends a text where one of some strings begins. What could still become one is held back, so that no part of it is ever
// given out, and nothing is held longer than that.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace puna::text {

class StopMatcher {
 public:
  // Empty strings stop nothing.
  explicit StopMatcher(std::vector<std::string> stops);

  // What may be given out now. Of several stops that match the one that begins first counts, of those the longest that is
  // there by then. After a match everything is dropped.
  std::string push(std::string_view piece);
  // What was held back and became no stop; a shorter one within it still counts.
  std::string finish();

  bool stopped() const { return stopped_; }
  const std::string& stop() const { return stop_; }  // the one that matched

 private:
  std::string take(bool is_end);

  std::vector<std::string> stops_;
  std::array<bool, 256> begins_{};  // first bytes of stops
  std::string held_;
  std::string stop_;
  bool stopped_ = false;
};

}  // namespace puna::text
