#include "text/tool_calls/output_parser.h"

#include <algorithm>

namespace puna::text::tool_calls {

namespace {

// Nine letters and digits: one family's templates take nothing else, and no other minds.
std::string made_id(std::uint64_t seed, int index) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::uint64_t x = seed + 0x9E3779B97F4A7C15U * (static_cast<std::uint64_t>(index) + 1);  // splitmix64
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  x ^= x >> 31U;
  std::string id;
  for (int i = 0; i < 9; ++i, x /= kLetters.size()) id += kLetters[x % kLetters.size()];
  return id;
}

const Value& function_of(const Value& tool) {
  const Value* function = tool.find("function");
  return function ? *function : tool;
}

std::string_view name_of(const Value& tool) {
  const Value* name = function_of(tool).find("name");
  return name && name->if_string() ? std::string_view(*name->if_string()) : std::string_view();
}

}  // namespace

OutputParser::OutputParser(OutputForm form, ParserOptions options) : options_(std::move(options)) { compile(std::move(form)); }

void OutputParser::compile(OutputForm form) {
  const auto pattern = [this](const std::string& text) { return Pattern(text, options_.control_texts); };
  if (options_.reads_thoughts) {
    for (const std::string& text : form.silent) in_content_.push_back({pattern(text), Role::silent});
    if (!form.think.open.empty()) in_content_.push_back({pattern(form.think.open), Role::think_open});
    if (!form.think.close.empty()) in_thought_.push_back({pattern(form.think.close), Role::think_close});
  }
  if (!options_.reads_calls) form.tools.clear();
  for (ToolForm& one : form.tools) {
    Tool made;
    made.section_open = pattern(one.section_open);
    made.section_close = pattern(one.section_close);
    made.call_open = pattern(one.call_open);
    made.call_close = pattern(one.call_close);
    made.name_open = pattern(one.name_open);
    made.id_open = pattern(one.id_open);
    made.id_close = pattern(one.id_close);
    for (const std::string& text : one.name_close) made.name_close.push_back(pattern(text));
    made.key_open = pattern(one.key_open);
    made.key_close = pattern(one.key_close);
    made.key_close_string = pattern(one.key_close_string);
    for (const std::string& text : one.key_close_json) made.key_close_json.push_back(pattern(text));
    made.value_close = pattern(one.value_close);
    made.arguments_close = pattern(one.arguments_close);
    const Pattern& opening = one.section_open.empty() ? made.call_open : made.section_open;
    if (!one.needs_a_known_tool()) in_content_.push_back({opening, Role::tool, tools_.size()});
    made.form = std::move(one);
    tools_.push_back(std::move(made));
  }
  for (const auto* markers : {&in_content_, &in_thought_})
    for (const Marker& marker : *markers) begins_[static_cast<unsigned char>(marker.pattern.text[0])] = true;
}

void OutputParser::prime(std::string_view end_of_prompt) {
  tape_.append(end_of_prompt, Tape::kPrompt);
  run();
  events_.clear();
  may_be_bare_ = state_ == State::content;
}

std::vector<Event> OutputParser::push(std::string_view piece, bool is_control) {
  tape_.append(piece, is_control ? Tape::kControl : '\0');
  run();
  return take_events();
}

std::vector<Event> OutputParser::finish() {
  tape_.end();
  run();
  while (state_ != State::content && state_ != State::thinking) {
    fail();
    run();
  }
  return take_events();
}

std::vector<Event> OutputParser::take_events() { return std::exchange(events_, {}); }

void OutputParser::run() {
  while (step()) {
  }
  const std::size_t used = attempt_ ? std::min(*attempt_, at_) : at_;
  if (used < tape_.size() / 2 || used == 0) return;
  tape_.forget(used);
  at_ -= used;
  scanned_ -= std::min(scanned_, used);
  after_opening_ -= std::min(after_opening_, used);
  if (attempt_) *attempt_ -= used;
}

