// The steps of OutputParser through a call.
#include <algorithm>

#include "text/tool_calls/literals.h"
#include "text/tool_calls/output_parser.h"

namespace puna::text::tool_calls {

namespace {

constexpr std::size_t kLongestName = 256;

bool is_name_byte(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || static_cast<unsigned char>(c) >= 0x80 || std::string_view("_-.:/$").find(c) != std::string_view::npos;
}

// Piece by piece, so cuts inside of a character must do no harm: bytes beyond ASCII pass as they are.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    append_json_byte(out, c, true);
  }
  return out;
}

// A value whose type nobody says, or that is no string: JSON as it is, a constant of Python as JSON, or else a string after all.
std::string json_of(std::string_view text, bool is_json) {
  std::string_view bare = text;
  while (!bare.empty() && is_space(bare.front())) bare.remove_prefix(1);
  while (!bare.empty() && is_space(bare.back())) bare.remove_suffix(1);
  if (const Result<Value> value = json::parse(bare); value && (is_json || !value->if_string())) return std::string(bare);
  if (const Result<Value> value = parse_constant(bare); value && !value->if_string()) return json::write(*value);
  return json::quote(text);
}

}  // namespace

void OutputParser::begin_attempt(std::size_t from, std::size_t after_opening, std::vector<std::size_t> alternatives) {
  attempt_ = from;
  after_opening_ = after_opening;
  alternatives_ = std::move(alternatives);
  enter_tool();
}

void OutputParser::enter_tool() {
  tool_ = alternatives_.front();
  at_ = after_opening_;
  has_called_ = false;
  if (!tool().section_open.empty()) {
    state_ = State::section;
  } else {
    enter_calls();
  }
}

void OutputParser::enter_calls() {
  if (tool().form.is_list) {
    state_ = State::list;
  } else {
    enter_body();
  }
}

void OutputParser::enter_body() {
  const Body body = tool().form.body;
  id_.clear();
  name_.clear();
  state_ = body == Body::json || body == Body::json_map ? State::body : State::opening;
}

bool OutputParser::call_done() {
  state_ = tool().form.is_list ? State::next_item : State::closing;
  return true;
}

bool OutputParser::step_closing() {
  if (!tool().call_close.empty()) {
    const Tape::Found close = tape_.match(tool().call_close, at_);
    if (close.match == Tape::Match::partial) return false;
    if (close.match == Tape::Match::yes) at_ = close.end;
  }
  if (!tool().section_open.empty() || tool().form.is_bare() || !tool().form.separator.empty()) {
    has_called_ = true;
    state_ = State::section;
  } else {
    leave_to_content();
    eats_space_ = true;
  }
  return true;
}

bool OutputParser::step_section() {
  std::size_t at = tape_.skip_space(at_);
  if (at == tape_.size() && !tape_.has_ended()) return false;
  const Tool& form = tool();
  if (has_called_ && !form.form.separator.empty() && at < tape_.size() && tape_[at] == form.form.separator[0]) {
    at = tape_.skip_space(at + 1);
    if (at == tape_.size() && !tape_.has_ended()) return false;
  }
  const auto matched = [&](const Pattern& pattern) { return pattern.empty() ? Tape::Found{} : tape_.match(pattern, at); };
  const Tape::Found close = matched(form.section_close), open = matched(form.call_open);
  if (close.match == Tape::Match::yes) {
    attempt_.reset();
    at_ = close.end;
    leave_to_content();
    eats_space_ = true;
    return true;
  }
  if (close.match == Tape::Match::partial || open.match == Tape::Match::partial) return false;
  const bool is_named = form.form.body != Body::json && form.form.body != Body::json_map;
  const bool begins = at < tape_.size() && (tape_[at] == (form.form.is_list ? '[' : '{') || (is_named && !has_called_));
  if (open.match == Tape::Match::yes || (form.call_open.empty() && begins)) {
    if (has_called_) attempt_ = at_;
    at_ = open.match == Tape::Match::yes ? open.end : at;
    enter_calls();
    return true;
  }
  if (attempt_) return fail();
  if (form.form.separator.empty() || tape_.skip_space(at_) == at) at_ = at;
  leave_to_content();
  return true;
}

