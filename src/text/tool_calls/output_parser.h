// Takes a model's answer apart as it comes: text, thoughts, calls of tools. Where the answer is cut into pieces makes no
// difference. What is given out, put together, is the answer without its markers and the white space that touches them:
// nothing is lost, nothing comes twice, and a call that turns out to be none is text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "text/tool_calls/json_call.h"
#include "text/tool_calls/output_form.h"
#include "text/tool_calls/tape.h"

namespace puna::text::tool_calls {

struct Event {
  enum class Kind : std::uint8_t { content, reasoning, call_begin, arguments, call_end };
  Kind kind = Kind::content;
  std::string text = {};           // content, reasoning, arguments: the next piece; arguments together are one JSON object
  int index = 0;                   // of the call: 0, 1, …
  std::string id = {}, name = {};  // call_begin
  bool is_whole = true;            // call_end; false: the answer broke off, or the rest of the call was none and is content
};

struct ParserOptions {
  Value tools = {};  // definitions as OpenAI's API takes them: types of arguments; names, where a call has no other mark
  // Texts of the vocabulary's control tokens among the markers: they count only where the token was drawn. Empty: text is all
  // there is to go by.
  std::vector<std::string> control_texts = {};
  bool reads_thoughts = true;  // false: they are content, markers and all
  bool reads_calls = true;     // false: so are calls
  bool holds_calls = false;    // a call is given out when it is whole: then a broken one is content from its first byte
  bool shows_control = false;  // control tokens that are no marker are text; otherwise they are left out
  std::uint64_t id_seed = 0;   // of the ids of calls that come without: nine letters and digits, which every template takes
};

class OutputParser : private CallSink {
 public:
  OutputParser(OutputForm form, ParserOptions options);
  ~OutputParser() override = default;
  OutputParser(const OutputParser&) = delete;
  OutputParser& operator=(const OutputParser&) = delete;

  // The end of the prompt, as far as the template wrote it to begin the answer: it may have opened a thought, or a call.
  // Before the first push().
  void prime(std::string_view end_of_prompt);
  std::vector<Event> push(std::string_view piece, bool is_control = false);
  std::vector<Event> finish();

  bool in_reasoning() const { return state_ == State::thinking; }
  int n_calls() const { return n_calls_; }

 private:
  enum class State : std::uint8_t {
    content,
    thinking,
    section,    // between calls
    list,       // before [
    item,       // before a call in [ ]
    next_item,  // before , or ]
    opening,    // before the name
    name,
    id,         // after the name
    first_id,   // before it
    body,       // before the { or ( of the arguments
    json,       // JsonCall has it
    arguments,  // a JSON object alone
    tag,        // before a key, or the end
    key,
    value,
    capture,  // until the bracket that closes
    closing,  // before call_close
  };
  struct Tool {  // a ToolForm with its patterns
    ToolForm form;
    Pattern section_open, section_close, call_open, call_close, name_open, id_open, id_close;
    std::vector<Pattern> name_close, key_close_json;
    Pattern key_open, key_close, key_close_string, value_close, arguments_close;
  };
  enum class Role : std::uint8_t { silent, think_open, think_close, tool };
  struct Marker {
    Pattern pattern;
    Role role = Role::silent;
    std::size_t tool = 0;
  };

  // The steps: each takes what it can from the tape; false: it needs more text.
  void run();
  bool step();
  bool eat_space();
  bool scan(const std::vector<Marker>& markers, Event::Kind kind);
  enum class Took : std::uint8_t { nothing, waits, all };
  Took try_bare();
  void take_marker(const Marker& marker, std::size_t begin, std::size_t end, Event::Kind kind);
  bool step_section();
  bool step_list();
  bool step_next_item();
  bool step_opening();
  bool step_name();
  bool step_id();
  Took take_name_close(std::size_t name_end);  // and goes on to the arguments
  bool step_body();
  bool step_json();
  bool step_arguments();
  bool step_tag();
  bool step_key();
  bool step_value();
  bool begin_value();
  bool step_capture();
  bool step_closing();

  void compile(OutputForm form);
  void begin_attempt(std::size_t from, std::size_t after_opening, std::vector<std::size_t> alternatives);
  void enter_tool();
  void enter_calls();
  void enter_body();
  const Tool& tool() const { return tools_[tool_]; }
  bool fail();       // no call after all
  bool call_done();  // the next state
  void leave_to_content();

  void show(std::size_t begin, std::size_t end, Event::Kind kind);
  void give(Event event);
  void put_value(std::string_view text);
  void give_unfinished_value();
  void put_key();
  bool is_string_argument() const;
  bool take_captured();
  std::vector<Event> take_events();

  bool knows(std::string_view name) const override;
  void begin_call(std::string_view name, std::string_view id) override;
  void add_arguments(std::string_view piece) override;
  void end_call() override;

  ParserOptions options_;
  std::vector<Tool> tools_;
  std::vector<Marker> in_content_, in_thought_;
  std::array<bool, 256> begins_{};  // first bytes of markers

  Tape tape_;
  State state_ = State::content;
  std::size_t at_ = 0;                  // the first byte that is not used
  std::size_t scanned_ = 0;             // no marker begins before it
  std::optional<std::size_t> attempt_;  // where the call began that may still be none
  std::size_t after_opening_ = 0;
  std::vector<std::size_t> alternatives_;  // tools that open alike; the first is being tried
  std::size_t tool_ = 0;
  bool may_be_bare_ = true;  // nothing but white space so far
  bool eats_space_ = false;
  bool has_called_ = false;  // in this section

  std::optional<JsonCall> json_;
  JsonScanner scanner_;
  std::string name_, id_, key_, value_;
  bool is_first_argument_ = true;
  enum class Type : std::uint8_t { by_schema, string, json } type_ = Type::by_schema;
  bool is_value_begun_ = false;
  Pattern value_close_;
  char quote_ = 0;
  int n_open_ = 0;

  int n_calls_ = 0;
  bool is_open_ = false;  // a call has begun and not ended
  std::vector<Event> events_;
  std::vector<Event> held_;  // of a call that may still be none
};

// Pieces put together: what an answer that is not streamed is made of.
struct Message {
  struct Call {
    std::string id, name, arguments;
    bool is_whole = true;
    bool operator==(const Call&) const = default;
  };
  std::string content, reasoning;
  std::vector<Call> calls;
  void add(const Event& event);
  bool operator==(const Message&) const = default;
};

}  // namespace puna::text::tool_calls