bool OutputParser::step() {
  switch (state_) {
    case State::content: {
      if (!eat_space()) return false;
      const Took bare = try_bare();
      return bare == Took::nothing ? scan(in_content_, Event::Kind::content) : bare == Took::all;
    }
    case State::thinking:
      return eat_space() && scan(in_thought_, Event::Kind::reasoning);
    case State::section:
      return step_section();
    case State::list:
    case State::item:
      return step_list();
    case State::next_item:
      return step_next_item();
    case State::opening:
      return step_opening();
    case State::name:
      return step_name();
    case State::id:
    case State::first_id:
      return step_id();
    case State::body:
      return step_body();
    case State::json:
      return step_json();
    case State::arguments:
      return step_arguments();
    case State::tag:
      return step_tag();
    case State::key:
      return step_key();
    case State::value:
      return step_value();
    case State::capture:
      return step_capture();
    case State::closing:
      return step_closing();
  }
  return false;
}

// ---- text and thoughts

// After a marker; false: there may be more.
bool OutputParser::eat_space() {
  if (!eats_space_) return true;
  at_ = tape_.skip_space(at_);
  scanned_ = std::max(scanned_, at_);
  eats_space_ = at_ == tape_.size();
  return !eats_space_;
}

bool OutputParser::scan(const std::vector<Marker>& markers, Event::Kind kind) {
  // White space waits for what comes after it: it may touch a marker. All from at_ to scanned_ is such.
  const std::size_t begin = std::max(scanned_, at_);
  for (std::size_t i = begin; i < tape_.size(); ++i) {
    if (!begins_[static_cast<unsigned char>(tape_[i])]) continue;
    const Marker* best = nullptr;
    std::size_t best_end = 0;
    bool may_grow = false;
    for (const Marker& marker : markers) {
      const Tape::Found found = tape_.match(marker.pattern, i);
      may_grow = may_grow || found.match == Tape::Match::partial;
      if (found.match != Tape::Match::yes || found.end <= best_end) continue;
      best = &marker;
      best_end = found.end;
    }
    if (may_grow) {
      const std::size_t end = i == begin ? at_ : tape_.back_over_space(i, at_);
      show(at_, end, kind);
      at_ = end;
      scanned_ = i;
      return false;
    }
    if (best) {
      take_marker(*best, i, best_end, kind);
      return true;
    }
  }
  std::size_t end = tape_.size();
  if (!tape_.has_ended()) {
    end = tape_.back_over_space(tape_.size(), begin);
    if (end == begin) end = at_;
  }
  show(at_, end, kind);
  at_ = end;
  scanned_ = tape_.size();
  return false;
}

void OutputParser::take_marker(const Marker& marker, std::size_t begin, std::size_t end, Event::Kind kind) {
  const std::size_t text_end = marker.role == Role::silent ? begin : tape_.back_over_space(begin, at_);
  show(at_, text_end, kind);
  at_ = scanned_ = end;
  if (marker.role == Role::tool) {
    std::vector<std::size_t> alternatives;
    for (const Marker& other : in_content_)
      if (other.role == Role::tool && other.pattern.text == marker.pattern.text) alternatives.push_back(other.tool);
    return begin_attempt(text_end, end, std::move(alternatives));
  }
  if (marker.role == Role::think_open) state_ = State::thinking;
  if (marker.role == Role::think_close) state_ = State::content;
  eats_space_ = marker.role != Role::silent;
  may_be_bare_ = state_ == State::content;
}

// A call without a marker of its own, where the answer begins.
OutputParser::Took OutputParser::try_bare() {
  if (!may_be_bare_) return Took::nothing;
  const std::size_t at = tape_.skip_space(std::max(at_, scanned_));
  if (at == tape_.size()) return Took::nothing;
  for (const Marker& marker : in_content_) {  // "[" may begin a marker as well as a list
    const Tape::Found found = tape_.match(marker.pattern, at);
    if (found.match == Tape::Match::partial) return Took::waits;
    if (found.match == Tape::Match::yes) return Took::nothing;
  }
  std::vector<std::size_t> alternatives;
  std::size_t after_opening = at;
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    const Tool& one = tools_[i];
    if (one.form.is_bare() && tape_[at] == (one.form.is_list ? '[' : '{')) alternatives.push_back(i);
    if (!one.form.is_doubtful) continue;
    const Tape::Found open = tape_.match(one.call_open, at);
    if (open.match == Tape::Match::partial) return Took::waits;
    if (open.match == Tape::Match::no) continue;
    alternatives.push_back(i);
    after_opening = open.end;
  }
  may_be_bare_ = false;
  if (alternatives.empty()) return Took::nothing;
  begin_attempt(at_, after_opening, std::move(alternatives));
  return Took::all;
}

