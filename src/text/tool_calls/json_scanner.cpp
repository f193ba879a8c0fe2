#include "text/tool_calls/json_scanner.h"

namespace puna::text::tool_calls {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

bool JsonScanner::begin_value(char c) {
  if (c == '{' || c == '[') {
    if (open_.size() == kDeepest) return false;
    open_.push_back(c);
    state_ = c == '{' ? State::first_key : State::first_item;
    return true;
  }
  if (open_.empty()) return false;
  is_key_ = false;
  if (c == '"') {
    state_ = State::string;
  } else if (c == '-') {
    state_ = State::minus;
  } else if (is_digit(c)) {
    state_ = c == '0' ? State::zero : State::integer;
  } else if (c == 't' || c == 'f' || c == 'n') {
    literal_ = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
    state_ = State::literal;
  } else {
    return false;
  }
  return true;
}

bool JsonScanner::close(char c) {
  if (open_.empty() || open_.back() != (c == '}' ? '{' : '[')) return false;
  open_.pop_back();
  state_ = State::after_value;
  is_done_ = open_.empty();
  return true;
}

bool JsonScanner::after(char c) {
  if (is_space(c)) return true;
  if (c == '}' || c == ']') return close(c);
  if (c != ',' || open_.empty()) return false;
  state_ = in_object() ? State::key : State::value;
  return true;
}

bool JsonScanner::feed_string(char c) {
  if (state_ == State::escape) {
    n_hex_ = 0;
    state_ = c == 'u' ? State::hex : State::string;
    return std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos;
  }
  if (state_ == State::hex) {
    if (++n_hex_ == 4) state_ = State::string;
    return is_hex(c);
  }
  if (c == '\\') state_ = State::escape;
  if (c == '"') state_ = is_key_ ? State::colon : State::after_value;
  return true;
}

bool JsonScanner::feed_number(char c) {
  switch (state_) {
    case State::minus:
      state_ = c == '0' ? State::zero : State::integer;
      return is_digit(c);
    case State::point:
      state_ = State::fraction;
      return is_digit(c);
    case State::exponent:
      state_ = c == '+' || c == '-' ? State::sign : State::power;
      return c == '+' || c == '-' || is_digit(c);
    case State::sign:
      state_ = State::power;
      return is_digit(c);
    default:
      break;
  }
  const bool has_point = state_ == State::fraction || state_ == State::power;
  if (is_digit(c) && state_ != State::zero) return true;
  if (c == '.' && !has_point) {
    state_ = State::point;
  } else if ((c == 'e' || c == 'E') && state_ != State::power) {
    state_ = State::exponent;
  } else if (is_digit(c)) {
    return false;  // 01
  } else {
    state_ = State::after_value;
    return after(c);
  }
  return true;
}

bool JsonScanner::feed(char c) {
  if (is_done_) return false;
  switch (state_) {
    case State::string:
    case State::escape:
    case State::hex:
      return feed_string(c);
    case State::value:
      return (is_space(c) && !open_.empty()) || begin_value(c);
    case State::first_item:
      return is_space(c) || (c == ']' ? close(c) : begin_value(c));
    case State::first_key:
    case State::key:
      if (is_space(c)) return true;
      if (c == '}' && state_ == State::first_key) return close(c);
      state_ = State::string;
      is_key_ = true;
      return c == '"';
    case State::colon:
      if (is_space(c)) return true;
      state_ = State::value;
      return c == ':';
    case State::after_value:
      return after(c);
    case State::literal:
      if (c != literal_.front()) return false;
      literal_.remove_prefix(1);
      if (literal_.empty()) state_ = State::after_value;
      return true;
    default:
      return feed_number(c);
  }
}

}  // namespace puna::text::tool_calls
