#include "text/tool_calls/json_call.h"

#include <algorithm>

#include "base/value.h"

namespace puna::text::tool_calls {

namespace {

constexpr std::size_t kLongestKey = 256;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_of_number(char c) { return (c >= '0' && c <= '9') || std::string_view("+-.eE").find(c) != std::string_view::npos; }

bool contains(const std::vector<std::string>& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }

}  // namespace

void append_json_byte(std::string& out, char c, bool in_string) {
  if (!in_string || static_cast<unsigned char>(c) >= 0x20) {
    out += c;
  } else {
    const std::string quoted = json::quote(std::string_view(&c, 1));
    out.append(quoted, 1, quoted.size() - 2);
  }
}

JsonCall::Member JsonCall::member_of(std::string_view key) const {
  if (contains(form_->name_keys, key)) return Member::name;
  if (contains(form_->argument_keys, key)) return Member::arguments;
  if (contains(form_->id_keys, key)) return Member::id;
  return Member::other;
}

void JsonCall::begin_call() {
  sink_->begin_call(name_, id_);
  has_begun_ = true;
}

void JsonCall::emit(char c) {
  std::string piece;
  append_json_byte(piece, c, scanner_.in_string());
  if (is_streaming_) {
    sink_->add_arguments(piece);
  } else {
    value_ += piece;
  }
}

JsonCall::Step JsonCall::feed(char c) {
  const bool opens_value = scanner_.before_value() && !is_space(c);
  const bool was_in_key = scanner_.in_key();
  const std::size_t depth = scanner_.depth();
  if (!scanner_.feed(c)) return Step::failed;
  if (depth == 0) return c == '{' ? Step::more : Step::failed;
  if (is_reading_) return continue_value(c);
  if (opens_value && depth == level_) return begin_value(c);
  if (scanner_.in_key()) {
    if (!was_in_key) key_.clear();
    if (was_in_key) key_ += c;
    if (key_.size() > kLongestKey) return Step::failed;
  }
  level_ = std::min(level_, std::max<std::size_t>(scanner_.depth(), 1));
  return scanner_.done() ? finish() : Step::more;
}

JsonCall::Step JsonCall::begin_value(char c) {
  if (form_->body == Body::json_map) {
    member_ = Member::arguments;
    name_ = key_;
    has_begun_ = has_arguments_ = false;
    if (c != '{') return Step::failed;
  } else {
    member_ = member_of(key_);
    if (key_ == "function" && c == '{' && level_ == 1) {
      level_ = 2;
      return Step::more;
    }
    const bool is_known = member_ != Member::other || key_ == "type" || key_ == "function";
    if (form_->needs_a_known_tool() && !is_known) return Step::failed;  // the answer is JSON of its own
  }
  if (form_->needs_a_known_tool() && !name_.empty() && !sink_->knows(name_)) return Step::failed;
  if (member_ == Member::arguments && (has_begun_ || has_arguments_)) return Step::failed;
  value_.clear();
  is_reading_ = true;
  is_number_ = is_of_number(c);
  is_streaming_ = member_ == Member::arguments && c == '{' && !name_.empty();
  if (is_streaming_) begin_call();
  emit(c);
  return Step::more;
}

JsonCall::Step JsonCall::continue_value(char c) {
  if (is_number_ && !is_of_number(c)) {
    const Step step = end_value();
    return step == Step::more && scanner_.done() ? finish() : step;
  }
  emit(c);
  return !is_number_ && scanner_.depth() == level_ && scanner_.after_value() ? end_value() : Step::more;
}

JsonCall::Step JsonCall::end_value() {
  is_reading_ = false;
  if (is_streaming_) {
    is_streaming_ = false;
    has_arguments_ = true;
    if (form_->body == Body::json_map) sink_->end_call();
    return Step::more;
  }
  if (member_ == Member::arguments) return take_arguments();
  if (member_ == Member::other) return Step::more;
  const Result<Value> value = json::parse(value_);
  if (!value) return Step::failed;
  const std::string text = value->if_string() ? *value->if_string() : value_;
  if (member_ == Member::id) {
    id_ = text;
    return Step::more;
  }
  if (!value->if_string() || text.empty() || has_begun_) return Step::failed;
  name_ = text;
  if (form_->needs_a_known_tool() && !sink_->knows(name_)) return Step::failed;
  if (!has_arguments_) return Step::more;
  begin_call();
  sink_->add_arguments(arguments_);
  return Step::more;
}

// Arguments that could not be passed on as they came: before the name, or JSON in a string.
JsonCall::Step JsonCall::take_arguments() {
  Result<Value> value = json::parse(value_);
  if (!value) return Step::failed;
  arguments_ = value_;
  if (const std::string* text = value->if_string()) {
    arguments_ = text->empty() ? "{}" : *text;
    value = json::parse(arguments_);
    if (!value) return Step::failed;
  }
  if (value->is_null()) {
    arguments_ = "{}";
  } else if (!value->if_object()) {
    return Step::failed;
  }
  has_arguments_ = true;
  if (name_.empty()) return Step::more;
  begin_call();
  sink_->add_arguments(arguments_);
  return Step::more;
}

JsonCall::Step JsonCall::finish() {
  if (form_->body == Body::json_map) return Step::done;
  if (!has_begun_) {
    if (name_.empty() || form_->needs_a_known_tool()) return Step::failed;
    begin_call();
    sink_->add_arguments("{}");
  }
  sink_->end_call();
  return Step::done;
}

}  // namespace puna::text::tool_calls