void OutputParser::show(std::size_t begin, std::size_t end, Event::Kind kind) {
  Event event{.kind = kind};
  tape_.append_shown(event.text, begin, end, options_.shows_control);
  if (!event.text.empty()) give(std::move(event));
}

// ---- events

void OutputParser::give(Event event) {
  std::vector<Event>& events = options_.holds_calls && is_open_ ? held_ : events_;
  const bool is_piece = event.kind != Event::Kind::call_begin && event.kind != Event::Kind::call_end;
  if (is_piece && !events.empty() && events.back().kind == event.kind && events.back().index == event.index) {
    events.back().text += event.text;
  } else {
    events.push_back(std::move(event));
  }
}

bool OutputParser::knows(std::string_view name) const {
  const Value::Array* tools = options_.tools.if_array();
  return !tools || tools->empty() || std::ranges::any_of(*tools, [name](const Value& tool) { return name_of(tool) == name; });
}

void OutputParser::begin_call(std::string_view name, std::string_view id) {
  is_open_ = true;
  give({.kind = Event::Kind::call_begin,
        .index = n_calls_,
        .id = id.empty() ? made_id(options_.id_seed, n_calls_) : std::string(id),
        .name = std::string(name)});
  if (options_.holds_calls) return;
  attempt_.reset();
  alternatives_.clear();
}

void OutputParser::add_arguments(std::string_view piece) {
  give({.kind = Event::Kind::arguments, .text = std::string(piece), .index = n_calls_});
}

void OutputParser::end_call() {
  give({.kind = Event::Kind::call_end, .index = n_calls_});
  ++n_calls_;
  is_open_ = false;
  std::ranges::move(held_, std::back_inserter(events_));
  held_.clear();
  attempt_.reset();
  alternatives_.clear();
}

bool OutputParser::fail() {
  if (attempt_) {
    held_.clear();
    is_open_ = false;
    if (!alternatives_.empty()) alternatives_.erase(alternatives_.begin());
    if (!alternatives_.empty()) {
      enter_tool();
      return true;
    }
    show(*attempt_, at_, Event::Kind::content);
    attempt_.reset();
  } else if (is_open_) {
    give_unfinished_value();
    give({.kind = Event::Kind::call_end, .index = n_calls_, .is_whole = false});
    ++n_calls_;
    is_open_ = false;
  }
  leave_to_content();
  return true;
}

void OutputParser::leave_to_content() {
  state_ = State::content;
  scanned_ = at_;
  eats_space_ = may_be_bare_ = false;
}

// The schema of an argument of the tool that is being called; null: nobody says.
bool OutputParser::is_string_argument() const {
  if (type_ != Type::by_schema) return type_ == Type::string;
  const Value::Array* tools = options_.tools.if_array();
  if (!tools) return false;
  for (const Value& tool : *tools) {
    if (name_of(tool) != name_) continue;
    const Value* schema = function_of(tool).find("parameters");
    for (const std::string_view step : {std::string_view("properties"), std::string_view(key_), std::string_view("type")})
      schema = schema ? schema->find(step) : nullptr;
    return schema && schema->if_string() && *schema->if_string() == "string";
  }
  return false;
}

// ---- all at once

void Message::add(const Event& event) {
  const auto index = static_cast<std::size_t>(event.index);
  switch (event.kind) {
    case Event::Kind::content:
      content += event.text;
      break;
    case Event::Kind::reasoning:
      reasoning += event.text;
      break;
    case Event::Kind::call_begin:
      calls.push_back({.id = event.id, .name = event.name, .arguments = {}});
      break;
    case Event::Kind::arguments:
      calls[index].arguments += event.text;
      break;
    case Event::Kind::call_end:
      calls[index].is_whole = event.is_whole;
      break;
  }
}

}  // namespace puna::text::tool_calls
