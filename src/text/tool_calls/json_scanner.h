// Reads JSON one byte after the other and says at once where it stops being JSON. Line ends and other control characters
// inside strings are let through (models write them); whoever passes the text on escapes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace puna::text::tool_calls {

class JsonScanner {
 public:
  static constexpr std::size_t kDeepest = 128;

  // Whether the text so far, with this byte, can become a JSON object or array.
  bool feed(char c);

  bool done() const { return is_done_; }              // the object or array that it began with is closed
  std::size_t depth() const { return open_.size(); }  // objects and arrays that are open
  bool in_string() const { return state_ == State::string || state_ == State::escape || state_ == State::hex; }
  bool in_key() const { return in_string() && is_key_; }
  bool before_value() const { return state_ == State::value || state_ == State::first_item; }
  bool after_value() const { return state_ == State::after_value; }
  bool in_object() const { return !open_.empty() && open_.back() == '{'; }

 private:
  enum class State : std::uint8_t {
    value,       // a value must come
    first_item,  // a value, or ]
    first_key,   // a key, or }
    key,         // a key must come
    colon,
    after_value,  // , or the end of what is open
    string,
    escape,
    hex,
    minus,  // digits must come
    zero,
    integer,
    point,  // digits must come
    fraction,
    exponent,  // a sign or digits must come
    sign,      // digits must come
    power,
    literal,
  };

  bool begin_value(char c);
  bool feed_number(char c);
  bool feed_string(char c);
  bool close(char c);
  bool after(char c);

  State state_ = State::value;
  std::vector<char> open_;
  std::string_view literal_;  // what is still to come of true, false, null
  int n_hex_ = 0;
  bool is_key_ = false;
  bool is_done_ = false;
};

}  // namespace puna::text::tool_calls