bool OutputParser::step_list() {
  at_ = tape_.skip_space(at_);
  if (at_ == tape_.size()) return false;
  if (state_ == State::list) {
    if (tape_[at_] != '[') return fail();
    ++at_;
    state_ = State::item;
    return true;
  }
  if (tape_[at_] != ']') {
    enter_body();
    return true;
  }
  if (tool().form.needs_a_known_tool() && attempt_) return fail();  // an empty list is an answer
  ++at_;
  attempt_.reset();
  state_ = State::closing;
  return true;
}

bool OutputParser::step_next_item() {
  at_ = tape_.skip_space(at_);
  if (at_ == tape_.size()) return false;
  if (tape_[at_] == ',') {
    attempt_ = at_++;
    state_ = State::item;
  } else if (tape_[at_] == ']') {
    ++at_;
    state_ = State::closing;
  } else {
    leave_to_content();
  }
  return true;
}

bool OutputParser::step_opening() {
  at_ = tape_.skip_space(at_);
  if (at_ == tape_.size() && !tape_.has_ended()) return false;  // more white space may come
  const Tape::Found open = tape_.match(tool().name_open, at_);
  if (open.match == Tape::Match::partial) return false;
  if (open.match == Tape::Match::no) return fail();
  at_ = open.end;
  state_ = tool().id_close.empty() ? State::name : State::first_id;
  return true;
}

bool OutputParser::step_name() {
  const ToolForm& form = tool().form;
  std::size_t end = at_;
  while (end < tape_.size() && is_name_byte(tape_[end])) ++end;
  if (end - at_ > kLongestName) return fail();
  if (end == tape_.size() && !tape_.has_ended()) return false;
  if (end == at_) return fail();
  std::string_view name = tape_.view(at_, end);
  if (form.is_name_an_id) id_ = name;
  if (name.starts_with(form.name_prefix)) name.remove_prefix(form.name_prefix.size());
  if (name.ends_with(form.name_suffix)) name.remove_suffix(form.name_suffix.size());
  if (form.is_name_an_id) name = name.substr(0, name.rfind(':'));
  name_ = name;
  if (name_.empty() || (form.needs_a_known_tool() && !knows(name_))) return fail();
  if (!tool().id_open.empty()) {
    const Tape::Found open = tape_.match(tool().id_open, end);
    if (open.match == Tape::Match::partial) return false;
    if (open.match == Tape::Match::yes) {
      at_ = open.end;
      state_ = State::id;
      return true;
    }
  }
  if (tool().name_close.empty()) {
    at_ = end;
    state_ = State::body;
    return true;
  }
  const Took took = take_name_close(end);
  return took == Took::nothing ? fail() : took == Took::all;
}

OutputParser::Took OutputParser::take_name_close(std::size_t name_end) {
  for (const Pattern& pattern : tool().name_close) {
    const Tape::Found close = tape_.match(pattern, name_end);
    if (close.match == Tape::Match::partial) return Took::waits;
    if (close.match == Tape::Match::no) continue;
    at_ = close.end;
    state_ = State::body;
    return Took::all;
  }
  return Took::nothing;
}

bool OutputParser::step_id() {
  std::size_t end = at_;
  while (end < tape_.size() && is_name_byte(tape_[end])) ++end;
  if (end - at_ > kLongestName) return fail();
  if (end == tape_.size() && !tape_.has_ended()) return false;
  const std::string id(tool().form.is_id_a_number ? std::string_view() : tape_.view(at_, end));
  if (state_ == State::first_id) {
    const Tape::Found close = tape_.match(tool().id_close, end);
    if (close.match != Tape::Match::yes) return close.match == Tape::Match::no && fail();
    at_ = close.end;
    state_ = State::name;
    id_ = id;
    return true;
  }
  const Took took = take_name_close(end);
  if (took == Took::all) id_ = id;
  return took == Took::nothing ? fail() : took == Took::all;
}

bool OutputParser::step_body() {
  const Body body = tool().form.body;
  if (body == Body::tagged) {
    is_first_argument_ = true;
    state_ = State::tag;
    return true;
  }
  at_ = tape_.skip_space(at_);
  if (at_ == tape_.size()) return false;
  if (body == Body::json || body == Body::json_map) {
    json_.emplace(tool().form, static_cast<CallSink&>(*this));
    state_ = State::json;
    return true;
  }
  if (tape_[at_] != (body == Body::python ? '(' : '{')) return fail();
  if (body == Body::named_json) {
    scanner_ = {};
    begin_call(name_, id_);
    state_ = State::arguments;
    return true;
  }
  ++at_;
  value_.clear();
  quote_ = 0;
  n_open_ = 0;
  state_ = State::capture;
  return true;
}

bool OutputParser::step_json() {
  while (at_ < tape_.size()) {
    const JsonCall::Step step = json_->feed(tape_[at_]);
    if (step == JsonCall::Step::failed) return fail();
    ++at_;
    if (step == JsonCall::Step::done) return call_done();
  }
  return false;
}

bool OutputParser::step_arguments() {
  while (at_ < tape_.size()) {
    const char c = tape_[at_];
    if (!scanner_.feed(c)) return fail();
    ++at_;
    std::string piece;
    append_json_byte(piece, c, scanner_.in_string());
    add_arguments(piece);
    if (!scanner_.done()) continue;
    end_call();
    return call_done();
  }
  return false;
}

bool OutputParser::step_tag() {
  at_ = tape_.skip_space(at_);
  const Tape::Found close = tape_.match(tool().arguments_close, at_);
  if (close.match == Tape::Match::yes) {
    if (!is_open_) begin_call(name_, id_);
    at_ = close.end;
    add_arguments(is_first_argument_ ? "{}" : "}");
    end_call();
    return call_done();
  }
  if (close.match == Tape::Match::partial) return false;  // a key may open as the end does
  const Tape::Found open = tape_.match(tool().key_open, at_);
  if (open.match == Tape::Match::yes) {
    if (!is_open_) begin_call(name_, id_);
    at_ = scanned_ = open.end;
    state_ = State::key;
    return true;
  }
  return open.match == Tape::Match::no && fail();
}

bool OutputParser::step_key() {
  const auto closes = [this](const Pattern& pattern, std::size_t at, Type type) {
    if (pattern.empty()) return Took::nothing;
    const Tape::Found close = tape_.match(pattern, at);
    if (close.match == Tape::Match::no) return Took::nothing;
    if (close.match == Tape::Match::partial) return Took::waits;
    key_ = tape_.view(at_, at);
    type_ = type;
    at_ = scanned_ = close.end;
    return Took::all;
  };
  for (; scanned_ < tape_.size(); ++scanned_) {
    if (scanned_ - at_ > kLongestName || tape_[scanned_] == '\n') return fail();
    Took took = closes(tool().key_close_string, scanned_, Type::string);
    for (std::size_t i = 0; took == Took::nothing && i < tool().key_close_json.size(); ++i)
      took = closes(tool().key_close_json[i], scanned_, Type::json);
    if (took == Took::nothing) took = closes(tool().key_close, scanned_, Type::by_schema);
    if (took == Took::waits) return false;
    if (took == Took::nothing) continue;
    put_key();
    return true;
  }
  return false;
}

void OutputParser::put_key() {
  add_arguments((is_first_argument_ ? "{" : ",") + json::quote(key_) + ":");
  is_first_argument_ = false;
  type_ = is_string_argument() ? Type::string : type_;
  if (type_ == Type::string) add_arguments("\"");
  value_.clear();
  is_value_begun_ = false;
  state_ = State::value;
}

// What stands between a key and its value; false: there may be more of it.
bool OutputParser::begin_value() {
  if (is_value_begun_) return true;
  if (at_ == tape_.size()) return false;
  const ToolForm& form = tool().form;
  if (form.is_value_on_lines && tape_[at_] == '\n') ++at_;
  value_close_ = tool().value_close;
  if (const std::size_t place = form.value_close.find("{key}"); place != std::string::npos)
    value_close_ = Pattern(std::string(form.value_close).replace(place, 5, key_), options_.control_texts);
  if (form.may_be_cdata) {
    const Tape::Found cdata = tape_.match(Pattern("<![CDATA[", {}), at_);
    if (cdata.match == Tape::Match::partial) return false;
    if (cdata.match == Tape::Match::yes) {
      at_ = cdata.end;
      value_close_ = Pattern("]]>~" + form.value_close, options_.control_texts);
    }
  }
  scanned_ = at_;
  is_value_begun_ = true;
  return true;
}

bool OutputParser::step_value() {
  if (!begin_value()) return false;
  const bool is_on_lines = tool().form.is_value_on_lines;
  const auto before_line_end = [&](std::size_t end) {
    return is_on_lines && end > at_ && tape_[end - 1] == '\n' ? end - 1 : end;
  };
  for (std::size_t i = std::max(scanned_, at_); i < tape_.size(); ++i) {
    if (tape_[i] != value_close_.text[0]) continue;
    const Tape::Found close = tape_.match(value_close_, i);
    if (close.match == Tape::Match::no) continue;
    const std::size_t end = before_line_end(i);
    put_value(tape_.view(at_, end));
    at_ = end;
    scanned_ = i;
    if (close.match == Tape::Match::partial) return false;
    if (type_ == Type::string) add_arguments("\"");
    if (type_ != Type::string) add_arguments(json_of(value_, type_ == Type::json));
    at_ = close.end;
    state_ = State::tag;
    return true;
  }
  const std::size_t end = before_line_end(tape_.size());
  put_value(tape_.view(at_, end));
  at_ = end;
  scanned_ = tape_.size();
  return false;
}

void OutputParser::put_value(std::string_view text) {
  if (type_ == Type::string) {
    if (!text.empty()) add_arguments(escaped(text));
  } else {
    value_ += text;
  }
}

// The call breaks off: what was kept to see its type goes out as the beginning of a string.
void OutputParser::give_unfinished_value() {
  if (state_ == State::value && type_ != Type::string) add_arguments("\"" + escaped(value_));
}

// Until the bracket that closes what ( or { opened; strings are skipped over.
bool OutputParser::step_capture() {
  const Pattern& quote = tool().value_close;  // braces: around strings
  while (at_ < tape_.size()) {
    const char c = tape_[at_];
    if (!quote.empty()) {
      const Tape::Found found = tape_.match(quote, at_);
      if (found.match == Tape::Match::partial) return false;
      if (found.match == Tape::Match::yes) {
        value_ += quote.text;
        quote_ = quote_ == 0 ? '"' : '\0';
        at_ = found.end;
        continue;
      }
    } else if (quote_ != 0) {
      if (c == '\\' && at_ + 1 == tape_.size()) return false;
      if (c == '\\') value_ += tape_[at_++];
      if (c == quote_) quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    }
    const bool is_bare = quote_ == 0;
    if (is_bare && (c == '(' || c == '[' || c == '{')) ++n_open_;
    if (is_bare && (c == ')' || c == ']' || c == '}') && --n_open_ < 0) return take_captured();
    value_ += tape_[at_++];
  }
  return false;
}

bool OutputParser::take_captured() {
  const bool is_python = tool().form.body == Body::python;
  if (tape_[at_] != (is_python ? ')' : '}')) return fail();
  const Result<Value> arguments = is_python ? parse_keywords(value_) : parse_braces(value_, tool().value_close.text);
  if (!arguments) return fail();
  ++at_;
  begin_call(name_, id_);
  add_arguments(json::write(*arguments));
  end_call();
  return call_done();
}

}  // namespace puna::text::tool_calls
